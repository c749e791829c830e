# SPDX-License-Identifier: Apache-2.0
"""Energy per message against time per message: who saves both, and who pays one with the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.records.figures import Absence
from joulemark.report.circumstances import headline, headline_name, missing_energy
from joulemark.report.drawing import (
    NANOJOULES_LABEL,
    NANOSECONDS_LABEL,
    Row,
    Spec,
    channel,
    filtered,
    interval,
    mark,
    ticks,
)
from joulemark.report.drawing.curve import FADING, FOCUS, variant_looks
from joulemark.report.drawing.rows import (
    ChartQuantity,
    choice,
    constant,
    evidence_title,
    legend_order,
    row,
    selection,
    workload_labels,
)
from joulemark.report.words import default_algorithm, joules_text, seconds_text
from joulemark.units import format_bytes, format_si

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
_ENDS = {"size": 9}
_POWERS = "powers"
"""Name of the rows of lines of equal power, which two layers draw."""
_FOCUS = {**FOCUS, "select": {"type": "point", "fields": ["variant"]}, "views": ["points"]}


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where no result has a time and an energy above zero."""
    data = _rows(results)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection(data, algorithm)
    of_lines = [*chosen.predicates, "datum.shown === size"]
    chosen.predicates.append("size === '' || datum.bytes === size")
    time, energy = _axes(data)
    layers = [*_points(results, data, time, energy), *_power_lines(time, energy, of_lines)]
    parameters = [_length_choice(data), constant("legend_of", legend_order(data)), _FOCUS]
    powers = {_POWERS: iso_power(data)}
    return chosen.chart(data, layers, parameters, height=_HEIGHT, datasets=powers)


def missing(results: ResultSet) -> Absence:
    """Why there is no energy per message."""
    return missing_energy(results, _ENERGY.field)


def _length_choice(data: Sequence[Row]) -> Spec:
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
    if energy.evidence is time.evidence:
        return energy.evidence.value
    return f"energy {energy.evidence.value}, time {time.evidence.value}"


def _axes(data: Sequence[Row]) -> tuple[Spec, Spec]:
    """Titles, scales and labels of the axes of time and of energy, which all layers share."""
    scale = {"type": "log", "nice": False, "padding": 8}
    times = ticks(data, "time_low", "time_high", always_steps=True)
    energies = ticks(data, always_steps=True)
    return (
        {
            "scale": scale,
            "title": _title(_TIME, data, "time_evidence"),
            "axis": _axis(times, NANOSECONDS_LABEL),
        },
        {
            "scale": scale,
            "title": _title(_ENERGY, data, "energy_evidence"),
            "axis": _axis(energies, NANOJOULES_LABEL),
        },
    )


def _axis(values: Sequence[float], label: str) -> Spec:
    return {"values": values, "labelExpr": label, "labelOverlap": "greedy"}


def _title(quantity: ChartQuantity, data: Sequence[Row], evidence: str) -> str:
    return evidence_title(quantity.title, [{"evidence": point[evidence]} for point in data])


def _points(results: ResultSet, data: Sequence[Row], time: Spec, energy: Spec) -> list[Spec]:
    """Each point and both of its intervals; the first layer carries the click on the legend."""
    legend = {
        "title": "Implementation",
        "values": {"expr": "legend_of[algorithm]"},
        "symbolLimit": 0,
    }
    looks = variant_looks(results, data, legend)
    base = {"color": looks.colour(), "opacity": FADING}
    x, y = channel("time:Q", **time), channel("value:Q", **energy)
    tooltip = [
        channel("name:N", title="implementation"),
        channel("provider:N"),
        channel("length:N", title="message"),
        channel("text:N", title=_ENERGY.title),
        channel("energy_evidence:N", title="evidence of the energy"),
        channel("time_text:N", title=_TIME.title),
        channel("time_evidence:N", title="evidence of the time"),
        channel("source:N", title="domain"),
        channel("meter:N"),
        channel("method:N"),
    ]
    points = {**base, "x": x, "y": y, "shape": looks.shape(), "tooltip": tooltip}
    of_energy = {**base, "x": x, **interval("y", "low:Q", "high:Q", energy)}
    of_time = {**base, **interval("x", "time_low:Q", "time_high:Q", time), "y": y}
    return [
        mark("point", points, above={"name": "points"}, filled=True, size=52, strokeWidth=1),
        mark("errorbar", of_energy, orient="vertical", ticks=_ENDS, thickness=1.3),
        mark("errorbar", of_time, orient="horizontal", ticks=_ENDS, thickness=1.3),
    ]


def _power_lines(time: Spec, energy: Spec, predicates: Sequence[str]) -> list[Spec]:
    """A dashed line for each round power, with its label at the upper end.

    They have separate rows, which the filters of the points do not reach.
    """
    above = {"data": {"name": _POWERS}, "transform": filtered(predicates)}
    line = {
        **interval("x", "time:Q", "time_end:Q", time),
        **interval("y", "value:Q", "value_end:Q", energy),
    }
    label = {
        "x": channel("time_end:Q", **time),
        "y": channel("value_end:Q", **energy),
        "text": channel("label:N"),
    }
    return [
        mark(
            "rule", line, above=above, strokeDash=[3, 4], strokeWidth=1, opacity=0.45, tooltip=None
        ),
        mark("text", label, above=above, align="right", baseline="bottom", dx=-7, fontSize=11),
    ]


# Lines of equal power. Energy is power times time: with both axes logarithmic, all points of one
# power lie on a line that rises by one decade for each decade. Nanojoules over nanoseconds are
# watts.

ALL_LENGTHS = ""
"""Value of the page's choice of a length if all lengths are shown."""

_STEPS = (1, 2, 5)
_MOST_LINES = 8
"""More lines than these are thinned to powers of ten."""
_ROOM = 2.0
"""Factor by which the lines reach beyond the points on both axes. Neighbouring steps are at most a
factor 2.5 apart, so the lines on both sides of all points have a place: they cross a corner that is
widened by more than the square root of 2.5."""


def iso_power(data: Sequence[Row]) -> list[Row]:
    """Ends and label of each line, for each part of `data` that is shown by itself.

    A part is one algorithm in one workload, at all lengths (`shown` is `ALL_LENGTHS`) or at one.

    Args:
        data: rows with time (`time`, `time_low`, `time_high`) and energy (`value`, `low`, `high`),
            all above 0.
    """
    pictures: dict[tuple[str, str, str | int], list[Row]] = {}
    for point in data:
        for shown in (ALL_LENGTHS, point["bytes"]):
            pictures.setdefault((point["algorithm"], point["workload"], shown), []).append(point)
    return [
        {"algorithm": algorithm, "workload": workload, "shown": shown, **line}
        for (algorithm, workload, shown), members in pictures.items()
        for line in _lines(members)
    ]


def _lines(members: Sequence[Row]) -> list[Row]:
    first_time = min(point["time_low"] for point in members) / _ROOM
    last_time = max(point["time_high"] for point in members) * _ROOM
    least = min(point["low"] for point in members) / _ROOM
    most = max(point["high"] for point in members) * _ROOM
    lines = []
    for power in _powers([point["value"] / point["time"] for point in members]):
        start, end = max(first_time, least / power), min(last_time, most / power)
        if start < end:
            lines.append(
                {
                    "power_w": power,
                    "label": format_si(power, "W"),
                    "time": start,
                    "time_end": end,
                    "value": start * power,
                    "value_end": end * power,
                }
            )
    return lines


def _powers(powers: Sequence[float]) -> list[float]:
    """Round powers from one at or below all of `powers` to one at or above, few enough to read."""
    fine = _between(powers, _STEPS)
    return fine if len(fine) <= _MOST_LINES else _between(powers, (1,))


def _between(powers: Sequence[float], steps: Sequence[int]) -> list[float]:
    low, high = min(powers), max(powers)
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    every = [float(f"{step}e{decade}") for decade in decades for step in steps]
    first = max(power for power in every if power <= low)
    last = min(power for power in every if power >= high)
    if first == last:
        place = every.index(first)
        first, last = every[place - 1], every[place + 1]
    return [power for power in every if first <= power <= last]
