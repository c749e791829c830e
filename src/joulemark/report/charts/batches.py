# SPDX-License-Identifier: Apache-2.0
"""Time per message against the number of messages that are handed over at a time."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence, AbsenceKind
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import NANOSECONDS_LABEL, Row, Spec
from joulemark.report.drawing.curve import Across, curve, label_ends
from joulemark.report.drawing.rows import (
    ENGINE,
    MOST,
    ChartQuantity,
    by_provider,
    mark_picked,
    pictures,
    rows,
    selection_at_length,
)
from joulemark.report.style import OWN_PROVIDER
from joulemark.report.words import default_algorithm, seconds_text, variant_of

PLACE = 2
TITLE = "Batches"
CAPTION = (
    "Lower is better. Time per message against the messages that are handed over at a time; 1 is "
    "single use. The engine divides a batch among kernels that work on several messages side by "
    "side. An implementation that takes no batches gets the messages one by one, so that its line "
    "is flat; of these only the fastest is among the best."
)

_QUANTITY = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_ACROSS = Across("batch", "messages at a time", "datum.label")


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where no batch was timed."""
    batches = [result for result in results.results if result.batch > 1]
    data = rows(results, _QUANTITY, logarithmic=True, across_batches=True)
    drawn = [
        pictured
        for pictured in pictures(data, "bytes").values()
        if any(row["batch"] > 1 for row in pictured)
    ]
    algorithm = default_algorithm(batches)
    if not drawn or algorithm is None:
        return None
    at_once = {variant_of(batch.implementation) for batch in batches if batch.batch_calls}
    for pictured in drawn:
        mark_picked(pictured, lambda rows_of_one: _best(rows_of_one, at_once))
        label_ends(pictured, _ACROSS.field)
    data = [row for pictured in drawn for row in pictured]
    chosen = selection_at_length(batches, data, algorithm)
    return curve(results, data, chosen, _QUANTITY, NANOSECONDS_LABEL, _ACROSS)


def missing(results: ResultSet) -> Absence:
    """Why the chart of batches cannot be drawn."""
    if any(result.batch > 1 for result in results.results):
        return missing_reason(results, _QUANTITY.field)
    return Absence("batches were not asked for (bench --batch)", AbsenceKind.NOT_ASKED)


def _best(pictured: Sequence[Row], at_once: set[str]) -> set[str]:
    """The best variants at the largest batch: the engine, else our best; then libraries.

    Of libraries that take whole batches each has its best, of all others only the best is taken.
    """
    largest = max(row["batch"] for row in pictured)
    last = [row for row in pictured if row["batch"] == largest]
    whole = [row for row in last if row["variant"] in at_once]
    ours = [row for row in whole if row["provider"] == OWN_PROVIDER]
    engine = [row for row in ours if row["variant"] == ENGINE]
    libraries = [row for row in whole if row["provider"] != OWN_PROVIDER]
    others = [
        row for row in last if row["variant"] not in at_once and row["provider"] != OWN_PROVIDER
    ]
    best = [*by_provider(engine or ours), *by_provider(libraries), *by_provider(others)[:1]]
    return {row["variant"] for row in best[:MOST]}
