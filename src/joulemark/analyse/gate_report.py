# SPDX-License-Identifier: Apache-2.0
"""The gate's answer in figures, from which every form of its report is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from joulemark.analyse.compare import Samples, ThresholdOf
from joulemark.analyse.derive import seconds_per_message
from joulemark.analyse.gate_outcome import GateCode, GateOutcome, Vanished, vanished_sentences
from joulemark.analyse.verdict import Comparison
from joulemark.judging import standing
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload, plain_name
from joulemark.stats import median
from joulemark.stats.clustered import clustered_median_interval
from joulemark.units import format_percent

WHOLE: Final = "joulemark check"
"""Name of the whole check, where a figure or a failure is of no trial."""
_NANOSECONDS: Final = 1e9


@dataclass(frozen=True, slots=True)
class Span:
    """A figure and the ends of its interval, in the report's unit."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GateLine:
    """One trial: its figure in the old code and in the new code, and the verdict."""

    implementation: str
    """Without the name of a build."""
    workload: str
    """Message length, and whatever else is unusual, as in `1 KiB, latency`."""
    old: Span
    new: Span
    ratio: Span
    """New over old; above 1 is slower, or more."""
    verdict: str
    code: GateCode
    """Answer for this trial alone: OK, REGRESSED or TOO_NOISY; ENVIRONMENT_DIFFERS for all."""
    allowed: bool = False
    """Whether it is worse beyond doubt, by less than the threshold."""
    threshold: float = 0.0
    """The smallest increase that counts, as a share."""

    @property
    def name(self) -> str:
        """Unique within a report, and stable from run to run."""
        return f"{self.implementation}, {self.workload}"


@dataclass(frozen=True, slots=True)
class GateFailure:
    """An implementation that cannot be compared."""

    name: str
    reason: str
    decides: bool = True
    """Whether the answer is red for it."""

    @property
    def sentence(self) -> str:
        """The failure as people read it and as JSON has it."""
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class GateReport:
    """The whole answer."""

    title: str
    """New against old, by name."""
    code: GateCode
    reasons: tuple[str, ...]
    failures: tuple[GateFailure, ...]
    """One for each implementation that crashed, hung, was wrong, or runs here in neither build."""
    lines: tuple[GateLine, ...]
    unit: str
    """Unit of the figures, which are per message: `ns` or `instructions`."""
    evidence: str
    effort: str = ""
    """How much was measured, in words; empty where the runs say so."""
    vanished: tuple[Vanished, ...] = ()
    """Figures that the old code has and the new code does not have."""
    words: str = ""
    """The answer, where the code has several names."""

    @property
    def answer(self) -> str:
        """The answer in words."""
        return self.words or self.code.words

    @property
    def headline(self) -> str:
        """The answer in words, and the largest change that passed because it is allowed."""
        allowed = [line for line in self.lines if line.allowed]
        if self.code is not GateCode.OK or not allowed:
            return self.answer
        worst = max(allowed, key=lambda line: line.ratio.value)
        return f"{self.answer}: {'up to ' if len(allowed) > 1 else ''}{worst.verdict}"

    @property
    def lost(self) -> tuple[tuple[str, str], ...]:
        """Name and reason of every figure that the new code does not have, failures with them.

        A report without any figure lacks one, that of the whole check: services that read numbers
        alone would else see nothing wrong. Equal files need no figures.
        """
        gone = [(_lost_name(lost), lost.sentence) for lost in self.vanished]
        gone += [(fail.name, fail.sentence) for fail in self.failures if fail.decides]
        if not (gone or self.lines or self.code in {GateCode.OK, GateCode.SAME_FILE}):
            gone = [(WHOLE, f"Nothing was measured: {' '.join(self.reasons)}")]
        return tuple(gone)


def _lost_name(lost: Vanished) -> str:
    """As `GateLine.name` was, where the workload is known."""
    if lost.workload is None:
        return lost.implementation
    return f"{lost.implementation}, {workload_words(lost.workload)}"


def time_report(
    outcome: GateOutcome,
    old: Samples,
    new: Samples,
    *,
    title: str,
    failures: Sequence[GateFailure] = (),
    effort: str = "",
) -> GateReport:
    """The report of a gate on time per message.

    Args:
        outcome: the answer.
        old: samples of the old code, by the baseline's trials.
        new: samples of the new code, by the contender's trials; may be the same mapping.
        title: new against old.
        failures: implementations that failed.
        effort: how much was measured.
    """
    before, after = standing(old), standing(new)

    def line(comparison: Comparison) -> GateLine:
        baseline, contender = (
            Trial(name, comparison.workload, comparison.target)
            for name in (comparison.baseline, comparison.contender)
        )
        return GateLine(
            implementation=plain_name(comparison.contender),
            workload=workload_words(comparison.workload),
            old=_span(before[baseline]),
            new=_span(after[contender]),
            ratio=Span(comparison.ratio, comparison.low, comparison.high),
            verdict=outcome.words_of(comparison),
            code=_code_of(comparison, outcome),
            allowed=comparison in outcome.allowed,
            threshold=comparison.threshold,
        )

    return GateReport(
        title=title,
        code=outcome.code,
        reasons=outcome.reasons,
        failures=tuple(
            replace(failure, decides=failure.name in outcome.broken) for failure in failures
        ),
        lines=tuple(line(comparison) for comparison in outcome.runs.comparisons),
        unit="ns",
        evidence="measured",
        effort=effort,
        vanished=outcome.vanished,
        words=outcome.answer,
    )


def workload_words(workload: Workload) -> str:
    """The message length of a workload, and what else is special about it."""
    return ", ".join(filter(None, (workload.length_text, workload.special)))


def _code_of(comparison: Comparison, outcome: GateOutcome) -> GateCode:
    if outcome.code is GateCode.ENVIRONMENT_DIFFERS:
        return GateCode.ENVIRONMENT_DIFFERS
    limit = outcome.time_of(comparison)
    if comparison in outcome.regressions or (limit is not None and limit.above):
        return GateCode.REGRESSED
    unclear = comparison in outcome.unclear or (limit is not None and limit.unclear)
    return GateCode.TOO_NOISY if unclear else GateCode.OK


def _span(samples: Sequence[RawSample]) -> Span:
    """Median nanoseconds per message, with its interval."""
    used = [sample for sample in samples if sample.wall_ns > 0]
    taken = [seconds_per_message(sample) * _NANOSECONDS for sample in used]
    interval = clustered_median_interval(taken, [sample.generation for sample in used])
    return Span(median(taken), interval.low, interval.high)


# The gate on counted instructions: exact figures, compared to the last digit.

MEASURED_TOLERANCE: Final = 0.001
"""Relative difference below which counts of the CPU's own counter are one: interrupts and page
faults add to it (V. M. Weaver, S. A. McKee: Can hardware performance counters be trusted?, IISWC
2008, section 4)."""


@dataclass(frozen=True, slots=True)
class CountedTrial:
    """One trial that was counted in both builds."""

    trial: Trial
    """The trial of the new build."""
    old: Fraction
    """Instructions of a message in the old build, above 0."""
    new: Fraction

    @property
    def ratio(self) -> float:
        """New over old."""
        return float(self.new / self.old)


def instruction_report(
    counted: Sequence[CountedTrial],
    *,
    counter: str,
    evidence: str,
    broken: Sequence[GateFailure] = (),
    uncounted: Sequence[GateFailure] = (),
    vanished: Sequence[Vanished] = (),
    threshold: float | ThresholdOf,
    title: str,
) -> GateReport:
    """The report of a gate on counted instructions, which any trial above the threshold fails.

    Args:
        counted: every trial that could be counted in both builds.
        counter: name of what counted.
        evidence: `measured` or `simulated`.
        broken: implementations of the new build that crashed, hung or computed something wrong.
        uncounted: implementations that cannot run where instructions are counted, and failures of
            the old build. They do not change the answer.
        vanished: implementations that could be counted in the old build alone.
        threshold: smallest increase that counts, as a fraction, or that of each trial; at 0 one
            instruction counts.
        title: new against old.
    """
    exact = evidence == "simulated"
    smallest = {
        comparison: threshold(comparison.trial.implementation, comparison.trial.workload)
        if callable(threshold)
        else threshold
        for comparison in counted
    }
    lines = tuple(_line(comparison, share, exact=exact) for comparison, share in smallest.items())
    worse = [line for line in lines if line.code is GateCode.REGRESSED]
    reasons = [
        f"{line.name}: {line.new.value:.10g} instructions instead of {line.old.value:.10g} "
        f"({format_percent(line.ratio.value - 1)} more)."
        for line in worse
    ]
    reasons += vanished_sentences(vanished)
    if broken:
        reasons.insert(0, "Some code fails in the new build.")
    if broken or worse or vanished:
        code = GateCode.REGRESSED
    elif not lines:
        code, reasons = GateCode.NOTHING_MEASURED, ["No trial could be counted in both builds."]
    else:
        shares = {*smallest.values()}
        more = f"more than {format_percent(max(shares))} more" if max(shares) else "more"
        limit = " than its threshold allows" if len(shares) > 1 else ""
        first = f"No trial takes {'more' if limit else more} instructions{limit}."
        code, reasons = GateCode.OK, [first]
        reasons += [f"{line.name}: {line.verdict}." for line in lines if line.allowed]
    return GateReport(
        title=title,
        code=code,
        reasons=tuple(reasons),
        failures=(*broken, *(replace(failure, decides=False) for failure in uncounted)),
        lines=lines,
        unit="instructions",
        evidence=evidence,
        effort=f"by {counter}",
        vanished=tuple(vanished),
    )


def _line(comparison: CountedTrial, threshold: float, *, exact: bool) -> GateLine:
    ratio = comparison.ratio
    same = comparison.new == comparison.old if exact else abs(ratio - 1) <= MEASURED_TOLERANCE
    verdict = "equal" if same else "more instructions" if ratio > 1 else "fewer instructions"
    worse = not same and ratio > 1 + threshold
    allowed = not (same or worse) and ratio > 1
    return GateLine(
        implementation=plain_name(comparison.trial.implementation),
        workload=comparison.trial.workload.length_text,
        old=_exact(float(comparison.old)),
        new=_exact(float(comparison.new)),
        ratio=_exact(ratio),
        verdict=f"{format_percent(ratio - 1)} {verdict}, allowed" if allowed else verdict,
        code=GateCode.REGRESSED if worse else GateCode.OK,
        allowed=allowed,
        threshold=threshold,
    )


def _exact(value: float) -> Span:
    return Span(value, value, value)
