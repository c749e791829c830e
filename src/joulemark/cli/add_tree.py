# SPDX-License-Identifier: Apache-2.0
"""`joulemark add DIR`: implementations in the layout of eBACS, one folder of them or many."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.cli.own_options import AfterOptions, BuildOptions, FunctionOptions
from joulemark.cli.plugins import folder_of, names_of_others
from joulemark.cli.shared.measuring_options import (
    DEFAULT_STORE,
    JSON_OPTION,
    STORE_OPTION,
    checked_hang_limit,
)
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text
from joulemark.cli.table import InterruptedRunError
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened, visible
from joulemark.own_code.building import Compiler, find_compiler
from joulemark.own_code.candidates import FLAG_SETS, USUAL, FlagSet
from joulemark.own_code.ebacs import ImplementationTree, find_tree, name_of, named
from joulemark.own_code.ebacs.builds import BuildWork, TreeRequest, plan_work, run_jobs
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict, OutcomeJournal
from joulemark.processes.tool import Limits

# The options: what the code computes, how it is built, and the store.

_ALL = "all"


@dataclass(frozen=True, slots=True)
class EbacsOptions:
    """Options for a folder alone."""

    primitive: Annotated[
        str | None,
        typer.Option(
            metavar="OPERATION/NAME",
            help="What eBACS calls the function, such as crypto_hash/sha256; for a folder whose "
            "path does not say it.",
        ),
    ] = None
    flag_set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="For a folder: a set of flags, one of "
            f"{', '.join(flags.name for flags in FLAG_SETS)}; several, or {_ALL}.",
        ),
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="For a folder: try again what was tried before, too.")
    ] = False
    as_json: Annotated[bool, JSON_OPTION] = False
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE

    def given(self) -> str | None:
        """The first option given that files do not have; None if there is none."""
        found = {
            "--primitive": self.primitive,
            "--flag-set": self.flag_set,
            "--again": self.again,
            "--json": self.as_json,
        }
        return next((name for name, value in found.items() if value), None)

    def function(self) -> str | None:
        """The function that `--primitive` names, checked for its form."""
        return None if self.primitive is None else named(self.primitive)

    def sets(self, flags: tuple[str, ...] | None) -> tuple[FlagSet, ...]:
        """The sets of flags that are tried; `flags` are those of `--flags`, if it was given."""
        if flags is not None:
            if self.flag_set:
                raise UsageError("--flags and --flag-set exclude each other")
            return (FlagSet("given", flags, "asked for"),)
        known = {flag_set.name: flag_set for flag_set in FLAG_SETS}
        asked = dict.fromkeys(self.flag_set or (USUAL.name,))
        if _ALL in asked:
            return FLAG_SETS
        for name in asked:
            if name not in known:
                raise UsageError(
                    f"--flag-set {shortened(name)}: there is no such set"
                    f"{did_you_mean(name, known)} ({', '.join(known)}, {_ALL})"
                )
        return tuple(known[name] for name in asked)


# What `joulemark add DIR` prints: what is kept, a line for everything that is not, and counts.

TREE_VERSION = 1
"""Version of the JSON that `--json` prints."""


def as_json(
    tree: ImplementationTree, folder: Path, outcomes: Sequence[BuildOutcome], run: int | None
) -> Mapping[str, JsonValue]:
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
    for (implementation, verdict, reason), found in groupby(
        others, lambda outcome: (outcome.implementation, outcome.verdict.value, outcome.reason)
    ):
        builds = ", ".join(f"{made.compiler} {made.flag_set}" for made in found if made.compiler)
        print_text(
            visible(
                f"  {implementation}{f' ({builds})' if builds else ''}: "
                f"{verdict}{f': {reason}' if reason else ''}"
            )
        )
    if tree.passed_over:
        print_text(visible(f"neither hash nor MAC, not looked at: {', '.join(tree.passed_over)}"))
    implementations = len({outcome.implementation for outcome in outcomes})
    heading(f"{len(outcomes)} builds of {implementations} implementations")
    columns([(verdict.value, str(number)) for verdict, number in _counts(outcomes)], right=(1,))


def _counts(outcomes: Sequence[BuildOutcome]) -> list[tuple[BuildVerdict, int]]:
    """How often there is each verdict, those that do not occur left out."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    return [(verdict, counts[verdict]) for verdict in BuildVerdict if counts[verdict]]


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
        """Prints JSON if asked, with the number of the run that timed, and ends the command."""
        if self.ebacs.as_json:
            print_json(as_json(self.tree, self.folder, self.outcomes, run))
        if any(outcome.verdict is not BuildVerdict.RIGHT for outcome in self.outcomes):
            raise typer.Exit(_EXIT_FAILED)


def add_tree(
    own: FunctionOptions, build: BuildOptions, after: AfterOptions, ebacs: EbacsOptions
) -> TreeAdded | None:
    """Compiles, checks, keeps what is right, says why not of all else; returns what to time."""
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
        limit_s=checked_hang_limit(after.hang_limit),
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

    with ProgressBar("compiling and checking", "builds") as progress:

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
