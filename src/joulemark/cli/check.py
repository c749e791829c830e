# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: did it become slower? The answer is the exit code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joulemark.cli import check_options as on_check
from joulemark.cli.baseline import Measured, measured_in, read_baseline
from joulemark.cli.check_answer import Forms, deliver
from joulemark.cli.check_builds import Question, check_builds
from joulemark.cli.check_instructions import check_instructions
from joulemark.cli.options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    JSON_OPTION,
    PATTERN_ARGUMENT,
    RUN_OPTION,
    STORE_OPTION,
)
from joulemark.cli.quantities import fraction
from joulemark.cli.stored import opened, run_in
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.analyse.gate import GateOutcome

__all__ = ["check", "register"]

_EXIT_CODES = """\b
Exit codes:
  0  no trial is slower by more than the threshold
  1  some trial is slower by more than the threshold, or an implementation failed
  2  the command makes no sense, or a file cannot be read
  3  nothing was measured in both runs
  4  the environments differ, so that times cannot be compared
  5  no slow-down beyond the threshold is shown, and none can be excluded
"""


def register(app: typer.Typer) -> None:
    """Adds `check`."""
    app.command(
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 2%",
            "joulemark check sha256 --old-rev main --build 'make mine.so' --artifact mine.so",
            "joulemark check 'hmac-*' --old ~/released/.venv --new .venv --budget 120",
            "joulemark check --old old.so --new new.so --markdown --junit check.xml",
            "joulemark check --old old.so --new new.so --target instructions",
            "joulemark check --baseline 3",
            "joulemark check --baseline main.json --threshold 10%",
        )
    )(check)


def check(
    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None,
    *,
    old: Annotated[Path | None, on_check.OLD_OPTION] = None,
    new: Annotated[Path | None, on_check.NEW_OPTION] = None,
    old_rev: Annotated[str | None, on_check.OLD_REV_OPTION] = None,
    new_rev: Annotated[str | None, on_check.NEW_REV_OPTION] = None,
    build: Annotated[str | None, on_check.BUILD_OPTION] = None,
    artifact: Annotated[str | None, on_check.ARTIFACT_OPTION] = None,
    size: Annotated[str | None, on_check.SIZE_OPTION] = None,
    budget: Annotated[str | None, on_check.BUDGET_OPTION] = None,
    baseline: Annotated[str | None, on_check.BASELINE_OPTION] = None,
    run: Annotated[int | None, RUN_OPTION] = None,
    target: Annotated[on_check.Target, on_check.TARGET_OPTION] = on_check.Target.HOST,
    threshold: Annotated[str | None, on_check.CHECK_THRESHOLD_OPTION] = None,
    alpha: Annotated[float, ALPHA_OPTION] = 0.05,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
    markdown: Annotated[bool, on_check.MARKDOWN_OPTION] = False,
    junit: Annotated[Path | None, on_check.JUNIT_OPTION] = None,
    bencher: Annotated[Path | None, on_check.BENCHER_OPTION] = None,
    action_json: Annotated[Path | None, on_check.ACTION_JSON_OPTION] = None,
) -> None:
    """Check new code against old code, for continuous integration.

    With --old and --new, or with --old-rev and --build, both are measured in turn in one run,
    which holds on shared machines too. It ends when the question is answered or the budget is
    spent. With --baseline two stored runs are compared; they must come from the same machine with
    the same settings.
    """
    forms = Forms(as_json, markdown, junit, bencher, action_json)
    exact = target is on_check.Target.INSTRUCTIONS
    smallest = fraction(threshold or ("0%" if exact else "5%"), "--threshold")
    builds = on_check.builds_asked(old, new, old_rev, new_rev, build, artifact)
    if builds is None:
        if baseline is None:
            raise UsageError(
                "name what to compare: --old and --new for two builds, --old-rev and --build for "
                "two revisions, or --baseline for a stored run"
            )
        for given, option in ((patterns, "PATTERN"), (size, "--size"), (budget, "--budget"),
                              (exact, "--target instructions")):  # fmt: skip
            if given:
                raise UsageError(f"{option} is for --old and --new; two stored runs are compared "
                                 "as they were measured")  # fmt: skip
        _check_runs(store, run, baseline, (smallest, alpha), forms)
        return
    for stored, option in ((baseline, "--baseline"), (run, "--run")):
        if stored is not None:
            raise UsageError(f"{option} is for stored runs; leave it out with --old and --new")
    question = Question(tuple(patterns or ()), size, smallest, alpha, on_check.budget_s(budget))
    if exact and budget is not None:
        raise UsageError("--budget: counts are exact and taken once; leave it out with "
                         "--target instructions")  # fmt: skip
    answer = check_instructions if exact else check_builds
    answer(builds, question, forms)


def _check_runs(
    store: str, run: int | None, baseline: str, limits: tuple[float, float], forms: Forms
) -> None:
    from joulemark.analyse.gate_report import time_report  # noqa: PLC0415 - scipy is slow to import

    with opened(store) as found:
        new = measured_in(found, run_in(found, run).id)
        old = read_baseline(found, baseline)
    if old.name == new.name:
        raise UsageError(f"{old.name} cannot be its own baseline; name an older run")
    outcome = _judged(old, new, *limits)
    report = time_report(
        outcome, old.samples, new.samples,
        title=f"{new.name} against {old.name}", failures=new.failures,
    )  # fmt: skip
    details: dict[str, Any] = {"baseline": old.name, "run": new.name, **asdict(outcome.runs)}
    details["environment_differences"] = {
        key: list(values) for key, values in outcome.environment_differences.items()
    }
    deliver(report, outcome.runs, details, forms)


def _judged(old: Measured, new: Measured, threshold: float, alpha: float) -> GateOutcome:
    from joulemark.analyse import gate  # noqa: PLC0415 - scipy is slow to import

    return gate.check(
        old.samples,
        new.samples,
        old.environment,
        new.environment,
        threshold=threshold,
        alpha=alpha,
        failed=new.failed,
    )
