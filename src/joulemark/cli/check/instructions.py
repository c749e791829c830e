# SPDX-License-Identifier: Apache-2.0
"""`joulemark check --target instructions`: counted, not timed."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from joulemark.analyse.gate_instructions import CountedTrial, instruction_report
from joulemark.analyse.gate_outcome import Vanished
from joulemark.analyse.gate_report import GateFailure, GateReport
from joulemark.cli.check.answer import Forms, deliver
from joulemark.cli.check.builds import (
    BuildPair,
    Question,
    built_pair,
    end_if_same,
    lacking_in,
    pairs_of,
)
from joulemark.cli.check.options import AskedFiles, AskedRevisions
from joulemark.errors import ImplementationError
from joulemark.measure.builds.instructions import CountRefusedError, find_counter
from joulemark.measure.builds.pairs import Builds, open_builds
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.build_names import plain_name

__all__ = ["check_instructions"]


def check_instructions(
    asked: AskedFiles | AskedRevisions, question: Question, forms: Forms
) -> NoReturn:
    """Counts both builds, answers, and ends the command.

    Raises:
        JoulemarkError: one cannot be built or opened, they have nothing in common, or nothing here
            counts instructions.
    """
    with built_pair(asked) as pair:
        end_if_same(pair, "instructions", forms)
        report = _count(open_builds(pair.old, pair.new, passing=pair.passing), pair, question)
    details = {
        "baseline": pair.old_name,
        "run": pair.new_name,
        "evidence": report.evidence,
        "counter": report.effort,
        "counts": [
            {
                "implementation": line.implementation,
                "message": line.workload,
                "old": line.old.value,
                "new": line.new.value,
                "verdict": line.verdict,
            }
            for line in report.lines
        ],
    }
    deliver(report, None, details, forms)


def _count(builds: Builds, pair: BuildPair, question: Question) -> GateReport:
    counter = find_counter()
    counted: list[CountedTrial] = []
    broken: dict[str, GateFailure] = {}
    uncounted: dict[str, GateFailure] = {}
    vanished = lacking_in(builds, question)
    pool = WorkerPool(builds.inventory, None)
    try:
        for trials in pairs_of(builds, question):
            counts: list[Fraction] = []
            for trial, file in zip(trials, (pair.old, pair.new), strict=True):
                name = trial.implementation
                if name in broken or name in uncounted:
                    continue
                plain = plain_name(name)
                try:
                    # Nothing wrong is counted.
                    pool.check(name)
                    counts.append(counter.per_message(file, plain, trial.workload.size_bytes))
                except CountRefusedError as error:
                    uncounted[name] = GateFailure(name, str(error))
                    if counts:  # The old build's was counted.
                        reason = f"has no count in the new build: {str(error).rstrip('.')}"
                        vanished.append(Vanished(plain, None, reason))
                except ImplementationError as error:
                    kept = broken if trial is trials[1] else uncounted
                    kept[name] = GateFailure(name, str(error))
            if len(counts) == len(trials):
                counted.append(CountedTrial(trials[1], *counts))
    finally:
        pool.close()
    return instruction_report(
        counted, counter=counter.name, evidence=counter.evidence,
        broken=tuple(broken.values()), uncounted=tuple(uncounted.values()), vanished=vanished,
        threshold=question.threshold, title=f"{pair.new_name} against {pair.old_name}",
    )  # fmt: skip
