# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark tune`: searches, shows and keeps what the options ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import typer
from rich.console import Console

from joulemark.analyse.machine_load import load_doubts
from joulemark.analyse.results import Figure
from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.endings import InterruptedRunError, say
from joulemark.cli.own.add import add_or_say
from joulemark.cli.own.tune import TuneRequest
from joulemark.cli.own.tune_screen import add_command, figures_of, show
from joulemark.cli.shared.measuring_store import place_of_samples, store_to_measure
from joulemark.cli.shared.progress import ProgressBar, RunProgress
from joulemark.cli.shared.terminal import print_json
from joulemark.environment import capture
from joulemark.foreign.text import visible
from joulemark.own_code.tuning.candidates import CompilerCandidate
from joulemark.own_code.tuning.choice import OVERALL, Field, FlagChoice
from joulemark.own_code.tuning.making import (
    CandidateOutcome,
    CompiledCandidate,
    CompileOrder,
    ReadyCandidate,
    RefusedCandidate,
    SameCode,
    SpreadCompiling,
)
from joulemark.own_code.tuning.search import SearchAnswer, SearchRequest, search
from joulemark.store.repository import Store

# The JSON of `joulemark tune`.

TUNE_VERSION: Final = 1


def as_dict(wanted: SearchRequest, found: SearchAnswer, store: Store) -> dict[str, Any]:
    """A search and its answer as JSON values; ratios are seconds over seconds, lengths in bytes."""
    choice = found.choice
    figures = {} if found.run_id is None else figures_of(store, found.run_id)
    chosen = found.ready[choice.chosen].candidate if choice else None
    return {
        "schema_version": TUNE_VERSION,
        "algorithm": wanted.request.algorithm.id,
        "function": wanted.code.function,
        "run": found.run_id,
        "rounds": found.rounds,
        "usual": wanted.candidates[0].name,
        "chosen": _choice(choice, found) if choice else None,
        "add": add_command(wanted, chosen) if chosen else None,
        "lengths": [
            {"size_bytes": place, **_field(field, found)}
            for place, field in (choice.fields if choice else {}).items()
            if place != OVERALL
        ],
        "candidates": [_candidate(made, found, figures) for made in found.outcomes],
        "warnings": []
        if found.run_id is None
        else [load_doubt.sentence for load_doubt in load_doubts(store.samples(found.run_id))],
    }


def _choice(choice: FlagChoice, found: SearchAnswer) -> dict[str, Any]:
    candidate = found.ready[choice.chosen].candidate
    return {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "is_usual": choice.is_usual,
        "over_usual": asdict(choice.over_usual) if choice.over_usual else None,
        "perhaps_as_good": [found.ready[name].candidate.name for name in choice.perhaps_as_good],
        "may_gain": choice.may_gain if math.isfinite(choice.may_gain) else None,
    }


def _field(field: Field, found: SearchAnswer) -> dict[str, Any]:
    names = [found.ready[name].candidate.name for name in field.perhaps_best]
    return {"best": names[0], "perhaps_best": names}


def _candidate(
    made: CandidateOutcome, found: SearchAnswer, figures: Mapping[tuple[str, int], Figure]
) -> dict[str, Any]:
    candidate = made.candidate
    values: dict[str, Any] = {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "implementation": None,
        "same_code_as": made.first.name if isinstance(made, SameCode) else None,
        "refused": f"{made.verdict}: {made.why}" if isinstance(made, RefusedCandidate) else None,
        "left_after_rounds": None,
        "seconds_per_message": [],
        "to_best": [],
    }
    if isinstance(made, ReadyCandidate):
        gaps = found.choice.to_best.get(made.name, {}) if found.choice else {}
        failed = [
            failure.reason for failure in found.failures if failure.implementation == made.name
        ]
        values |= {
            "implementation": made.name,
            "refused": failed[0] if failed else None,
            "left_after_rounds": found.fallen.get(made.name),
            "seconds_per_message": [
                {"size_bytes": size, **figure.model_dump(mode="json")}
                for (name, size), figure in figures.items()
                if name == made.name
            ],
            "to_best": [
                {"size_bytes": None if place == OVERALL else place, **asdict(gap)}
                for place, gap in gaps.items()
            ],
        }
    return values


_EXIT_FAILED: Final = 2


class _MakingProgress:
    """Shows on standard error how far the candidates are made, and which are not right."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar = bar

    def begin(self, number: int, total: int, candidate: CompilerCandidate) -> None:
        self._bar.move(number, total, f"{f'compiling, checking: {candidate.name}':<48.48}")

    def end(self, outcome: CandidateOutcome) -> None:
        if isinstance(outcome, RefusedCandidate):
            self._bar.report(f"{outcome.candidate.name} {outcome.verdict}", visible(outcome.why))


def carry_out(request: TuneRequest) -> None:
    """Searches, shows what was found, and keeps it if that was asked."""
    wanted = SearchRequest(
        request.code,
        request.asked,
        tuple(request.candidates),
        request.sizes_bytes,
        request.budget_s,
        request.cpu,
    )
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
                wanted,
                store,
                capture(),
                progress=_MakingProgress(bar),
                observer=observer,
                spread=_over(request.spread, bar) if request.spread.given else None,
            )
        except KeyboardInterrupt:
            kept = (
                f"every sample so far is in {store.keep()}, and the same command goes on"
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


def _keep(wanted: SearchRequest, chosen: CompilerCandidate, *, as_json: bool) -> bool:
    """Makes the plugin once more, checks it as `joulemark add` does, and keeps it."""
    asked = replace(wanted.request, flags=chosen.flag_set.flags)
    added = add_or_say(wanted.code, asked, chosen.compiler)
    if added is None:
        return False
    typer.echo(f"{added.name} is kept: {visible(str(added.entry))}", err=as_json)
    typer.echo(f"  checked: {added.report.text}", err=as_json)
    return True
