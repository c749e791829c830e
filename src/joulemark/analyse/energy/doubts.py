# SPDX-License-Identifier: Apache-2.0
"""Doubts about the energy of a trial, each with its remedy.

As with doubts about times, none removes a window or changes a figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from joulemark.analyse.doubts import DRIFT_CHANGE, DRIFT_P, tick_evidence_ns
from joulemark.analyse.energy.domain import TrialWindows
from joulemark.analyse.energy.window import WindowPower
from joulemark.judging.void import foreign_ns
from joulemark.records.doubt import Doubt, DoubtKind
from joulemark.records.energy_window import MeterRecord
from joulemark.stats.drift import drift
from joulemark.units import format_percent

__all__ = ["TEMPERATURE_CHANGE_MDEG", "VOID_SHARE", "energy_doubts"]

VOID_SHARE: Final = 0.2
"""Share of void windows above which the others may be a choice of quiet moments."""
TEMPERATURE_CHANGE_MDEG: Final = 10_000
"""Leakage grows by some percent in ten degrees; the interleaved baselines follow it, the gross
figures do not."""
_FEWEST: Final = 5
"""Windows below which no trend is looked for."""


def energy_doubts(windows: TrialWindows, record: MeterRecord) -> list[Doubt]:
    """Doubts about the energy of one trial.

    Args:
        windows: of one trial in the headline domain.
        record: what was metered and how.
    """
    doubts = (_void(windows), _foreign(windows.kept, record), _drift(windows.kept),
             _temperature(windows.kept))  # fmt: skip
    return [doubt for doubt in doubts if doubt is not None]


def _void(windows: TrialWindows) -> Doubt | None:
    total = len(windows.kept) + len(windows.void)
    if not windows.kept or len(windows.void) <= VOID_SHARE * total:
        return None
    counted = Counter(void.reason.value for void in windows.void)
    why = ", ".join(f"{reason} {times}" for reason, times in counted.most_common())
    return Doubt(
        DoubtKind.VOID_WINDOWS,
        f"{len(windows.void)} of {total} windows were void ({why}), so the "
        "others may be a choice of quiet moments; close other programs and repeat.",
    )


def _foreign(kept: Sequence[WindowPower], record: MeterRecord) -> Doubt | None:
    """Foreign CPU time that no single window could show, summed over the trial."""
    known = [
        (window.window, ns) for window in kept if (ns := foreign_ns(window.window)) is not None
    ]
    wall_ns = sum(window.wall_ns for window, _ in known)
    foreign = sum(ns for _, ns in known)
    if not wall_ns or foreign <= record.foreign_limit * wall_ns:
        return None
    if foreign < tick_evidence_ns(len(known)):
        return None
    return Doubt(
        DoubtKind.FOREIGN_IN_ENERGY,
        f"other programs used {format_percent(foreign / wall_ns)} of a CPU "
        "over these windows, and the package's energy includes theirs; close them and repeat.",
    )


def _drift(kept: Sequence[WindowPower]) -> Doubt | None:
    """A trend of gross power over the rounds that is both certain and large."""
    if len(kept) < _FEWEST:
        return None
    watts = [window.power_w.nominal_value for window in kept]
    trend = drift(watts, [window.window.round_index for window in kept])
    if not (trend.p_value < DRIFT_P and abs(trend.change) > DRIFT_CHANGE):
        return None
    way = "rose" if trend.change > 0 else "fell"
    return Doubt(
        DoubtKind.POWER_DRIFT,
        f"gross power {way} by {format_percent(abs(trend.change))} from the first "
        f"round to the last (p = {trend.p_value:.2g}); let the machine reach a steady temperature, "
        "fix its clock and its power limits, then repeat.",
    )


def _temperature(kept: Sequence[WindowPower]) -> Doubt | None:
    seen = [
        mdeg
        for window in kept
        for mdeg in (window.window.temperature_start_mdeg, window.window.temperature_end_mdeg)
        if mdeg is not None
    ]
    if not seen or max(seen) - min(seen) <= TEMPERATURE_CHANGE_MDEG:
        return None
    return Doubt(
        DoubtKind.TEMPERATURE,
        f"the CPU package was between {min(seen) / 1000:.0f} and "
        f"{max(seen) / 1000:.0f} degrees Celsius in these windows, and leakage rises with it; warm "
        "the machine up first, or cool it better.",
    )
