# SPDX-License-Identifier: Apache-2.0
"""Which lines a chart shows until the reader asks for all: our best, and the best of libraries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import altair as alt

from joulemark.report.controls import choice
from joulemark.report.rows import Row
from joulemark.report.scales import legend_order
from joulemark.report.style import OWN_PROVIDER
from joulemark.report.workload import PREFERRED_SIZE_BYTES

__all__ = ["LEGEND", "MOST", "PICKED_ONLY", "pick", "pick_parameters"]

MOST: Final = 6
PICKED_ONLY: Final = "lines === 'all' || datum.picked"
"""Vega predicate over rows that `pick` has marked."""
LEGEND: Final = "(legend_of[algorithm][workload] || {best: [], all: []})[lines]"
"""Vega expression: the variants drawn, from the highest line to the lowest."""


def pick(data: Sequence[Row]) -> None:
    """Marks rows with `picked`, for each algorithm and workload apart.

    Of up to `MOST` variants all are picked. Of more, the best one of each provider is, at 64 bytes
    or else at the length with most rows: ours first, then from the lowest value upwards.

    Args:
        data: rows of which a lower value is better; changed in place.
    """
    for rows in _groups(data).values():
        chosen = _best(rows)
        for row in rows:
            row["picked"] = row["variant"] in chosen


def _best(rows: Sequence[Row]) -> set[str]:
    variants = {row["variant"] for row in rows}
    if len(variants) <= MOST:
        return variants
    counts = Counter(row["bytes"] for row in rows)
    common = min(counts, key=lambda size: (-counts[size], size))
    length = PREFERRED_SIZE_BYTES if PREFERRED_SIZE_BYTES in counts else common
    best: dict[str, Row] = {}
    for row in sorted(
        (row for row in rows if row["bytes"] == length), key=lambda row: row["value"]
    ):
        best.setdefault(row["provider"], row)
    order = sorted(best.values(), key=lambda row: (row["provider"] != OWN_PROVIDER, row["value"]))
    return {row["variant"] for row in order[:MOST]}


def pick_parameters(data: Sequence[Row]) -> list[alt.Parameter]:
    """The dropdown of lines, where some are not picked, and the order of the legend."""
    legends: dict[str, dict[str, dict[str, list[str]]]] = {}
    for (algorithm, workload), rows in _groups(data).items():
        picked = [row for row in rows if row["picked"]]
        legends.setdefault(algorithm, {})[workload] = {
            "best": legend_order(picked)[algorithm],
            "all": legend_order(rows)[algorithm],
        }
    everything = all(row["picked"] for row in data)
    options = ["best"] if everything else ["best", "all"]
    labels = ["best of each provider", "all"]
    return [
        choice("lines", "Lines ", options, "best", labels),
        alt.param(name="legend_of", value=legends),
    ]


def _groups(data: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in data:
        groups.setdefault((row["algorithm"], row["workload"]), []).append(row)
    return groups
