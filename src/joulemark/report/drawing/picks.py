# SPDX-License-Identifier: Apache-2.0
"""Which lines a chart shows until the reader asks for all: our best, and the best of libraries."""

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

__all__ = [
    "BEST_ONLY",
    "ENGINE",
    "LEGEND",
    "LEGEND_OPACITY",
    "MOST",
    "PICKED_ONLY",
    "best_at_one_length",
    "by_provider",
    "mark_picked",
    "pick_parameters",
    "pictures",
]

ENGINE: Final = "engine"
"""Our variant that chooses among the others."""
MOST: Final = 6
BEST_ONLY: Final = "lines === 'best'"
"""Vega predicate: not all lines were asked for."""
PICKED_ONLY: Final = f"!({BEST_ONLY}) || datum.picked"
"""Vega predicate over rows that `mark_picked` has marked."""
LEGEND: Final = f"{BEST_ONLY} ? [''] : (legend_of[algorithm] || {{}})[workload] || ['']"
"""Vega expression: of all lines, the variants from the highest to the lowest. The few lines have
labels in its place; then its one entry has neither a word nor, by `LEGEND_OPACITY`, a symbol.
Without any entry Vega would put it at an infinite place."""
LEGEND_OPACITY: Final = f"{BEST_ONLY} ? 0 : 1"


def mark_picked(pictured: Sequence[Row], best: Callable[[Sequence[Row]], set[str]]) -> None:
    """Marks rows with `picked`: all of up to `MOST` variants, of more those that are `best`.

    Args:
        pictured: what stands in one picture, changed in place; a lower value is better.
        best: chooses variants.
    """
    variants = {row["variant"] for row in pictured}
    chosen = variants if len(variants) <= MOST else best(pictured)
    for row in pictured:
        row["picked"] = row["variant"] in chosen


def best_at_one_length(pictured: Sequence[Row]) -> set[str]:
    """The best variant of each provider at 64 bytes, or else at the length with most rows.

    The engine, which programs call, stands for ours where it is not told apart from our best.
    """
    counts = Counter(row["bytes"] for row in pictured)
    common = min(counts, key=lambda size: (-counts[size], size))
    length = PREFERRED_SIZE_BYTES if PREFERRED_SIZE_BYTES in counts else common
    rivals = [row for row in pictured if row["bytes"] == length]
    found = by_provider(rivals)[:MOST]
    engine = next((row for row in rivals if row["variant"] == ENGINE), None)
    if engine and found[0]["provider"] == OWN_PROVIDER and engine["low"] <= found[0]["high"]:
        found[0] = engine
    return {row["variant"] for row in found}


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
    """Rows by what the dropdowns choose: algorithm, workload, and further values of a row."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in data:
        chosen = tuple(row[key] for key in ("algorithm", "workload", *more))
        found.setdefault(chosen, []).append(row)
    return found
