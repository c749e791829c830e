# SPDX-License-Identifier: Apache-2.0
"""Picks the lines that a chart shows until the reader asks for all: ours and libraries' best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import altair as alt

from joulemark.report.drawing.controls import choice
from joulemark.report.drawing.scales import legend_order
from joulemark.report.rows import Row
from joulemark.report.style import OWN_PROVIDER
from joulemark.report.workload import PREFERRED_SIZE_BYTES

ENGINE: Final = "engine"
"""Our variant that chooses among the others."""
MOST: Final = 6
"""Lines that are shown at first, at most."""
BEST_ONLY: Final = "lines === 'best'"
"""Vega predicate: the reader did not ask for all lines."""
PICKED_ONLY: Final = f"!({BEST_ONLY}) || datum.picked"
"""Vega predicate over rows that `mark_picked` has marked."""
LEGEND: Final = f"{BEST_ONLY} ? [''] : (legend_of[algorithm] || {{}})[workload] || ['']"
"""Vega expression: entries of the legend. If all lines are shown, these are the variants from the
highest to the lowest. A few lines have labels instead; then the only entry has no word and, by
`LEGEND_OPACITY`, no symbol. Vega would put a legend without entries at an infinite place."""
LEGEND_OPACITY: Final = f"{BEST_ONLY} ? 0 : 1"


def mark_picked(pictured: Sequence[Row], best: Callable[[Sequence[Row]], set[str]]) -> None:
    """Marks rows with `picked`: all of up to `MOST` variants, of more only those that are `best`.

    Args:
        pictured: rows of one picture, changed in place; a lower value is better.
        best: returns the best variants of rows.
    """
    variants = {row["variant"] for row in pictured}
    chosen = variants if len(variants) <= MOST else best(pictured)
    for row in pictured:
        row["picked"] = row["variant"] in chosen


def best_at_one_length(pictured: Sequence[Row]) -> set[str]:
    """The best variant of each provider at 64 bytes, or else at the length with most rows.

    The engine, which programs call, stands for our best if the two are not told apart.
    """
    counts = Counter(row["bytes"] for row in pictured)
    common = min(counts, key=lambda size: (-counts[size], size))
    length = PREFERRED_SIZE_BYTES if PREFERRED_SIZE_BYTES in counts else common
    rivals = [row for row in pictured if row["bytes"] == length]
    best = by_provider(rivals)[:MOST]
    engine = next((row for row in rivals if row["variant"] == ENGINE), None)
    if engine and best[0]["provider"] == OWN_PROVIDER and engine["low"] <= best[0]["high"]:
        best[0] = engine
    return {row["variant"] for row in best}


def by_provider(rivals: Sequence[Row]) -> list[Row]:
    """The best row of each provider: ours first, then from the lowest value upwards."""
    best: dict[str, Row] = {}
    for row in sorted(rivals, key=lambda row: row["value"]):
        best.setdefault(row["provider"], row)
    return sorted(best.values(), key=lambda row: (row["provider"] != OWN_PROVIDER, row["value"]))


def pick_parameters(data: Sequence[Row], across: str) -> list[alt.Parameter]:
    """The dropdown of lines, where some are not picked, and the order of the legend.

    Args:
        data: rows that are marked.
        across: name of the value along the horizontal axis.
    """
    legends: dict[str, dict[str, list[str]]] = {}
    for (algorithm, workload), rows in pictures(data).items():
        legends.setdefault(algorithm, {})[workload] = legend_order(rows, across)[algorithm]
    everything = all(row["picked"] for row in data)
    options = ["best"] if everything else ["best", "all"]
    labels = ["best of each provider", "all"]
    return [
        choice("lines", "Lines ", options, "best", labels),
        alt.param(name="legend_of", value=legends),
    ]


def pictures(data: Sequence[Row], *more: str) -> dict[tuple[str, ...], list[Row]]:
    """Rows by the choices of the dropdowns: algorithm, workload, and further values of a row."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in data:
        choices = tuple(row[key] for key in ("algorithm", "workload", *more))
        groups.setdefault(choices, []).append(row)
    return groups
