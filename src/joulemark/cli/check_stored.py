# SPDX-License-Identifier: Apache-2.0
"""`joulemark check --baseline`: a stored run against another one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Final, NoReturn

from joulemark.analyse import gate
from joulemark.analyse.baseline import RunSamples, measured_in, read_baseline
from joulemark.analyse.compare import Samples
from joulemark.analyse.gate_report import time_report
from joulemark.cli.check_options import (
    DifferenceOptions,
    Forms,
    StoredOptions,
    deliver,
    longest_times,
)
from joulemark.errors import UsageError
from joulemark.measure.paired_run import named_by
from joulemark.records.trial import Trial
from joulemark.store.repository import Store
from joulemark.units import parse_sizes

_MOST_NAMES: Final = 10


def check_runs(stored: StoredOptions, question: DifferenceOptions, forms: Forms) -> NoReturn:
    """Compares the stored runs, answers, and ends the command."""
    baseline = stored.baseline
    if baseline is None:
        raise UsageError(
            "name what to compare: --old and --new for two builds, --old-rev with --function or "
            "--build for two revisions, or --baseline for a stored run"
        )
    for given, option in ((question.budget, "--budget"), (question.exact, "--target instructions")):
        if given:
            raise UsageError(
                f"{option} is for --old and --new; two stored runs are compared as they were "
                "measured"
            )
    with Store.existing(stored.store) as found:
        new = measured_in(found, found.run_or_latest(stored.run).id)
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
    limits = question.limits()
    outcome = gate.check(
        before,
        after,
        old.environment,
        new.environment,
        limits=limits,
        alpha=question.alpha,
        failed=new.failed,
        absent=new.absent,
        counted=(_named(old.counted, question), new.counted),
    )
    outcome = replace(outcome, reasons=(*outcome.reasons, *limits.without_trial(after)))
    report = time_report(
        outcome, before, after, title=f"{new.name} against {old.name}", failures=new.failures
    )
    details = {
        "baseline": old.name,
        "run": new.name,
        "longest_times": longest_times(outcome),
        **asdict(outcome.runs),
        "environment_differences": {
            key: list(values) for key, values in outcome.environment_differences.items()
        },
    }
    deliver(report, outcome.runs, details, forms)


def _asked_of(run: RunSamples, question: DifferenceOptions) -> Samples:
    """The samples of the trials that patterns and lengths name; all without these."""
    named = _named(run.samples, question)
    return {trial: samples for trial, samples in run.samples.items() if trial in named}


def _named(trials: Iterable[Trial], question: DifferenceOptions) -> set[Trial]:
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


def _nothing_asked(baseline: RunSamples, question: DifferenceOptions) -> str:
    """That the baseline has nothing of what the question names, and what it has."""
    names = sorted({trial.implementation for trial in baseline.samples})
    more = " ..." if len(names) > _MOST_NAMES else ""
    asked = " ".join(question.patterns or ["any implementation"])
    where = "" if question.size is None else f" at {question.size}"
    return (
        f"{baseline.name} has no trial of {asked}{where}; it has "
        f"{', '.join(names[:_MOST_NAMES])}{more}"
    )
