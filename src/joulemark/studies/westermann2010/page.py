# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of westermann2010: as printed and as measured here, and an audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.verdict import Verdict
from joulemark.report import NONE, Chart, Table, text_table
from joulemark.report.drawing import Row, channel, chart_part, interval, mark, palette_colour
from joulemark.studies.study import beside
from joulemark.studies.westermann2010.measurement import MeasuredFunction, WestermannFindings, ranks
from joulemark.studies.westermann2010.paper import (
    BITS,
    Bits,
    PublishedFunction,
    Westermann2010,
    correlations,
    energy_error,
)
from joulemark.units import format_percent, format_seconds

_NUMBER: Final = {256: 1, 512: 2}
"""Length of a digest -> number of the paper's table."""


def tables(paper: Westermann2010, findings: WestermannFindings) -> list[Table]:
    """Returns every table; "-" stands for a missing function or figure."""
    return [
        *(_times(paper, findings, bits) for bits in BITS),
        *(_energies(paper, findings, bits) for bits in BITS),
        _versions(findings),
        _audit(paper),
    ]


def _times(paper: Westermann2010, findings: WestermannFindings, bits: Bits) -> Table:
    printed = sorted(paper.table(bits), key=lambda row: row.seconds)
    published = {
        row.name: f"{place}: {row.seconds:.2f} s" for place, row in enumerate(printed, start=1)
    }
    here = findings.table(bits)
    places = ranks(here, lambda function: function.seconds)
    times = {name: _time(findings.of(name, bits)) for name in published}
    return beside(
        f"Table {_NUMBER[bits]}, {bits} bits: time",
        "Time of 1024 messages of 16 MiB with its 95 % interval (measured), and rank and "
        "time of the paper (published, Core 2 Duo). 'Not told apart' names the functions that are "
        "shown to be neither faster nor slower, all pairs of the table judged together.",
        sorted(published, key=lambda name: places.get(name, len(published) + 1)),
        {
            "function": str,
            "rank": lambda name: str(places.get(name, NONE)),
            "time": lambda name: times[name][0],
            "ns/byte": lambda name: times[name][1],
            "implementation": lambda name: times[name][2],
            "not told apart": lambda name: _alike(findings, here, name),
            "paper": published.__getitem__,
        },
    )


def _energies(paper: Westermann2010, findings: WestermannFindings, bits: Bits) -> Table:
    by_watts = sorted(paper.table(bits), key=lambda row: row.watts)
    by_joules = sorted(paper.table(bits), key=lambda row: row.joules_per_byte)
    here = findings.table(bits)
    power = ranks(here, lambda function: function.net_watts)
    energy = ranks(here, lambda function: function.joules_per_byte)

    def ours(row: PublishedFunction) -> MeasuredFunction | None:
        return findings.of(row.name, bits)

    def watts(row: PublishedFunction) -> str:
        function = ours(row)
        return _ranked(power.get(row.name), function.net_watts if function else None, "W", 1)

    def per_byte(row: PublishedFunction) -> str:
        function = ours(row)
        value = function.joules_per_byte if function else None
        return _ranked(energy.get(row.name), value, "nJ", 1e9)

    return beside(
        f"Table {_NUMBER[bits]}, {bits} bits: power and energy per byte",
        "Rank and figure, net of the idle machine, here and in the paper (published).",
        by_joules,
        {
            "function": lambda row: row.name,
            "power": watts,
            "energy per byte": per_byte,
            "paper, power": lambda row: f"{by_watts.index(row) + 1}: {row.watts:.2f} W",
            "paper, energy": lambda row: (
                f"{by_joules.index(row) + 1}: {row.joules_per_byte * 1e9:.2f} nJ"
            ),
        },
    )


def _ranked(place: int | None, value: float | None, unit: str, factor: float) -> str:
    return NONE if place is None else f"{place}: {_number(value, factor)} {unit}"


def _time(ours: MeasuredFunction | None) -> tuple[str, str, str]:
    if ours is None or ours.seconds is None or ours.interval_s is None:
        return (NONE, NONE, NONE)
    low, high = ours.interval_s
    return (
        f"{format_seconds(ours.seconds)} [{format_seconds(low)}, {format_seconds(high)}]",
        _number(ours.seconds_per_byte, 1e9),
        ours.implementation,
    )


def _number(value: float | None, factor: float) -> str:
    return NONE if value is None else f"{value * factor:.3g}"


def _alike(findings: WestermannFindings, here: list[MeasuredFunction], name: str) -> str:
    """Names the functions of the table that this function is not told apart from."""
    names = {function.implementation: function.name for function in here}
    alike = set()
    for pair in findings.pairs:
        two = [names.get(pair.baseline, ""), names.get(pair.contender, "")]
        if name not in two or pair.verdict in {Verdict.FASTER, Verdict.SLOWER}:
            continue
        if pair.verdict is Verdict.TOO_FEW:
            return "too few rounds"
        alike.update(two)
    return ", ".join(sorted(alike - {name, ""})) or NONE


def _versions(findings: WestermannFindings) -> Table:
    names = {function.implementation: function.name for function in findings.functions}
    return beside(
        "256 bits against 512 bits",
        "Time of the 512-bit version over that of the 256-bit version, with intervals that "
        "hold together and p-values corrected by Holm (measured).",
        sorted(findings.versions, key=lambda comparison: comparison.ratio),
        {
            "candidate": lambda pair: names[pair.baseline],
            "ratio": lambda pair: f"{pair.ratio:.3f} [{pair.low:.3f}, {pair.high:.3f}]",
            "adjusted p": lambda pair: f"{pair.p_adjusted:.2g}",
            "the 512-bit version is": lambda pair: str(pair.verdict),
        },
    )


def _audit(paper: Westermann2010) -> Table:
    values = correlations(paper)
    stated = {256: "0.37", 512: "0.14"}
    rows = [
        [
            f"rank correlation of power and time, {bits} bits",
            stated[bits],
            f"{values[bits].all_rows:.2f} over {values[bits].rows} rows",
            f"{values[bits].candidates:.2f} over the 14 candidates",
        ]
        for bits in BITS
    ]
    rows.append(
        [
            "energies from power and time",
            "printed",
            "all follow",
            f"largest difference {format_percent(energy_error(paper))}",
        ]
    )
    return text_table(
        title="Audit of the paper's tables",
        caption="Computed from the printed rows alone.",
        headings=["figure", "the paper", "recomputed", "and"],
        rows=rows,
    )


# Charts: the figures of the paper beside ours, and both lengths of each candidate.


@dataclass(frozen=True, slots=True)
class _Quantity:
    """The quantity of one of the three parts of each figure."""

    part: str
    title: str
    unit: str
    here: str
    """Field of `MeasuredFunction`."""
    published: str
    """Field of `PublishedFunction`."""
    scale: float = 1.0
    """Factor from the field's unit to that of the figure."""

    @property
    def metered(self) -> bool:
        """Whether a meter gives the quantity."""
        return self.part != "time"


_QUANTITIES: Final = (
    _Quantity("time", "Time of 16 GiB", "s", "seconds", "seconds"),
    _Quantity("power", "Power", "W, net of the idle machine", "net_watts", "watts"),
    _Quantity(
        "energy",
        "Energy per byte",
        "nJ per byte, net of the idle machine",
        "joules_per_byte",
        "joules_per_byte",
        1e9,
    ),
)
_PUBLISHED: Final = "published"
_HERE: Final = "here"
_VALUE: Final = channel("value:Q", format=".4~g")
_REFERENCE: Final = {256: "sha256", 512: "sha512"}


def charts(paper: Westermann2010, findings: WestermannFindings) -> list[Chart]:
    """Returns three charts of each length, and three that compare the lengths."""
    drawings = []
    for bits, figure in zip(BITS, ("fig2", "fig3"), strict=True):
        for quantity in _QUANTITIES:
            title = f"Fig. {figure[3:]}: {quantity.title}, {bits} bits"
            rows = [
                row
                for function in paper.table(bits)
                for row in _rows(function, findings.of(function.name, bits), quantity)
            ]
            drawings.append(
                _chart(f"{figure}_{quantity.part}", title, quantity, rows, _REFERENCE[bits])
            )
    drawings += [_both_lengths(paper, findings, quantity) for quantity in _QUANTITIES]
    return drawings


def _rows(
    published: PublishedFunction, ours: MeasuredFunction | None, quantity: _Quantity
) -> list[Row]:
    values = {
        _PUBLISHED: getattr(published, quantity.published),
        _HERE: None if ours is None else getattr(ours, quantity.here),
    }
    rows: list[Row] = [
        {
            "function": published.name,
            "source": source,
            "value": value * quantity.scale,
            "bits": published.bits,
        }
        for source, value in values.items()
        if value is not None
    ]
    ends = None if ours is None else ours.interval_of(quantity.here)
    if ends is not None and rows[-1]["source"] == _HERE:
        rows[-1] |= {"low": ends[0] * quantity.scale, "high": ends[1] * quantity.scale}
    return rows


_WITH_INTERVAL: Final = {"transform": [{"filter": "isValid(datum.low)"}]}
"""The published tables have no intervals; its figures draw them, from series that were lost."""


def _chart(
    name: str, title: str, quantity: _Quantity, rows: Sequence[Row], reference: str
) -> Chart:
    order = [
        bar["function"]
        for bar in sorted(rows, key=lambda row: row["value"])
        if bar["source"] == _PUBLISHED
    ]
    sources = [_PUBLISHED, _HERE]
    colour = palette_colour("source:N", sources)
    points = {
        "x": channel("value:Q", title=quantity.unit, scale={"type": "log", "nice": True}),
        "y": channel("function:N", title=None, sort=order),
        "color": colour,
        "shape": channel("source:N", title=None, scale={"domain": sources}),
        "tooltip": [*map(channel, ("function:N", "source:N")), _VALUE],
    }
    lines = {"data": {"values": [row for row in rows if row["function"] == reference]}}
    layers = [
        mark("rule", {"x": channel("value:Q"), "color": colour}, above=lines, strokeDash=[4, 4]),
        mark(
            "rule",
            {
                **interval("x", "low:Q", "high:Q", {"title": quantity.unit}),
                "y": channel("function:N", title=None, sort=order),
                "color": colour,
            },
            above=_WITH_INTERVAL,
            strokeWidth=1.5,
        ),
        mark("point", points, filled=True, size=70),
    ]
    caption = (
        f"In the order of the paper (published, Core 2 Duo) beside this machine. The dashed lines "
        f"are at {reference}, the bars are intervals of 95 %. Both axes of the paper are "
        "linear; this one is logarithmic."
    )
    if quantity.metered and not any(row["source"] == _HERE for row in rows):
        caption += " Without an energy meter there are no points of this machine."
    return chart_part(name, title, caption, rows, layers)


def _both_lengths(
    paper: Westermann2010, findings: WestermannFindings, quantity: _Quantity
) -> Chart:
    rows = [
        {
            **row,
            "candidate": f"{function.name}, {row['source']}",
            "bits": f"{bits} bits",
        }
        for bits in BITS
        for function in paper.table(bits, candidates=True)
        for row in _rows(function, findings.of(function.name, bits), quantity)
        if row["source"] == _HERE or quantity.metered
    ]
    title = f"Fig. 4: {quantity.title}, 256 bits beside 512 bits"
    lengths = [f"{bits} bits" for bits in BITS]
    places = {
        "x": channel("candidate:N", title=None, axis={"labelAngle": -50}),
        "xOffset": channel("bits:N", sort=lengths),
    }
    bars = {
        **places,
        "y": channel("value:Q", title=quantity.unit),
        "color": palette_colour("bits:N", lengths),
        "tooltip": [*map(channel, ("candidate:N", "bits:N")), _VALUE],
    }
    caption = "Each candidate with both lengths, and intervals of 95 % of this machine."
    ends = {**places, **interval("y", "low:Q", "high:Q", {"title": quantity.unit})}
    layers = [mark("bar", bars), mark("rule", ends, above=_WITH_INTERVAL, strokeWidth=1.5)]
    return chart_part(f"fig4_{quantity.part}", title, caption, rows, layers)
