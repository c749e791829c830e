# SPDX-License-Identifier: Apache-2.0
"""How the samples of each implementation lie, at one length: the user's own code, then by time."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence, AbsenceKind
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import FIT_WIDTH, Looks, Row, Spec, channel, interval, mark
from joulemark.report.drawing.curve import NARROW_PAGE
from joulemark.report.drawing.rows import (
    ORDERED,
    YOURS_THEN_FASTEST,
    ChartQuantity,
    row,
    selection_at_length,
    workload_labels,
)
from joulemark.report.style import styles
from joulemark.report.words import default_algorithm, seconds_text

PLACE = 3
TITLE = "Samples"
CAPTION = (
    "A strip for each implementation: the thicker it is, the more samples took that time, "
    "relative to their median. The line across it is the interval of the median (95 %). A narrow "
    "strip repeats well; two humps are two states of the machine or of the code; a tail to the "
    "right is work of other programs. Samples far from the median are counted on the right and "
    "not drawn."
)

_QUANTITY = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_AXIS = {"labelLimit": 200, "ticks": False}
_ROW_HEIGHT = 26
_LABEL = "datum.value === 0 ? 'median' : format(datum.value, '+.1~%')"
_ONCE = {"transform": [{"filter": "datum.place === 0"}]}
"""Of the rows of a strip, which has one for each bin, the first alone."""
_THICKEST = 20
"""Pixels of the bin with most samples of a strip."""
_DECIMALS = 5
_ELSEWHERE = ("text", "batch")
"""What the rows of other charts have, and this one does not show."""
_CALCULATED = {
    "start": "datum.low_bin + datum.place * datum.width",
    "end": "datum.start + datum.width",
    "share": "datum.count / datum.most",
    "apart": f"!datum.outside ? '' : {NARROW_PAGE} ? '+' + datum.outside"
    " : datum.outside + ' not drawn'",
}
"""Field -> Vega expression, of each bin."""


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where no result has a histogram."""
    data = _rows(results)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection_at_length(results.results, data, algorithm)
    spec = chosen.chart(
        data,
        _layers(results),
        [],
        height={"step": _ROW_HEIGHT},
        autosize=FIT_WIDTH,
    )
    spec["transform"] += [
        ORDERED,
        {"calculate": "sequence(length(datum.counts))", "as": "places"},
        {"flatten": ["counts", "places"], "as": ["count", "place"]},
        *({"calculate": expression, "as": name} for name, expression in _CALCULATED.items()),
    ]
    return spec


def missing(results: ResultSet) -> Absence:
    """Why there are no samples to draw."""
    if any(result.seconds_per_message for result in results.results):
        return Absence("these results came without samples", AbsenceKind.NOT_ASKED)
    return missing_reason(results, _QUANTITY.field)


def _rows(results: ResultSet) -> list[Row]:
    """A row for each result with a histogram, whose bins are relative to the median."""
    found = [
        (result, figure, result.histogram)
        for result in results.results
        if result.histogram is not None and (figure := result.seconds_per_message) is not None
    ]
    labels = workload_labels([(result, "", figure.evidence.value) for result, figure, _ in found])
    drawn = []
    for (result, figure, histogram), label in zip(found, labels, strict=True):
        named = row(result, figure, _QUANTITY, label)
        drawn.append(
            {name: value for name, value in named.items() if name not in _ELSEWHERE}
            | {
                "counts": list(histogram.counts),
                "most": max(histogram.counts),
                "low_bin": round(histogram.low / figure.median - 1, _DECIMALS),
                "width": round(histogram.width / figure.median, _DECIMALS),
                "low": round(figure.low / figure.median - 1, _DECIMALS),
                "high": round(figure.high / figure.median - 1, _DECIMALS),
                "outside": histogram.outside,
            }
        )
    return drawn


def _layers(results: ResultSet) -> list[Spec]:
    """The bins of each strip, the interval of the median over it, and what is not drawn."""
    y = channel("name:N", title=None, sort=YOURS_THEN_FASTEST, axis=_AXIS)
    across = {
        "title": "time of a sample, from the median (measured)",
        "axis": {"labelExpr": _LABEL, "labelOverlap": "greedy", "tickCount": 8},
        "scale": {"zero": True, "nice": False},
    }
    tooltip = [
        channel("name:N", title="implementation"),
        channel("provider:N"),
        channel("start:Q", title="bin from", format="+.2%"),
        channel("end:Q", title="to", format="+.2%"),
        channel("count:Q", title="samples in it"),
        channel("samples:Q", title="of"),
        channel("evidence:N"),
    ]
    bins = {
        "y": y,
        **interval("x", "start:Q", "end:Q", across),
        "size": channel("share:Q", legend=None, scale={"domain": [0, 1], "range": [0, _THICKEST]}),
        "color": Looks(styles(results.results), channel("variant:N", legend=None)).colour(),
        "tooltip": tooltip,
    }
    return [
        mark("bar", bins, above={"transform": [{"filter": "datum.count > 0"}]}),
        mark(
            "rule",
            {"y": y, **interval("x", "low:Q", "high:Q", across)},
            above=_ONCE,
            strokeWidth=2,
        ),
        mark(
            "text",
            {"y": y, "x": {"value": {"expr": "width"}}, "text": channel("apart:N")},
            above=_ONCE,
            align="right",
            fontSize=11,
        ),
    ]
