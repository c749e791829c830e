# SPDX-License-Identifier: Apache-2.0
"""Energy per message against time per message: who saves both, and who pays one with the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.absence import Absence
from joulemark.report.drawing.controls import choice, evidence_title, selection
from joulemark.report.drawing.iso_power import ALL_LENGTHS, iso_power
from joulemark.report.drawing.scales import (
    NANOJOULES_LABEL,
    NANOSECONDS_LABEL,
    colours,
    grid,
    has_variant,
    legend_order,
    shapes,
)
from joulemark.report.energy import headline, headline_name, missing_energy
from joulemark.report.figures import joules_text, seconds_text
from joulemark.report.rows import Quantity, Row, row, workload_labels
from joulemark.report.style import styles
from joulemark.report.workload import default_algorithm
from joulemark.units import format_bytes

__all__ = ["CAPTION", "PLACE", "TITLE", "build", "missing"]

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

_ENERGY = Quantity(
    "joules_per_message", "energy per message, net of deep idle", 1e9, joules_text, headline_name
)
_TIME = Quantity("seconds_per_message", "time per message", 1e9, seconds_text)
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
    layers = [*_points(results, data, focus), *_power_lines(data, of_lines)]
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
    """Dropdown of lengths; at first all of them."""
    lengths = sorted({point["bytes"] for point in data})
    labels = ["all lengths", *map(format_bytes, lengths)]
    options = [ALL_LENGTHS, *lengths] if len(lengths) > 1 else [ALL_LENGTHS]
    return choice("size", "Message length ", options, ALL_LENGTHS, labels)


def _rows(results: ResultSet) -> list[Row]:
    """One row for each result that has both figures; no two evidences in one picture."""
    found: list[tuple[Result, Figure, Figure]] = []
    for result in results.results:
        energy, time = result.joules_per_message, result.seconds_per_message
        if energy is not None and time is not None and _drawable(energy) and _drawable(time):
            found.append((result, energy, time))
    kinds = [
        (result, headline_name(result), _evidence(energy, time)) for result, energy, time in found
    ]
    rows = []
    for (result, energy, time), label in zip(found, workload_labels(kinds), strict=True):
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


def _axes(data: Sequence[Row]) -> tuple[alt.Axis, alt.Axis]:
    """Axes of time and of energy."""
    time = alt.Axis(
        values=grid(data, "time_low", "time_high", always_steps=True),
        labelExpr=NANOSECONDS_LABEL,
        labelOverlap="greedy",
    )
    energy = alt.Axis(
        values=grid(data, always_steps=True), labelExpr=NANOJOULES_LABEL, labelOverlap="greedy"
    )
    return time, energy


def _power_lines(data: Sequence[Row], predicates: Sequence[str]) -> list[alt.Chart]:
    """A dashed line for each round power, with its label at the upper end.

    They have separate rows, which the filters of the points do not reach.
    """
    scale = alt.Scale(type="log", nice=False, padding=8)
    (time_axis, energy_axis), (time_title, energy_title) = _axes(data), _titles(data)
    base = alt.Chart(alt.InlineData(values=iso_power(data)))
    for predicate in predicates:
        base = base.transform_filter(predicate)
    rule = base.mark_rule(strokeDash=[3, 4], strokeWidth=1, opacity=0.45, tooltip=None).encode(
        x=alt.X("time:Q", title=time_title, scale=scale, axis=time_axis),
        x2="time_end:Q",
        y=alt.Y("value:Q", title=energy_title, scale=scale, axis=energy_axis),
        y2="value_end:Q",
    )
    label = base.mark_text(align="right", baseline="bottom", dx=-7, fontSize=11).encode(
        x=alt.X("time_end:Q", title=time_title, scale=scale, axis=time_axis),
        y=alt.Y("value_end:Q", title=energy_title, scale=scale, axis=energy_axis),
        text="label:N",
    )
    return [rule, label]


def _titles(data: Sequence[Row]) -> tuple[str, str]:
    """Axis titles with the evidence word of each axis."""
    return (
        evidence_title(_TIME.title, [{"evidence": point["time_evidence"]} for point in data]),
        evidence_title(_ENERGY.title, [{"evidence": point["energy_evidence"]} for point in data]),
    )


def _points(results: ResultSet, data: Sequence[Row], focus: alt.Parameter) -> list[alt.Chart]:
    """Each point and both of its intervals; the first layer carries the click on the legend."""
    looks = {
        name: look for name, look in styles(results.results).items() if has_variant(data, name)
    }
    legend = alt.Legend(
        title="Implementation", values=alt.ExprRef("legend_of[algorithm]"), symbolLimit=0
    )
    scale = alt.Scale(type="log", nice=False, padding=8)
    (time_axis, energy_axis), (time_title, energy_title) = _axes(data), _titles(data)
    base = alt.Chart().encode(
        color=alt.Color("variant:N", legend=legend, scale=colours(looks)),
        opacity=alt.condition(focus, _SHOWN, _FADED, empty=True),
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=time_title, scale=scale, axis=time_axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title=energy_title, scale=scale, axis=energy_axis)

    of_energy = base.mark_errorbar(orient="vertical", ticks=_ENDS, thickness=1.3).encode(
        x=x("time"), y=y("low"), y2="high:Q"
    )
    of_time = base.mark_errorbar(orient="horizontal", ticks=_ENDS, thickness=1.3).encode(
        x=x("time_low"), x2="time_high:Q", y=y("value")
    )
    points = base.mark_point(filled=True, size=52, strokeWidth=1).encode(
        x=x("time"),
        y=y("value"),
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
