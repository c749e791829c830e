# SPDX-License-Identifier: Apache-2.0
"""`joulemark add DIR`: implementations in the layout of eBACS, one folder of them or many."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.own.add_tree_options import EbacsOptions
from joulemark.cli.own.own_options import (
    AfterOptions,
    BuildOptions,
    FunctionOptions,
    folder_of,
    names_of_others,
)
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import columns, heading, print_json
from joulemark.errors import UsageError
from joulemark.foreign.text import visible
from joulemark.own_code.building import Compiler, find_compiler
from joulemark.own_code.ebacs.layout import ImplementationTree, find_tree, name_of
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict
from joulemark.own_code.ebacs.planning import BuildWork, OutcomeJournal, TreeRequest, plan_work
from joulemark.own_code.ebacs.running import run_jobs
from joulemark.processes.tool import Limits

# What `joulemark add DIR` prints: what is kept, a line for everything that is not, and counts.

TREE_VERSION = 1
"""Version of the JSON that `--json` prints."""


def as_json(
    tree: ImplementationTree, folder: Path, outcomes: Sequence[BuildOutcome], run: int | None
) -> dict[str, Any]:
    """The whole answer; an outcome says whether it was known from before."""
    return {
        "schema_version": TREE_VERSION,
        "tree": str(tree.root),
        "folder": str(folder),
        "run": run,
        "passed_over": list(tree.passed_over),
        "counts": {verdict.value: number for verdict, number in _counts(outcomes)},
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def show(tree: ImplementationTree, folder: Path, outcomes: Sequence[BuildOutcome]) -> None:
    """Prints the answer for people."""
    right = [outcome for outcome in outcomes if outcome.verdict is BuildVerdict.RIGHT]
    if right:
        heading(visible(f"kept in {folder}"))
        columns([_row(outcome) for outcome in right], prose=(4,))
    others = [outcome for outcome in outcomes if outcome.verdict is not BuildVerdict.RIGHT]
    if others:
        heading("not kept")
    for (implementation, verdict, reason), found in groupby(others, _shared_facts):
        builds = ", ".join(filter(None, (_build(outcome) for outcome in found)))
        typer.echo(
            visible(
                f"  {implementation}{f' ({builds})' if builds else ''}: "
                f"{verdict}{f': {reason}' if reason else ''}"
            )
        )
    if tree.passed_over:
        typer.echo(visible(f"neither hash nor MAC, not looked at: {', '.join(tree.passed_over)}"))
    implementations = len({outcome.implementation for outcome in outcomes})
    heading(f"{len(outcomes)} builds of {implementations} implementations")
    columns([(verdict.value, str(number)) for verdict, number in _counts(outcomes)], right=(1,))


def _counts(outcomes: Sequence[BuildOutcome]) -> list[tuple[BuildVerdict, int]]:
    """How often there is each verdict, those that do not occur left out."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    return [(verdict, counts[verdict]) for verdict in BuildVerdict if counts[verdict]]


def _shared_facts(outcome: BuildOutcome) -> tuple[str, str, str]:
    """The facts by which several builds share a line."""
    return outcome.implementation, outcome.verdict.value, outcome.reason


def _build(outcome: BuildOutcome) -> str:
    return "" if outcome.compiler is None else f"{outcome.compiler} {outcome.flag_set}"


def _row(outcome: BuildOutcome) -> tuple[str, str, str, str, str]:
    notes = (
        "as before" if outcome.before else "",
        "reads past the end of its message" if outcome.reads_on else "",
    )
    return (
        visible(outcome.name or ""),
        visible(outcome.implementation),
        outcome.compiler or "",
        outcome.flag_set or "",
        ", ".join(filter(None, notes)),
    )


_EXIT_FAILED: Final = 2
_BOTH: Final = ("gcc", "clang")
"""Compilers that are tried where none is named, as far as they are here."""
_CPU_S: Final = 0.3
"""CPU time of each check, beyond the cases that are always run. A tree has hundreds of
implementations, so the time is short."""


@dataclass(frozen=True, slots=True)
class TreeAdded:
    """Implementations of a folder that were added. `timing` times them unless told not to."""

    tree: ImplementationTree
    folder: Path
    outcomes: Sequence[BuildOutcome]
    ebacs: EbacsOptions
    limit_s: float
    """Seconds without an answer after which code counts as hung."""

    @property
    def right(self) -> list[str]:
        """Names of the implementations that are right."""
        return [
            outcome.name
            for outcome in self.outcomes
            if outcome.verdict is BuildVerdict.RIGHT and outcome.name
        ]

    def end(self, run: int | None) -> None:
        """Prints JSON if that was asked, and ends the command.

        Args:
            run: number of the run in which what is right was timed, if there was one.
        """
        if self.ebacs.as_json:
            print_json(as_json(self.tree, self.folder, self.outcomes, run))
        if any(outcome.verdict is not BuildVerdict.RIGHT for outcome in self.outcomes):
            raise typer.Exit(_EXIT_FAILED)


def add_tree(
    own: FunctionOptions, build: BuildOptions, after: AfterOptions, ebacs: EbacsOptions
) -> TreeAdded | None:
    """Compiles, checks and keeps what is right; says of everything else why not.

    Returns:
        What is to be timed.
    """
    given = Path(_folder_named(own, build, ebacs))
    algorithm = None if own.algorithm is None else own.facts()
    function = ebacs.function() if algorithm is None else name_of(algorithm)
    tree = find_tree(given, function)
    flags = None if build.flags is None else build.words()
    folder = folder_of(after.folder)
    wanted = TreeRequest(
        compilers=_compilers(build.compiler),
        flag_sets=ebacs.sets(flags),
        algorithm=algorithm,
        variant=own.name,
        limit_s=after.limit_s(),
        cpu_s=_CPU_S,
        folder=folder.absolute(),
        replacing=after.replace_,
        again=ebacs.again,
        taken=names_of_others(folder),
    )
    outcomes = _run_jobs(plan_work(tree, wanted), wanted.folder)
    added = TreeAdded(tree, folder, outcomes, ebacs, wanted.limit_s)
    if not ebacs.as_json:
        show(tree, folder, outcomes)
    if added.right and after.bench is not False:
        return added
    added.end(None)
    return None


def _folder_named(own: FunctionOptions, build: BuildOptions, ebacs: EbacsOptions) -> str:
    """The folder that is added."""
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


def _run_jobs(work: BuildWork, folder: Path) -> list[BuildOutcome]:
    """Compiles and checks a tree; returns the outcomes of all builds, sorted by name."""
    outcomes, journal = [*work.known], OutcomeJournal(folder)
    total = len(work.jobs)

    with ProgressBar(Console(stderr=True), "compiling and checking", "builds") as progress:

        def keep(job: BuildJob, outcome: BuildOutcome) -> None:
            journal.keep(job.key, outcome)
            outcomes.append(outcome)
            progress.move(len(outcomes) - len(work.known), total, job.place.text[-42:])

        progress.move(0, max(total, 1))
        try:
            run_jobs(work.jobs, folder, keep, len(os.sched_getaffinity(0)))
        except KeyboardInterrupt:
            done = len(outcomes) - len(work.known)
            raise InterruptedRunError(
                f"stopped; what came of {done} of {total} builds is kept, and the same command "
                "goes on from there"
            ) from None
    return sorted(outcomes, key=lambda outcome: (outcome.implementation, outcome.name or ""))
