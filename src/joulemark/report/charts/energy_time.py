# SPDX-License-Identifier: Apache-2.0
"""Energy per message against time per message: who saves both, and who pays one with the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.figures import Absence
from joulemark.report.drawing.controls import choice, evidence_title, selection
from joulemark.report.drawing.iso_power import ALL_LENGTHS, iso_power
from joulemark.report.drawing.scales import (
    NANOJOULES_LABEL,
    NANOSECONDS_LABEL,
    colours,
    legend_order,
    looks_of,
    shapes,
)
from joulemark.report.drawing.specs import ticks
from joulemark.report.energy import headline, headline_name, missing_energy
from joulemark.report.figures import joules_text, seconds_text
from joulemark.report.rows import ChartQuantity, Row, row, workload_labels
from joulemark.report.workload import default_algorithm
from joulemark.units import format_bytes

PLACE = 4
TITLE = "Energy against time"
CAPTION = (
    "Lower left is better. Each point is one implementation at one length; one length by itself "
    "shows what its rivals differ in. Both axes are "
    "logarithmic, and the bars with ends are the 95 % intervals of time and of energy. The energy "
    "is net of deep idle and that of one domain, named above the chart. Along a dashed line the "
    "power is the same: a point above a line draws more. Figures whose interval touches zero "
    "have no place on a logarithmic axis and are only in the tables."
)

_ENERGY = ChartQuantity(
    "joules_per_message", "energy per message, net of deep idle", 1e9, joules_text, headline_name
)
_TIME = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_HEIGHT = 440
_SHOWN, _FADED = alt.value(1.0), alt.value(0.12)
_ENDS = alt.MarkConfig(size=9)


def build(results: ResultSet) -> alt.LayerChart | None:
    """The chart, or None where no result has a time and an energy above zero."""
    data = _rows(results)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection(data, algorithm)
    focus = alt.selection_point(name="focus", fields=["variant"], bind="legend")
    of_lines = [*chosen.predicates, "datum.shown === size"]
    chosen.predicates.append("size === '' || datum.bytes === size")
    axes = _Axes(data)
    layers = [*_points(results, data, axes, focus), *_power_lines(data, axes, of_lines)]
    chart = alt.LayerChart(layer=layers, data=alt.InlineData(values=data))
    legends = alt.param(name="legend_of", value=legend_order(data))
    return (
        chosen.filtered(chart)
        .add_params(*chosen.parameters, _length_choice(data), legends, focus)
        .properties(title=chosen.title, width="container", height=_HEIGHT)
    )


def missing(results: ResultSet) -> Absence:
    """Why there is no energy per message."""
    return missing_energy(results, _ENERGY.field)


def _length_choice(data: Sequence[Row]) -> alt.Parameter:
    """Dropdown of lengths, which starts with all of them."""
    lengths = sorted({point["bytes"] for point in data})
    labels = ["all lengths", *map(format_bytes, lengths)]
    options = [ALL_LENGTHS, *lengths] if len(lengths) > 1 else [ALL_LENGTHS]
    return choice("size", "Message length ", options, ALL_LENGTHS, labels)


def _rows(results: ResultSet) -> list[Row]:
    """One row for each result that has both figures; no two evidences in one picture."""
    drawable: list[tuple[Result, Figure, Figure]] = []
    for result in results.results:
        energy, time = result.joules_per_message, result.seconds_per_message
        if energy is not None and time is not None and _drawable(energy) and _drawable(time):
            drawable.append((result, energy, time))
    kinds = [
        (result, headline_name(result), _evidence(energy, time))
        for result, energy, time in drawable
    ]
    rows = []
    for (result, energy, time), label in zip(drawable, workload_labels(kinds), strict=True):
        domain = headline(result)
        rows.append(
            row(result, energy, _ENERGY, label)
            | {
                "time": time.median * _TIME.per_unit,
                "time_low": time.low * _TIME.per_unit,
                "time_high": time.high * _TIME.per_unit,
                "time_text": seconds_text(time),
                "evidence": _evidence(energy, time),
                "energy_evidence": energy.evidence.value,
                "time_evidence": time.evidence.value,
                "meter": domain.meter if domain else "",
                "method": domain.method if domain else "",
            }
        )
    return rows


def _drawable(figure: Figure) -> bool:
    ends = (figure.low, figure.median, figure.high)
    return all(map(math.isfinite, ends)) and figure.low > 0


def _evidence(energy: Figure, time: Figure) -> str:
    """Evidence of both axes in words."""
    if energy.evidence is time.evidence:
        return energy.evidence.value
    return f"energy {energy.evidence.value}, time {time.evidence.value}"


class _Axes:
    """Both axes, whose titles, scales and labels all layers share.

    Args:
        data: rows of the points.
    """

    def __init__(self, data: Sequence[Row]) -> None:
        shared: dict[str, Any] = {"scale": alt.Scale(type="log", nice=False, padding=8)}
        times = ticks(data, "time_low", "time_high", always_steps=True)
        self._time = shared | {
            "title": _title(_TIME, data, "time_evidence"),
            "axis": alt.Axis(values=times, labelExpr=NANOSECONDS_LABEL, labelOverlap="greedy"),
        }
        energies = ticks(data, always_steps=True)
        self._energy = shared | {
            "title": _title(_ENERGY, data, "energy_evidence"),
            "axis": alt.Axis(values=energies, labelExpr=NANOJOULES_LABEL, labelOverlap="greedy"),
        }

    def x(self, field: str) -> alt.X:
        """The axis of time for one value of a row."""
        return alt.X(f"{field}:Q", **self._time)

    def y(self, field: str) -> alt.Y:
        """The axis of energy for one value of a row."""
        return alt.Y(f"{field}:Q", **self._energy)


def _title(quantity: ChartQuantity, data: Sequence[Row], evidence: str) -> str:
    return evidence_title(quantity.title, [{"evidence": point[evidence]} for point in data])


def _power_lines(data: Sequence[Row], axes: _Axes, predicates: Sequence[str]) -> list[alt.Chart]:
    """A dashed line for each round power, with its label at the upper end.

    They have separate rows, which the filters of the points do not reach.
    """
    base = alt.Chart(alt.InlineData(values=iso_power(data)))
    for predicate in predicates:
        base = base.transform_filter(predicate)
    rule = base.mark_rule(strokeDash=[3, 4], strokeWidth=1, opacity=0.45, tooltip=None).encode(
        x=axes.x("time"), x2="time_end:Q", y=axes.y("value"), y2="value_end:Q"
    )
    label = base.mark_text(align="right", baseline="bottom", dx=-7, fontSize=11).encode(
        x=axes.x("time_end"), y=axes.y("value_end"), text="label:N"
    )
    return [rule, label]


def _points(
    results: ResultSet, data: Sequence[Row], axes: _Axes, focus: alt.Parameter
) -> list[alt.Chart]:
    """Each point and both of its intervals; the first layer carries the click on the legend."""
    looks = looks_of(results, data)
    legend = alt.Legend(
        title="Implementation", values=alt.ExprRef("legend_of[algorithm]"), symbolLimit=0
    )
    base = alt.Chart().encode(
        color=alt.Color("variant:N", legend=legend, scale=colours(looks)),
        opacity=alt.condition(focus, _SHOWN, _FADED, empty=True),
    )
    of_energy = base.mark_errorbar(orient="vertical", ticks=_ENDS, thickness=1.3).encode(
        x=axes.x("time"), y=axes.y("low"), y2="high:Q"
    )
    of_time = base.mark_errorbar(orient="horizontal", ticks=_ENDS, thickness=1.3).encode(
        x=axes.x("time_low"), x2="time_high:Q", y=axes.y("value")
    )
    points = base.mark_point(filled=True, size=52, strokeWidth=1).encode(
        x=axes.x("time"),
        y=axes.y("value"),
        shape=alt.Shape("variant:N", legend=legend, scale=shapes(looks)),
        tooltip=[
            alt.Tooltip("name:N", title="implementation"),
            alt.Tooltip("provider:N"),
            alt.Tooltip("length:N", title="message"),
            alt.Tooltip("text:N", title=_ENERGY.title),
            alt.Tooltip("energy_evidence:N", title="evidence of the energy"),
            alt.Tooltip("time_text:N", title=_TIME.title),
            alt.Tooltip("time_evidence:N", title="evidence of the time"),
            alt.Tooltip("source:N", title="domain"),
            alt.Tooltip("meter:N"),
            alt.Tooltip("method:N"),
        ],
    )
    return [points, of_energy, of_time]
