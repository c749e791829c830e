# SPDX-License-Identifier: Apache-2.0
"""Energy per message as a quantity to compare: one point for each accepted window.

Windows of one round are neighbours in time and are paired, as samples of time are. The baseline
that is subtracted is shared by both of a pair, so that most of its error cancels in their ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from uncertainties import nominal_value

from joulemark.analyse.compare import RoundPoint
from joulemark.analyse.energy.run_energy import RunEnergy
from joulemark.records.energy_window import MeterRecord
from joulemark.records.trial import Trial
from joulemark.units import format_percent

RAPL_DIFFERENCE: Final = 0.02
"""No vendor states RAPL's error: a difference this small may be the counter's, not the code's."""
_RAPL: Final = {"powercap", "perf-power"}


def energy_points(energy: RunEnergy, *, gross: bool = False) -> dict[Trial, list[RoundPoint]]:
    """Logarithm of joules per message in the headline domain, by trial and round.

    Args:
        energy: of one run.
        gross: nothing subtracted; otherwise net of deep idle.

    Returns:
        Only windows whose energy is above 0: others have no logarithm, and no ratio.
    """
    points: dict[Trial, list[RoundPoint]] = {}
    for trial in energy.trials():
        windows, rest = energy.windows(trial)
        for power in windows:
            at_rest_w = 0.0 if gross else rest.deep.at(power.middle_s)
            if at_rest_w is None:
                continue
            joules = nominal_value(power.power_w - at_rest_w) * power.seconds_per_message
            if joules > 0:
                window = power.window
                point = RoundPoint(window.round_index, window.generation, math.log(joules))
                points.setdefault(trial, []).append(point)
    return points


def meter_note(record: MeterRecord, ratios: Sequence[float]) -> str | None:
    """The caveat of differences that are small for this meter; None if there is none.

    Args:
        record: of the meter.
        ratios: of joules per message, contender over baseline.
    """
    small = any(0 < abs(ratio - 1) < RAPL_DIFFERENCE for ratio in ratios)
    if record.meter.partition(":")[0] not in _RAPL or not small:
        return None
    return (
        f"Differences below {format_percent(RAPL_DIFFERENCE)} are within what RAPL itself leaves "
        "open; confirm them with another meter before you publish them."
    )
