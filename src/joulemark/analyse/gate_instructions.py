# SPDX-License-Identifier: Apache-2.0
"""The gate on counted instructions: exact figures, compared to the last digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from joulemark.analyse.gate_outcome import GateCode, Vanished, vanished_sentences
from joulemark.analyse.gate_report import GateFailure, GateLine, GateReport, Span
from joulemark.records.trial import Trial, plain_name
from joulemark.units import format_percent

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
    threshold: float,
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
        threshold: smallest increase that counts, as a fraction; at 0 one instruction counts.
        title: new against old.
    """
    exact = evidence == "simulated"
    lines = tuple(_line(comparison, threshold, exact=exact) for comparison in counted)
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
        limit = f" than {format_percent(threshold)} more" if threshold else ""
        code, reasons = GateCode.OK, [f"No trial takes more{limit} instructions."]
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
    )


def _exact(value: float) -> Span:
    return Span(value, value, value)
