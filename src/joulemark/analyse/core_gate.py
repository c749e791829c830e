# SPDX-License-Identifier: Apache-2.0
"""Did a core become worse? Area, period, clocks and energy, beyond the spread of mappings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from joulemark.analyse.gate_outcome import AT_THRESHOLD, GateCode
from joulemark.analyse.gate_report import Span
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport
from joulemark.units import format_percent

GATED: Final = (
    "clocks_per_block",
    "luts",
    "flip_flops",
    "block_rams",
    "multipliers",
    "area_ge",
    "period_s",
    "energy_per_block_j",
)
"""Figures of which more is worse. On an FPGA the period is that of the highest clock."""
NOT_TOLD_APART: Final = "not told apart"
NONE_BEFORE: Final = "none before"
"""Verdict on a figure that is 0 for every mapping of the old core, and for none of the new one."""


@dataclass(frozen=True, slots=True)
class CoreGateLine:
    """One figure on one target: medians over mappings or seeds, with lowest and highest."""

    target: str
    figure: str
    """Name in the table of figures of cores."""
    old: Span
    new: Span
    ratio: Span
    """New over old. Its ends are those of the two spreads that are furthest apart."""
    verdict: str
    code: GateCode
    allowed: bool = False
    """Whether it is worse beyond the spread, by less than the threshold."""

    @property
    def title(self) -> str:
        """The figure in words."""
        return CORE_FIGURES[self.figure].short_heading


@dataclass(frozen=True, slots=True)
class CoreGate:
    """The answer for all figures on all targets."""

    code: GateCode
    answer: str
    reasons: tuple[str, ...]
    lines: tuple[CoreGateLine, ...]


def gate_cores(
    pairs: Sequence[tuple[CoreReport, CoreReport]], threshold: float, lost: Sequence[str] = ()
) -> CoreGate:
    """Judges pairs of reports, old and new, of the same targets.

    `lost` has sentences on reports that only the old core has.
    """
    lines = []
    gone = [*lost]
    for old, new in pairs:
        for name in GATED:
            before, after = _values(old, name), _values(new, name)
            if before and after:
                lines.append(_line(new.target, name, before, after, threshold))
            elif before:
                why = new.reasons.get(name, "the report lacks it")
                gone.append(f"The new core has no {CORE_FIGURES[name].short_heading}: {why}.")
    return _answer(lines, gone, threshold)


def _values(report: CoreReport, name: str) -> list[float]:
    """The figure of each mapping or seed; empty if the report has none."""
    by_mapping = [
        value
        for mapping in report.settings.get("mappings", ())
        if (value := mapping.get(name)) is not None
    ]
    if by_mapping:
        return by_mapping
    if name == "period_s" and (clocks := report.settings.get("fmax_by_seed_hz")):
        return [1 / clock for clock in clocks if clock]
    figure = report.figures.get(name)
    return [] if figure is None else [float(figure)]


def _line(
    target: str, name: str, before: Sequence[float], after: Sequence[float], threshold: float
) -> CoreGateLine:
    old, new = _span(before), _span(after)
    ratio = Span(_over(new.value, old.value), _over(new.low, old.high), _over(new.high, old.low))
    verdict, code = _judged(old, new, ratio, threshold)
    allowed = code is GateCode.OK and ratio.low > 1
    return CoreGateLine(target, name, old, new, ratio, verdict, code, allowed)


def _span(values: Sequence[float]) -> Span:
    return Span(median(values), min(values), max(values))


def _over(new: float, old: float) -> float:
    return new / old if old else math.inf if new else 1.0


def _judged(old: Span, new: Span, ratio: Span, threshold: float) -> tuple[str, GateCode]:
    """The verdict, by the whole range of ratios, which ends nowhere if a mapping has none."""
    if old.high == 0 < new.low:
        return NONE_BEFORE, GateCode.REGRESSED
    change = format_percent(abs(ratio.value - 1))
    if ratio.low > 1 + threshold:
        return "more" if math.isinf(ratio.value) else f"{change} more", GateCode.REGRESSED
    if ratio.high > 1 + threshold:
        narrow = ratio.low > 1 and ratio.high - ratio.low <= threshold
        return AT_THRESHOLD if narrow else NOT_TOLD_APART, GateCode.TOO_NOISY
    if ratio.low > 1:
        return f"{change} more, allowed", GateCode.OK
    if ratio.high < 1:
        return f"{change} less", GateCode.OK
    return "equal" if ratio.low == ratio.high else "equal within the spread", GateCode.OK


def _answer(lines: Sequence[CoreGateLine], gone: Sequence[str], threshold: float) -> CoreGate:
    """The code, the answer in words, and the sentences."""
    limit = format_percent(threshold)
    worse = [line for line in lines if line.code is GateCode.REGRESSED]
    unclear = [line for line in lines if line.code is GateCode.TOO_NOISY]
    reasons = [
        f"{_name(line)}: {line.new.value:g}, where the old core has none."
        if line.verdict == NONE_BEFORE
        else f"{_name(line)} is {line.verdict} (at least {format_percent(line.ratio.low - 1)}; the "
        f"threshold is {limit})."
        for line in worse
    ]
    reasons += gone
    for line in unclear:
        ends = f"{_signed(line.ratio.low)} to {_signed(line.ratio.high)}"
        if math.isinf(line.ratio.high):
            ends = f"{_ends(line.new)}, and the old core's {_ends(line.old)},"
        if line.verdict == AT_THRESHOLD:
            reasons.append(f"{_name(line)} is {ends}, which is {AT_THRESHOLD} of {limit}.")
        else:
            reasons.append(
                f"{_name(line)} is {ends} over the mappings, so more than {limit} cannot be "
                "excluded; more --mappings or --seeds may tell."
            )
    reasons += [f"{_name(line)} is {line.verdict}." for line in lines if line.allowed]
    if worse or gone:
        return CoreGate(GateCode.REGRESSED, "worse", tuple(reasons), tuple(lines))
    if not lines:
        nothing = "No figure is there for both cores."
        code = GateCode.NOTHING_MEASURED
        return CoreGate(code, code.words, (nothing,), ())
    if unclear:
        told = any(line.verdict == NOT_TOLD_APART for line in unclear)
        words = NOT_TOLD_APART if told else AT_THRESHOLD
        return CoreGate(GateCode.TOO_NOISY, words, tuple(reasons), tuple(lines))
    first = f"No figure is more than {limit} above the old core's."
    return CoreGate(GateCode.OK, "ok", (first, *reasons), tuple(lines))


def _name(line: CoreGateLine) -> str:
    return f"{line.title[:1].upper()}{line.title[1:]} on {line.target}"


def _ends(span: Span) -> str:
    return f"{span.low:g}" if span.low == span.high else f"{span.low:g} to {span.high:g}"


def _signed(ratio: float) -> str:
    return ("+" if ratio > 1 else "") + format_percent(ratio - 1)
