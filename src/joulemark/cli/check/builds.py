# SPDX-License-Identifier: Apache-2.0
"""`joulemark check` of two builds: both in turn in one run, until the question is answered."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from joulemark.analyse.gate import check_pairs, pairs_decided
from joulemark.analyse.gate_outcome import GateCode, GateOutcome, Vanished
from joulemark.analyse.gate_report import GateFailure, GateReport, time_report
from joulemark.cli.check.answer import Forms, deliver
from joulemark.cli.check.options import AskedFiles, AskedRevisions
from joulemark.cli.shared.progress import RunProgress
from joulemark.environment import capture
from joulemark.measure.builds.file import build_file
from joulemark.measure.builds.pairs import Builds, open_builds
from joulemark.measure.builds.revisions import WORKING_TREE, Recipe, built_revisions
from joulemark.measure.builds.run import LOOKS, PairedRun, run_builds
from joulemark.measure.study import Study
from joulemark.measure.workers.user_plugins import file_sha256
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.units import parse_sizes

__all__ = [
    "BuildPair",
    "Question",
    "built_pair",
    "check_builds",
    "end_if_same",
    "lacking_in",
    "pairs_of",
]

_DEFAULT_SIZES_BYTES = (64, 1024, 16384)


@dataclass(frozen=True, slots=True)
class Question:
    """The trials of the two builds, and when their difference counts."""

    patterns: tuple[str, ...]
    sizes: str | None
    threshold: float
    alpha: float
    budget_s: float


@dataclass(frozen=True, slots=True)
class BuildPair:
    """Two files to measure, and what sentences call them."""

    old: Path
    new: Path
    old_name: str
    new_name: str
    passing: bool = False
    """Whether the files are deleted after the check."""


def check_builds(asked: AskedFiles | AskedRevisions, question: Question, forms: Forms) -> NoReturn:
    """Measures both builds, answers, and ends the command.

    Raises:
        JoulemarkError: one cannot be built or opened, or they have nothing in common.
    """
    with built_pair(asked) as pair:
        end_if_same(pair, "ns", forms)
        builds = open_builds(pair.old, pair.new, passing=pair.passing)
        outcome, run = _measure(builds, question)
    _answer(outcome, run, builds, pair, forms)


def end_if_same(pair: BuildPair, unit: str, forms: Forms) -> None:
    """Ends the command if both builds are one file: equal figures would be no answer."""
    digests = {file_sha256(file) for file in (pair.old, pair.new)}
    if len(digests) > 1:
        return
    reason = (
        f"Old and new are the same file (SHA-256 {digests.pop()[:16]}...), so there is nothing to "
        "compare: the build did not take in what changed, or no code of it changed."
    )
    report = GateReport(
        f"{pair.new_name} against {pair.old_name}", GateCode.SAME_FILE, (reason,), (), (), unit,
        "none",
    )  # fmt: skip
    deliver(report, None, {"baseline": pair.old_name, "run": pair.new_name}, forms)


def pairs_of(builds: Builds, question: Question) -> list[tuple[Trial, Trial]]:
    """The pairs of trials, old and new, that the question is about."""
    sizes = _DEFAULT_SIZES_BYTES if question.sizes is None else tuple(parse_sizes(question.sizes))
    return builds.pairs(Study(question.patterns, sizes))


def lacking_in(builds: Builds, question: Question) -> list[Vanished]:
    """Implementations in question that run here in the old build alone."""
    return [
        Vanished(name, None)
        if reason is None
        else Vanished(name, None, f"of the new build cannot run here: {reason.rstrip('.')}")
        for name, reason in builds.lacking(question.patterns).items()
    ]


def _measure(builds: Builds, question: Question) -> tuple[GateOutcome, PairedRun]:
    pairs = pairs_of(builds, question)

    def judge(
        samples: Mapping[Trial, Sequence[RawSample]], failed: set[str],
        lacking: Sequence[Vanished] = (),
    ) -> GateOutcome:  # fmt: skip
        return check_pairs(
            samples, pairs, threshold=question.threshold, alpha=question.alpha, looks=LOOKS,
            failed=failed, lacking=lacking,
        )  # fmt: skip

    judge({trial: () for pair in pairs for trial in pair}, set())  # refuses alpha before measuring
    with RunProgress(Console(stderr=True)) as progress:
        run = run_builds(
            builds, pairs, capture(), budget_s=question.budget_s, observer=progress,
            decided=lambda samples: pairs_decided(judge(samples, set())),
        )  # fmt: skip
    return judge(run.samples, run.broken(), lacking_in(builds, question)), run


def _answer(
    outcome: GateOutcome, run: PairedRun, builds: Builds, pair: BuildPair, forms: Forms
) -> NoReturn:
    failures = [
        GateFailure(failure.implementation, f"{failure.kind.value}: {failure.reason}")
        for failure in run.failures
    ]
    report = time_report(
        outcome, run.samples, run.samples,
        title=f"{pair.new_name} against {pair.old_name}", failures=failures,
        effort=f"{run.generations} generations of processes in {run.wall_s:.0f} s",
    )  # fmt: skip
    details = {
        "baseline": pair.old_name,
        "run": pair.new_name,
        "generations": run.generations,
        "looks": run.looks,
        "wall_s": run.wall_s,
        "only_in_old": list(builds.only["old"]),
        "only_in_new": list(builds.only["new"]),
        "environment_differences": {},
        **asdict(outcome.runs),
    }
    deliver(report, outcome.runs, details, forms)


@contextmanager
def built_pair(asked: AskedFiles | AskedRevisions) -> Iterator[BuildPair]:
    """Builds the two files if they must be built, and deletes them afterwards."""
    with tempfile.TemporaryDirectory(prefix="joulemark-builds-") as scratch:
        folder = Path(scratch)
        if isinstance(asked, AskedFiles):
            old = build_file(str(asked.old), "--old", folder)
            new = build_file(str(asked.new), "--new", folder)
            yield BuildPair(old, new, str(asked.old), str(asked.new))
            return
        recipe = Recipe(asked.old, asked.new, asked.build, asked.artifact)
        with built_revisions(Path.cwd(), recipe, Path(tempfile.gettempdir())) as (old, new):
            yield BuildPair(old, new, asked.old, asked.new or WORKING_TREE, passing=True)
