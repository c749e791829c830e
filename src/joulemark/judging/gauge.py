# SPDX-License-Identifier: Apache-2.0
"""Which samples of a gauge are separate readings.

A gauge that is sampled faster than it refreshes gives the same count again. Those repetitions carry
no new information, and the first ones are from before the load: batteries refresh every 5 to 30 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from joulemark.records.energy_window import TracePoint


def refreshes(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The first sample of each run of equal counts."""
    return [next(run) for _, run in groupby(points, key=lambda point: point.counts)]


def settled(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The samples of those refreshes that lie wholly in the window.

    The first refresh may be older than the window, and the second a mean over times before and
    after its start.
    """
    runs = [list(run) for _, run in groupby(points, key=lambda point: point.counts)]
    return [point for run in runs[2:] for point in run]
