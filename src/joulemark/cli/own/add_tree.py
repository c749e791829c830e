# SPDX-License-Identifier: Apache-2.0
"""`joulemark add DIR`: implementations in the layout of eBACS, one folder of them or many."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from joulemark.cli.own.add_options import AfterOptions, BuildOptions, FunctionOptions
from joulemark.cli.own.add_tree_options import EbacsOptions
from joulemark.cli.own.add_tree_shown import as_json, show
from joulemark.cli.own.options import folder_of, names_of_others
from joulemark.cli.refusals import InterruptedRunError, say
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import print_json
from joulemark.errors import UsageError
from joulemark.own_code.compilers import Compiler, find_compiler
from joulemark.own_code.ebacs.functions import name_of
from joulemark.own_code.ebacs.journal import Journal
from joulemark.own_code.ebacs.layout import find_tree
from joulemark.own_code.ebacs.outcomes import Job, Outcome, Verdict
from joulemark.own_code.ebacs.planning import TreeRequest, Work, plan_work
from joulemark.own_code.ebacs.running import run_jobs
from joulemark.processes.limits import Limits

__all__ = ["add_tree"]

_EXIT_FAILED: Final = 2
_BOTH: Final = ("gcc", "clang")
"""Whose builds are tried where nobody names a compiler, as far as they are here."""
_CPU_S: Final = 0.3
"""Of each check, beyond what is always done: a tree has hundreds of implementations."""
_BENCH_SIZES: Final = (64, 1536, 4096)
"""Lengths that eBACS's tables have."""
_FEW: Final = 12
"""So many implementations get the rounds of a quick run; more get half of them."""


def add_tree(
    own: FunctionOptions, build: BuildOptions, after: AfterOptions, ebacs: EbacsOptions
) -> None:
    """Compiles, checks and keeps what is right; says of everything else why not.

    Raises:
        UsageError: the request makes no sense.
        InterruptedRunError: Ctrl-C.
        typer.Exit: not everything was right.
    """
    given = Path(_only(own, build, ebacs))
    algorithm = None if own.algorithm is None else own.facts()
    function = ebacs.function() if algorithm is None else name_of(algorithm)
    tree = find_tree(given, function)
    flags = None if build.flags is None else build.words()
    folder = folder_of(after.folder)
    wanted = TreeRequest(
        compilers=_compilers(build.compiler), flag_sets=ebacs.sets(flags), algorithm=algorithm,
        variant=own.name, limit_s=after.limit_s(), cpu_s=_CPU_S, folder=folder.absolute(),
        replacing=after.replace_, again=ebacs.again, taken=names_of_others(folder),
    )  # fmt: skip
    outcomes = _done(plan_work(tree, wanted), wanted.folder)
    run = None
    if ebacs.as_json:
        if after.bench is not False:
            run = _measured(outcomes, after, ebacs, folder)
        print_json(as_json(tree, folder, outcomes, run))
    else:
        show(tree, folder, outcomes)
        if after.bench is not False:
            _measured(outcomes, after, ebacs, folder, shown=True)
    if any(outcome.verdict is not Verdict.RIGHT for outcome in outcomes):
        raise typer.Exit(_EXIT_FAILED)


def _only(own: FunctionOptions, build: BuildOptions, ebacs: EbacsOptions) -> str:
    """The folder.

    Raises:
        UsageError: there is more than one, or an option that is for a function in files.
    """
    if len(own.files) > 1:
        raise UsageError("name one folder, or files of one function; a tree has many in one folder")
    for name, value in (("--signature", own.signature), ("--include", build.include)):
        if value:
            raise UsageError(
                f"{name} is for a function in files; code in a folder is called, and finds its "
                "headers, as in SUPERCOP"
            )
    if own.algorithm is not None and ebacs.primitive is not None:
        raise UsageError("--algorithm and --primitive say the same thing; give one of them")
    return own.files[0]


def _compilers(asked: Sequence[str] | None) -> list[Compiler]:
    names: list[str | None] = [*dict.fromkeys(asked or ())]
    names = names or [compiler for compiler in _BOTH if shutil.which(compiler)] or [None]
    return [find_compiler(name, Limits()) for name in names]


def _done(work: Work, folder: Path) -> list[Outcome]:
    """Everything that came of a tree, in the order of its names."""
    outcomes, journal = [*work.known], Journal(folder)
    total = len(work.jobs)

    with ProgressBar(Console(stderr=True), "compiling and checking", "builds") as progress:

        def told(job: Job, outcome: Outcome) -> None:
            journal.keep(job.key, outcome)
            outcomes.append(outcome)
            progress.move(len(outcomes) - len(work.known), total, job.place.text[-42:])

        progress.move(0, max(total, 1))
        try:
            run_jobs(work.jobs, folder, told, len(os.sched_getaffinity(0)))
        except KeyboardInterrupt:
            done = len(outcomes) - len(work.known)
            raise InterruptedRunError(
                f"stopped; what came of {done} of {total} builds is kept, and the same command "
                "goes on from there"
            ) from None
    return sorted(outcomes, key=lambda outcome: (outcome.implementation, outcome.name or ""))


def _measured(
    outcomes: Sequence[Outcome], after: AfterOptions, ebacs: EbacsOptions, folder: Path,
    *, shown: bool = False,
) -> int | None:  # fmt: skip
    """Times what is right beside ours, into the store; the number of the run, if there was one."""
    names = [plugin.name for plugin in outcomes if plugin.verdict is Verdict.RIGHT and plugin.name]
    if not names:
        return None
    from joulemark.cli.run.measuring import (  # noqa: PLC0415 - takes a second
        measure_and_show,
        measured,
    )
    from joulemark.cli.run.output_options import OutputOptions  # noqa: PLC0415 - as above
    from joulemark.measure.study import QUICK, Effort, Study  # noqa: PLC0415 - as above

    ours = dict.fromkeys(f"{name.split('/')[0]}/auto" for name in names)
    effort = QUICK if len(names) <= _FEW else Effort(
        rounds=QUICK.rounds // 2, window_ns=QUICK.window_ns, generations=QUICK.generations // 2
    )  # fmt: skip
    study = Study(patterns=(*names, *ours), sizes_bytes=_BENCH_SIZES, effort=effort)
    if shown:
        try:
            measure_and_show(
                study, OutputOptions(), store_location=ebacs.store, plugins=(), fresh=False,
                hang_limit_s=after.limit_s(), cpu=None, kept_in=folder,
            )  # fmt: skip
        except typer.Exit:
            say("what failed while it was timed is named above; it stays until it is removed")
            raise
        return None
    _, outcome = measured(
        study, ebacs.store, (), fresh=False, raw=False, hang_limit_s=after.limit_s(), cpu=None,
        kept_in=folder,
    )  # fmt: skip
    return outcome.run_id
