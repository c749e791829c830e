# SPDX-License-Identifier: Apache-2.0
"""From results to the flat rows that a chart draws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.report.workload import shown_name, variant_of, workload_label
from joulemark.units import format_bytes

__all__ = ["Quantity", "Row", "missing_reason", "rows"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure of a result, as a chart shows it."""

    field: str
    """Name in `Result`."""
    title: str
    """Axis title, with the unit, without the evidence word."""
    per_unit: float
    """How many of the shown unit are in one of the stored unit: 1e9 for seconds as ns."""
    text: Callable[[Figure], str]
    """The figure with its interval in words, for tooltips."""

    def of(self, result: Result) -> Figure | None:
        """The figure, where it exists."""
        figure: Figure | None = getattr(result, self.field)
        return figure


def rows(results: ResultSet, quantity: Quantity, *, logarithmic: bool) -> list[Row]:
    """One row per drawable figure, in the unit that `quantity` shows.

    On logarithmic axes, zero-byte messages and intervals that touch zero cannot be drawn and are
    left out; captions say so. The workload names the evidence where one workload has figures of
    several kinds, so that no two kinds ever share a picture.
    """
    drawable = [
        (result, figure)
        for result in results.results
        if (figure := quantity.of(result)) is not None
        and all(map(math.isfinite, (figure.low, figure.median, figure.high)))
        and not (logarithmic and (result.size_bytes == 0 or figure.low <= 0))
    ]
    kinds: dict[str, set[str]] = {}
    for result, figure in drawable:
        kinds.setdefault(workload_label(result), set()).add(figure.evidence.value)
    return [_row(result, figure, quantity, kinds) for result, figure in drawable]


def missing_reason(results: ResultSet, field: str) -> str:
    """Why no result has this figure: the reason given most often."""
    if not results.results:
        return "Nothing was measured in this run."
    given = Counter(
        result.reasons[field] for result in results.results if result.reasons.get(field)
    )
    if not given:
        return "No result carries this figure, and no reason was recorded."
    return min(given, key=lambda reason: (-given[reason], reason))


def _row(result: Result, figure: Figure, quantity: Quantity, kinds: dict[str, set[str]]) -> Row:
    workload = workload_label(result)
    evidence = figure.evidence.value
    return {
        "algorithm": result.algorithm,
        "variant": variant_of(result.implementation),
        "name": shown_name(result),
        "provider": result.provider,
        "workload": f"{workload}, {evidence}" if len(kinds[workload]) > 1 else workload,
        "evidence": evidence,
        "bytes": result.size_bytes,
        "length": format_bytes(result.size_bytes),
        "value": figure.median * quantity.per_unit,
        "low": figure.low * quantity.per_unit,
        "high": figure.high * quantity.per_unit,
        "text": quantity.text(figure),
        "samples": figure.samples,
    }
