# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark tune`: searches, shows and keeps what the options ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import typer
from rich.console import Console

from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.endings import InterruptedRunError, say
from joulemark.cli.own.add import add_or_say
from joulemark.cli.own.tune import TuneRequest
from joulemark.cli.own.tune_json import as_dict
from joulemark.cli.own.tune_screen import add_command, show
from joulemark.cli.shared.measuring_store import place_of_samples, store_to_measure
from joulemark.cli.shared.progress import ProgressBar, RunProgress
from joulemark.cli.shared.terminal import print_json
from joulemark.environment import capture
from joulemark.foreign.text import visible
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

__all__ = ["carry_out"]

_EXIT_FAILED: Final = 2


class _MakingProgress:
    """Shows on standard error how far the candidates are made, and which are not right."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar = bar

    def begin(self, number: int, total: int, candidate: Candidate) -> None:
        self._bar.move(number, total, f"{f'compiling, checking: {candidate.name}':<48.48}")

    def end(self, outcome: CandidateOutcome) -> None:
        if isinstance(outcome, RefusedCandidate):
            self._bar.report(f"{outcome.candidate.name} {outcome.verdict}", visible(outcome.why))


def carry_out(request: TuneRequest) -> None:
    """Searches, shows what was found, and keeps it if that was asked.

    Raises:
        typer.Exit: no candidate is right, or what was chosen is not kept.
    """
    wanted = SearchRequest(
        request.code, request.asked, tuple(request.candidates), request.sizes_bytes,
        request.budget_s, request.cpu,
    )  # fmt: skip
    with place_of_samples(request.store_location) as place, store_to_measure(place) as store:
        found = _search(wanted, store, request)
        if request.as_json:
            print_json(as_dict(wanted, found, store))
        else:
            show(wanted, found, store, request.store_location)
    if found.choice is None:
        say("no candidate is right and could be timed at every length; the reasons are above")
        raise typer.Exit(_EXIT_FAILED)
    chosen = found.ready[found.choice.chosen].candidate
    if not request.keep:
        if not request.as_json:
            typer.echo(f"next: {add_command(wanted, chosen)}")
    elif not _keep(wanted, chosen, as_json=request.as_json):
        raise typer.Exit(_EXIT_FAILED)


def _search(wanted: SearchRequest, store: Store, request: TuneRequest) -> SearchAnswer:
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
                wanted, store, capture(), progress=_MakingProgress(bar), observer=observer,
                spread=_over(request.spread, bar) if request.spread.given else None,
            )  # fmt: skip
        except KeyboardInterrupt:
            kept = (
                f"every sample so far is in {store.kept_in}, and the same command goes on"
                if started and request.store_location is not None
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
        with options.cluster() as cluster:
            if cluster is not None:
                cluster.compiling(bar.tell)(orders, told)

    return spread


def _keep(wanted: SearchRequest, chosen: Candidate, *, as_json: bool) -> bool:
    """Makes the plugin once more, checks it as `joulemark add` does, and keeps it."""
    asked = replace(wanted.request, flags=chosen.flag_set.flags)
    added = add_or_say(wanted.code, asked, chosen.compiler)
    if added is None:
        return False
    typer.echo(f"{added.name} is kept: {visible(str(added.entry))}", err=as_json)
    typer.echo(f"  checked: {added.report.text}", err=as_json)
    return True
