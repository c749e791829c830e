# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: did it become slower? The answer is the exit code."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final, NoReturn

from joulemark.analyse import gate
from joulemark.analyse.gate_report import time_report
from joulemark.analyse.runs.baseline import measured_in, read_baseline
from joulemark.cli.check.answer import Forms, deliver, report_refusals
from joulemark.cli.check.builds import Question, check_builds
from joulemark.cli.check.instructions import check_instructions
from joulemark.cli.check.options import BuildOptions, QuestionOptions, StoredOptions, budget_s
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.stored import opened, run_in
from joulemark.errors import UsageError

__all__ = ["COMMAND"]

_EXIT_CODES = """\b
Exit codes:
  0  no trial is slower by more than the threshold
  1  some trial is slower by more than the threshold, or an implementation failed
  2  the command makes no sense, or a file cannot be read
  3  nothing was measured in both runs
  4  the environments differ, so that times cannot be compared
  5  no slow-down beyond the threshold is shown, and none can be excluded
"""


def check(
    *, question: QuestionOptions, builds: BuildOptions, stored: StoredOptions, forms: Forms
) -> None:
    """Check new code against old code, for continuous integration.

    With --old and --new, or with --old-rev and --build, both are measured in turn in one run,
    which holds on shared machines too. It ends when the question is answered or the budget is
    spent. With --baseline two stored runs are compared; they must come from the same machine with
    the same settings.
    """
    with report_refusals(forms):
        _check(question, builds, stored, forms)


def _check(
    question: QuestionOptions, builds: BuildOptions, stored: StoredOptions, forms: Forms
) -> NoReturn:
    smallest = question.smallest()
    asked = builds.asked()
    if asked is None:
        _check_runs(stored, question, smallest, forms)
    for value, option in ((stored.baseline, "--baseline"), (stored.run, "--run")):
        if value is not None:
            raise UsageError(f"{option} is for stored runs; leave it out with --old and --new")
    about = Question(
        tuple(question.patterns or ()),
        question.size,
        smallest,
        question.alpha,
        budget_s(question.budget),
    )
    if question.exact and question.budget is not None:
        raise UsageError(
            "--budget: counts are exact and taken once; leave it out with --target instructions"
        )
    answer = check_instructions if question.exact else check_builds
    answer(asked, about, forms)


def _check_runs(
    stored: StoredOptions, question: QuestionOptions, threshold: float, forms: Forms
) -> NoReturn:
    baseline = stored.baseline
    if baseline is None:
        raise UsageError(
            "name what to compare: --old and --new for two builds, --old-rev and --build for "
            "two revisions, or --baseline for a stored run"
        )
    for given, option in (
        (question.patterns, "PATTERN"), (question.size, "--size"), (question.budget, "--budget"),
        (question.exact, "--target instructions"),
    ):  # fmt: skip
        if given:
            raise UsageError(
                f"{option} is for --old and --new; two stored runs are compared as they were "
                "measured"
            )
    with opened(stored.store) as found:
        new = measured_in(found, run_in(found, stored.run).id)
        old = read_baseline(found, baseline)
    if old.name == new.name:
        raise UsageError(f"{old.name} cannot be its own baseline; name an older run")
    outcome = gate.check(
        old.samples, new.samples, old.environment, new.environment, threshold=threshold,
        alpha=question.alpha, failed=new.failed,
    )  # fmt: skip
    report = time_report(
        outcome, old.samples, new.samples,
        title=f"{new.name} against {old.name}", failures=new.failures,
    )  # fmt: skip
    details: dict[str, Any] = {"baseline": old.name, "run": new.name, **asdict(outcome.runs)}
    details["environment_differences"] = {
        key: list(values) for key, values in outcome.environment_differences.items()
    }
    deliver(report, outcome.runs, details, forms)


COMMAND: Final = Command(
    check,
    (
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 2%",
        "joulemark check sha256 --old-rev main --build 'make mine.so' --artifact mine.so",
        "joulemark check 'hmac-*' --old ~/released/.venv --new .venv --budget 120",
        "joulemark check --old old.so --new new.so --markdown --junit check.xml",
        "joulemark check --old old.so --new new.so --target instructions",
        "joulemark check --baseline 3",
        "joulemark check --baseline main.json --threshold 10%",
    ),
    notes=(_EXIT_CODES,),
)
