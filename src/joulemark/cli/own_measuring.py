# SPDX-License-Identifier: Apache-2.0
"""The bodies of `joulemark add` and `joulemark tune`, which measure code of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import typer

from joulemark.cli import measuring
from joulemark.cli.add import FilesAdded, add_or_say
from joulemark.cli.add_tree import TreeAdded
from joulemark.cli.bench import MeasureRequest
from joulemark.cli.plugins import folder_of
from joulemark.cli.shared.command import SpreadOptions
from joulemark.cli.shared.progress import ProgressBar, RunProgress
from joulemark.cli.shared.terminal import print_json, print_text
from joulemark.cli.table import InterruptedRunError
from joulemark.cli.tune import TuneManyRequest, TuneRequest
from joulemark.cli.tune_answer import add_command, as_dict, many_as_dict, show, show_many
from joulemark.environment import capture
from joulemark.errors import UnavailableError
from joulemark.foreign import say, visible
from joulemark.measure.plan import Effort
from joulemark.measure.study import QUICK, Study
from joulemark.measure.worker.sources import workshop
from joulemark.own_code.candidates import CompilerCandidate, SearchRequest
from joulemark.own_code.making import (
    CandidateOutcome,
    CompiledCandidate,
    CompileOrder,
    RefusedCandidate,
    SpreadCompiling,
)
from joulemark.own_code.many.tuning import SearchAnswer, search, tune_many
from joulemark.store.local_first import store_to_measure
from joulemark.store.repository import Store

# What was added, timed beside ours.

_FILE_SIZES: Final = (64, 1024, 16384)
_TREE_SIZES: Final = (64, 1536, 4096)
"""Lengths that eBACS's tables have."""
_FEW: Final = 12
"""Most implementations that get the rounds of a quick run; a larger number gets half of them."""


def time_files(request: FilesAdded) -> None:
    """Times functions in files, and ends the command; nothing of it goes to the store."""
    asked = request.asked
    names = (*(addition.name for addition in request.added), f"{asked.algorithm.id}/auto")
    measuring.carry_out(
        MeasureRequest(
            study=Study(patterns=names, sizes_bytes=_FILE_SIZES, effort=QUICK),
            store_location=None,
            fresh=True,
            hang_limit_s=asked.limit_s,
            kept_in=asked.folder,
        )
    )
    request.end()


def time_tree(request: TreeAdded) -> None:
    """Times what is right, into the store, and ends the command; JSON names the run."""
    names = request.right
    ours = dict.fromkeys(f"{name.split('/')[0]}/auto" for name in names)
    effort = (
        QUICK
        if len(names) <= _FEW
        else Effort(
            rounds=QUICK.rounds // 2, window_ns=QUICK.window_ns, generations=QUICK.generations // 2
        )
    )
    timing = MeasureRequest(
        study=Study(patterns=(*names, *ours), sizes_bytes=_TREE_SIZES, effort=effort),
        store_location=request.ebacs.store,
        hang_limit_s=request.limit_s,
        kept_in=request.folder,
    )
    if request.ebacs.as_json:
        _, outcome, _ = measuring.measure(timing)
        request.end(outcome.run_id)
        return
    try:
        measuring.carry_out(timing)
    except typer.Exit:
        say("what failed while it was timed is named above; it stays until it is removed")
        raise
    request.end(None)


# A search for compiler and flags.

_EXIT_FAILED: Final = 2


def tune_code(request: TuneRequest) -> None:
    """Searches, shows what was found, and keeps it if that was asked."""
    wanted = request.search
    with store_to_measure(request.store_location) as store:
        found = _search(wanted, store, request)
        if request.as_json:
            print_json(as_dict(wanted, found, store))
        else:
            show(wanted, found, store, request.store_location)
    if found.choice is None:
        say(
            f"{wanted.budget_s:g} s are too short to time any candidate; give a longer --budget"
            if found.ready and not found.failures
            else "no candidate is right and could be timed at every length; the reasons are above"
        )
        raise typer.Exit(_EXIT_FAILED)
    chosen = found.ready[found.choice.chosen].candidate
    if not request.keep:
        if not request.as_json:
            typer.echo(f"next: {add_command(wanted, chosen)}")
    elif not _keep(wanted, chosen, as_json=request.as_json):
        raise typer.Exit(_EXIT_FAILED)


def _search(wanted: SearchRequest, store: Store, request: TuneRequest) -> SearchAnswer:
    timing = RunProgress()
    started = False

    with ProgressBar("compiling", "candidates") as bar:

        def begun(number: int, total: int, candidate: CompilerCandidate) -> None:
            bar.move(number, total, f"{f'compiling, checking: {candidate.name}':<48.48}")

        def ended(outcome: CandidateOutcome) -> None:
            if isinstance(outcome, RefusedCandidate):
                bar.report(f"{outcome.candidate.name} {outcome.verdict}", visible(outcome.why))

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
                begun=begun,
                ended=ended,
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


def tune_builds(request: TuneManyRequest) -> None:
    """Finds the fastest build of each implementation, and shows one table of them."""
    wanted, started = request.search, False
    timing = RunProgress()
    say(
        f"builds of each implementation, as far as time allows: {len(wanted.candidates)}; building "
        f"and measuring take about {wanted.budget_s:g} s at most (--budget)"
    )
    with (
        store_to_measure(request.store_location) as store,
        workshop(folder_of(request.folder)) as folder,
        ProgressBar("compiling", "builds") as bar,
    ):

        def observer() -> RunProgress:
            nonlocal started
            started = True
            bar.__exit__(None, None, None)
            return timing.__enter__()

        try:
            found = tune_many(
                wanted,
                folder,
                store,
                capture(),
                begun=lambda number, total, text: bar.move(number, total, f"{text:<48.48}"),
                observer=observer,
            )
        except KeyboardInterrupt:
            raise InterruptedRunError(f"stopped; samples are in {store.keep()}") from None
        finally:
            if started:
                timing.__exit__(None, None, None)
    if request.as_json:
        print_json(many_as_dict(wanted, found))
    else:
        show_many(found, request.store_location)
    if wanted.energy is not None and found.no_energy is not None:
        raise UnavailableError(f"{found.no_energy} (the times above stand)")
    if not found.rows:
        say("no implementation has a figure of its default build; the reasons are above")
        raise typer.Exit(_EXIT_FAILED)


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
    print_text(f"{added.name} is kept: {visible(str(added.entry))}", err=as_json)
    print_text(f"  checked: {added.report.text}", err=as_json)
    return True
