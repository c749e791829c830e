# SPDX-License-Identifier: Apache-2.0
"""What `joulemark tune` does once its options are understood: search, show, keep.

To import this takes a second, which neither help nor a refusal waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import typer
from rich.console import Console

from joulemark.cli.own.tune_json import as_dict
from joulemark.cli.own.tune_screen import add_command, show
from joulemark.cli.refusals import InterruptedRunError, say
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.measuring_store import place_of_samples, store_to_measure
from joulemark.cli.shared.progress import ProgressBar, RunProgress
from joulemark.cli.shared.terminal import print_json
from joulemark.environment import capture
from joulemark.foreign.text import visible
from joulemark.own_code.adding import add_code
from joulemark.own_code.checking import RejectedError
from joulemark.own_code.compilers import CompileError
from joulemark.own_code.tuning.candidates import Candidate
from joulemark.own_code.tuning.making import (
    CandidateOutcome,
    CompiledCandidate,
    CompileOrder,
    RefusedCandidate,
    SpreadCompiling,
)
from joulemark.own_code.tuning.search import SearchAnswer, SearchRequest, search
from joulemark.store.repository import Store

__all__ = ["tune_and_show"]

_EXIT_FAILED: Final = 2


class _Making:
    """Shows on standard error how far the candidates are made, and which are not right."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar = bar

    def begin(self, number: int, total: int, candidate: Candidate) -> None:
        self._bar.move(number, total, f"{f'compiling, checking: {candidate.name}':<48.48}")

    def end(self, outcome: CandidateOutcome) -> None:
        if isinstance(outcome, RefusedCandidate):
            self._bar.report(f"{outcome.candidate.name} {outcome.verdict}", visible(outcome.why))


def tune_and_show(
    wanted: SearchRequest,
    store_location: str | None,
    *,
    keep: bool,
    as_json: bool,
    spread: SpreadOptions,
) -> None:
    """Searches, shows what was found, and keeps it if that was asked.

    Args:
        wanted: what is searched for.
        store_location: None: nothing is kept of the run.
        keep: whether the chosen candidate becomes a kept plugin.
        as_json: whether JSON is printed instead of a screen.
        spread: the cluster that compiles, if any.

    Raises:
        typer.Exit: no candidate is right, or what was chosen is not kept.
    """
    with place_of_samples(store_location) as place, store_to_measure(place) as store:
        found = _found(wanted, store, store_location, spread)
        if as_json:
            print_json(as_dict(wanted, found, store))
        else:
            show(wanted, found, store, store_location)
    if found.choice is None:
        say("no candidate is right and could be timed at every length; the reasons are above")
        raise typer.Exit(_EXIT_FAILED)
    chosen = found.ready[found.choice.chosen].candidate
    if not keep:
        if not as_json:
            typer.echo(f"next: {add_command(wanted, chosen)}")
    elif not _kept(wanted, chosen, as_json=as_json):
        raise typer.Exit(_EXIT_FAILED)


def _found(
    wanted: SearchRequest, store: Store, store_location: str | None, spread: SpreadOptions
) -> SearchAnswer:
    console = Console(stderr=True)
    timing = RunProgress(console)
    started = False

    with ProgressBar(console, "compiling", "candidates") as bar:

        def observer() -> RunProgress:
            nonlocal started
            started = True
            bar.__exit__(None, None, None)
            return timing.__enter__()

        try:
            return search(
                wanted, store, capture(), progress=_Making(bar), observer=observer,
                spread=_over(spread, bar) if spread.given else None,
            )  # fmt: skip
        except KeyboardInterrupt:
            kept = (
                f"every sample so far is in {store.kept_in}, and the same command goes on"
                if started and store_location is not None
                else "nothing is kept"
            )
            raise InterruptedRunError(f"stopped; {kept}") from None
        finally:
            if started:
                timing.__exit__(None, None, None)


def _over(options: SpreadOptions, bar: ProgressBar) -> SpreadCompiling:
    """Compiles in a cluster that is there for that alone, and so disturbs no timing."""

    def spread(
        orders: Sequence[CompileOrder],
        told: Callable[[int, Sequence[CompiledCandidate] | RefusedCandidate], None],
    ) -> None:
        with options.client() as client:
            from joulemark.fleet.compiling import compiled_over  # noqa: PLC0415 - an extra

            if client is not None:
                compiled_over(client, bar.tell)(orders, told)

    return spread


def _kept(wanted: SearchRequest, chosen: Candidate, *, as_json: bool) -> bool:
    """Makes the plugin once more, checks it as `joulemark add` does, and keeps it."""
    asked = replace(wanted.request, flags=chosen.flag_set.flags)
    try:
        added = add_code(wanted.code, asked, chosen.compiler)
    except CompileError as error:
        for line in error.lines:
            typer.echo(line, err=True)
        say(str(error))
        return False
    except RejectedError as error:
        say(f"{asked.name} {error.verdict}, and it is not kept: {error.why}")
        return False
    typer.echo(f"{added.name} is kept: {visible(str(added.entry))}", err=as_json)
    typer.echo(f"  checked: {added.report.text}", err=as_json)
    return True
