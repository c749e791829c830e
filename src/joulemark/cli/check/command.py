# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: did it become slower? The answer is the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final, NoReturn

from joulemark.analyse import gate
from joulemark.analyse.compare import Samples
from joulemark.analyse.gate_report import time_report
from joulemark.analyse.runs.baseline import RunSamples, measured_in, read_baseline
from joulemark.cli.check.answer import Forms, deliver, report_refusals
from joulemark.cli.check.builds import Question, check_builds
from joulemark.cli.check.instructions import check_instructions
from joulemark.cli.check.options import BuildOptions, QuestionOptions, StoredOptions, budget_s
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.stored import opened, run_in
from joulemark.errors import UsageError
from joulemark.measure.builds.pairs import named_by
from joulemark.records.trial import Trial
from joulemark.units import parse_sizes

__all__ = ["COMMAND"]

_MOST_NAMES: Final = 10
_EXIT_CODES = """\b
Exit codes:
  0  no trial is slower by more than the threshold
  1  some trial is slower by more than the threshold, failed, or has no figure in the new code
  2  the command makes no sense, or a file cannot be read
  3  nothing was measured in both runs
  4  the environments differ, so that times cannot be compared
  5  no slow-down beyond the threshold is shown, and none can be excluded: too noisy, or just at
     the threshold
  6  old and new are the same file
"""


def check(
    *, question: QuestionOptions, builds: BuildOptions, stored: StoredOptions, forms: Forms
) -> None:
    """Check new code against old code, for continuous integration.

    With --old and --new, or with --old-rev and --build, both are measured in turn in one run,
    which holds on shared machines too. It ends when the question is answered or the budget is
    spent. With --baseline two stored runs are compared; they must come from the same machine with
    the same settings. All that the old code has must be measured in the new code too; PATTERN and
    --size limit the question.
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
        (question.budget, "--budget"), (question.exact, "--target instructions"),
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
    if old.samples and old.samples == new.samples:
        raise UsageError(
            f"{old.name} holds the samples of {new.name}, and no run can be its own baseline; name "
            "an older run"
        )
    before, after = _asked_of(old, question), _asked_of(new, question)
    if old.samples and not before:
        raise UsageError(_nothing_asked(old, question))
    outcome = gate.check(
        before, after, old.environment, new.environment, threshold=threshold,
        alpha=question.alpha, failed=new.failed, absent=new.absent,
        counted=(_named(old.counted, question), new.counted),
    )  # fmt: skip
    report = time_report(
        outcome, before, after,
        title=f"{new.name} against {old.name}", failures=new.failures,
    )  # fmt: skip
    details: dict[str, Any] = {"baseline": old.name, "run": new.name, **asdict(outcome.runs)}
    details["environment_differences"] = {
        key: list(values) for key, values in outcome.environment_differences.items()
    }
    deliver(report, outcome.runs, details, forms)


def _asked_of(run: RunSamples, question: QuestionOptions) -> Samples:
    """The samples of the trials that patterns and lengths name; all without these."""
    named = _named(run.samples, question)
    return {trial: samples for trial, samples in run.samples.items() if trial in named}


def _named(trials: Iterable[Trial], question: QuestionOptions) -> set[Trial]:
    """The trials that patterns and lengths name; all without these."""
    every = set(trials)
    names = {trial.implementation for trial in every}
    named = set(named_by(question.patterns or (), names))
    sizes = None if question.size is None else set(parse_sizes(question.size))
    return {
        trial
        for trial in every
        if trial.implementation in named and (sizes is None or trial.workload.size_bytes in sizes)
    }


def _nothing_asked(baseline: RunSamples, question: QuestionOptions) -> str:
    """That the baseline has nothing of what the question names, and what it has."""
    names = sorted({trial.implementation for trial in baseline.samples})
    more = " ..." if len(names) > _MOST_NAMES else ""
    asked = " ".join(question.patterns or ["any implementation"])
    where = "" if question.size is None else f" at {question.size}"
    return (
        f"{baseline.name} has no trial of {asked}{where}; it has "
        f"{', '.join(names[:_MOST_NAMES])}{more}"
    )


COMMAND: Final = Command(
    check,
    (
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 2%",
        "joulemark check sha256 --old-rev main --build 'make mine.so' --artifact mine.so",
        "joulemark check 'hmac-*' --old ~/released/.venv --new .venv --budget 120",
        "joulemark check --old old.so --new new.so --markdown --junit check.xml",
        "joulemark check --old old.so --new new.so --target instructions",
        "joulemark check --baseline 3",
        "joulemark check siphash-2-4 --baseline main.json --threshold 10%",
    ),
    notes=(_EXIT_CODES,),
)
