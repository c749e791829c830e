# SPDX-License-Identifier: Apache-2.0
"""Targets beside each other: tables, the chart of energy over length, the page and the JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Final

from joulemark.budget.targets import CrossOver, TargetRow, cross_overs, joules_by_length, leaders
from joulemark.records.figures import Evidence, FigureUnit
from joulemark.report import (
    NONE,
    Cell,
    Chart,
    Heading,
    JsonObject,
    Notes,
    ReportError,
    Sheet,
    Table,
    write_atomically,
)
from joulemark.report.budget.chart import picture_of, write_chart
from joulemark.report.drawing import (
    channel,
    frame,
    interval,
    looks_of,
    mark,
    tooltips,
    value_axis,
)
from joulemark.report.page import sheet_page
from joulemark.report.style import LIGHT
from joulemark.units import (
    format_bytes,
    format_duration,
    format_hertz,
    format_joules,
    format_seconds,
)

KINDS: Final = ("host", "mcu", "gate", "core")
"""Kinds of targets in the order of the table."""
TARGETS_VERSION: Final = 3
"""Version of the JSON. 2: several lengths, each row with its own, and cross-overs. 3: cross-overs
of the energy at the rate, if one is asked for and known."""


@dataclass(frozen=True, slots=True)
class ComparedTargets:
    """A MAC on targets of several kinds, at one length or several."""

    mac: str
    sizes_bytes: tuple[int, ...]
    """The shortest first."""
    rows: Sequence[TargetRow]
    """By length, kind and energy; at least one."""
    missing: Sequence[str]
    """Targets that have no row, with the reason."""
    period_s: float | None
    """Seconds from message to message."""

    @property
    def has_lengths(self) -> bool:
        """Whether there are several lengths."""
        return len(self.sizes_bytes) > 1

    @property
    def ranked_every_s(self) -> float | None:
        """The period at whose energy targets are compared; None: by the message alone.

        With a period of which no target has an energy, the message decides.
        """
        known = self.period_s is not None and joules_by_length(self.rows, self.period_s)
        return self.period_s if known else None

    @property
    def targets(self) -> list[str]:
        """Names of the targets, in the order of their rows at the shortest length."""
        return list(dict.fromkeys(row.target for row in self.rows))


def order_of(row: TargetRow, period_s: float | None) -> tuple[bool, float]:
    """By joules, with a period those at this rate; rows without them behind, by seconds."""
    joules = row.energy_j(period_s)
    return joules is None, row.seconds.value if joules is None else joules


def targets_sheet(compared: ComparedTargets) -> Sheet:
    """The answer, the tables, the chart if there are several lengths, and their grounds."""
    sizes = format_bytes(compared.sizes_bytes[0])
    if compared.has_lengths:
        sizes = f"{sizes} to {format_bytes(compared.sizes_bytes[-1])}"
        tables = list(_by_length(compared))
    else:
        tables = [_one_length(compared)]
    chart = energy_chart(compared)
    left_out = [f"Not shown: {reason}" for reason in compared.missing]
    return Sheet(
        f"A message of {sizes}, {compared.mac}, on each target",
        [*([] if chart is None else [chart]), *tables, Notes("", [*_notes(compared), *left_out])],
        lead=" ".join(_answers(compared)),
    )


def _answers(compared: ComparedTargets) -> Iterator[str]:
    """The target with least energy at each length, and which leaders change places where."""
    period_s = compared.ranked_every_s
    curves = joules_by_length(compared.rows, period_s)
    rate = "" if period_s is None else f" with a message every {format_duration(period_s)}"
    least: dict[str, list[int]] = {}
    for size in compared.sizes_bytes:
        there = {name: curve[size] for name, curve in curves.items() if size in curve}
        if there:
            least.setdefault(min(there, key=lambda name: (there[name], name)), []).append(size)
    for target, sizes in least.items():
        if not compared.has_lengths:
            yield f"Least energy{rate}: {format_joules(curves[target][sizes[0]])} on {target}."
            continue
        whole = sizes == list(compared.sizes_bytes)
        where = "every length" if whole else _lengths(sizes, compared.sizes_bytes)
        ends = [format_joules(curves[target][size]) for size in (sizes[0], sizes[-1])]
        yield f"Least energy{rate} at {where}: {target}, {' to '.join(dict.fromkeys(ends))}."
    if not compared.has_lengths:
        return
    best = leaders(compared.rows, period_s)
    crossed: dict[frozenset[str], list[CrossOver]] = {}
    for each in cross_overs(curves, best):
        crossed.setdefault(frozenset((each.shorter, each.longer)), []).append(each)
    for pair in crossed.values():
        begins = [each.first_bytes for each in pair]
        between = zip(begins, [each.last_bytes for each in pair[1:]], strict=False)
        middle = [
            f"{'at' if begin == end else 'from'} {_span(begin, end)}" for begin, end in between
        ]
        places = [*middle, f"from {format_bytes(begins[-1])} on"]
        parts = [f"{word} {place}" for word, place in zip(cycle(("more", "less")), places)]
        first = pair[0]
        yield (
            f"{first.shorter} takes less than {first.longer} up to "
            f"{format_bytes(first.last_bytes)}{', '.join(['', *parts[:-1]])}, and {parts[-1]}."
        )
    if len(best) > 1 and not crossed:
        yield f"No two of {', '.join(best)} change places."


def _lengths(sizes: Sequence[int], compared: Sequence[int]) -> str:
    """Lengths in words, those that follow each other in `compared` as a range."""
    runs: list[list[int]] = []
    for size in sizes:
        if runs and compared.index(size) == compared.index(runs[-1][-1]) + 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    *others, last = [_span(run[0], run[-1]) for run in runs]
    return f"{', '.join(others)} and {last}" if others else last


def _span(first_bytes: int, last_bytes: int) -> str:
    """Two lengths with "to" between them; one if they are equal."""
    return " to ".join(dict.fromkeys(map(format_bytes, (first_bytes, last_bytes))))


# Tables: all facts of one length, or one figure at each length.


def _one_length(compared: ComparedTargets) -> Table:
    names = ["target", "code", "clock", "time", "energy", "memory apart"]
    if compared.period_s is not None:
        names.append(f"a message every {format_duration(compared.period_s)}")
    names.append("area")
    cells = [_cells(row, compared.period_s) for row in compared.rows]
    kept = [place for place in range(len(names)) if any(row[place] != NONE for row in cells)]
    return Table(
        "Targets",
        [Heading(names[place], number=place > 1) for place in kept],
        [[Cell(row[place]) for place in kept] for row in cells],
    )


def _cells(row: TargetRow, period_s: float | None) -> list[str]:
    variant = row.implementation.partition("/")[2] or row.implementation
    cells = [
        row.target,
        variant,
        NONE if row.clock_hz is None else format_hertz(row.clock_hz),
        format_seconds(row.seconds.value),
        _joules(row),
        _joules_text(row.memory_j),
    ]
    if period_s is not None:
        cells.append(_joules_text(row.joules_every(period_s)))
    return [*cells, NONE if row.area_ge is None else f"{row.area_ge:.0f} GE"]


def _joules(row: TargetRow) -> str:
    return _joules_text(None if row.joules is None else row.joules.value)


def _joules_text(joules: float | None) -> str:
    return NONE if joules is None else format_joules(joules)


def _by_length(compared: ComparedTargets) -> Iterator[Table]:
    """Energy, energy at the rate if one is asked for, and time; a column for each length."""
    period_s = compared.period_s
    figures: list[tuple[str, Callable[[TargetRow], str]]] = [("Energy of a message", _joules)]
    if period_s is not None:
        title = f"Energy with a message every {format_duration(period_s)}"
        figures.append((title, lambda row: _joules_text(row.joules_every(period_s))))
    figures.append(("Time of a message", lambda row: format_seconds(row.seconds.value)))
    by_place = {(row.target, row.message_bytes): row for row in compared.rows}
    for title, text_of in figures:
        rows = [
            [
                NONE if (target, size) not in by_place else text_of(by_place[target, size])
                for size in compared.sizes_bytes
            ]
            for target in compared.targets
        ]
        shown = [
            [Cell(target), *map(Cell, texts)]
            for target, texts in zip(compared.targets, rows, strict=True)
            if any(text != NONE for text in texts)
        ]
        if shown:
            columns = [Heading(format_bytes(size), number=True) for size in compared.sizes_bytes]
            yield Table(title, [Heading("target"), *columns], shown)


# What the figures rest on, in sentences.

_PROCESSES: Final = (
    "Chips, netlists and this machine are of different processes and voltages: compare rows of one "
    "kind, and kinds by orders of magnitude."
)
_GROUNDS: Final = {
    "host": "host: time {time}, of the fastest code for single messages; energy: {energy}.",
    "mcu": "mcu: core cycles simulated, and modelled for lengths that were not counted{published}; "
    "joules modelled by currents of data sheets, usual mode.",
    "gate": "gate: clocks simulated, joules modelled from the library's tables before layout; "
    "memory apart is a modelled SRAM.",
    "core": "core: clocks simulated, joules modelled; blocks alone, without moving the message.",
}


def _notes(compared: ComparedTargets) -> list[str]:
    notes = [_PROCESSES]
    for kind in KINDS:
        of_kind = [row for row in compared.rows if row.kind == kind]
        if of_kind:
            first = of_kind[0]
            energy = first.reason or (first.energy_evidence or Evidence.MODELLED).value
            known = any(row.time_evidence is Evidence.PUBLISHED for row in of_kind)
            notes.append(
                _GROUNDS[kind].format(
                    time=first.time_evidence.value,
                    energy=energy,
                    published=", unless a line below says published" if known else "",
                )
            )
    sourced = [
        row
        for row in compared.rows
        if row.kind in {"gate", "core"} or row.time_evidence is Evidence.PUBLISHED
    ]
    for source in dict.fromkeys(row.source for row in sourced):
        named = dict.fromkeys(row.target for row in sourced if row.source == source)
        notes.append(f"{', '.join(named)}: {source}.")
    if compared.period_s is not None:
        notes.append(
            "Between messages a microcontroller sleeps and cells leak, with the clock stopped."
        )
        notes.extend(_without_rate(compared.rows, compared.period_s))
    return notes


def _without_rate(rows: Sequence[TargetRow], period_s: float) -> Iterator[str]:
    """A sentence for each reason why targets have no joules at the rate, with their names."""
    lacking: dict[str, dict[str, list[int]]] = {}
    lengths: dict[str, list[int]] = {}
    for row in rows:
        lengths.setdefault(row.target, []).append(row.message_bytes)
        why = row.why_not_every(period_s)
        if why:
            lacking.setdefault(why, {}).setdefault(row.target, []).append(row.message_bytes)
    for why, targets in lacking.items():
        named = [
            target if sizes == lengths[target] else f"{target} from {format_bytes(min(sizes))} on"
            for target, sizes in targets.items()
        ]
        every = format_duration(period_s)
        yield f"No energy with a message every {every}, since {why}: {', '.join(named)}."


# Energy against the length of the message, both on logarithmic axes, a line for each target.

_MOST: Final = len(LIGHT.palette)
_CAPTION: Final = (
    "Lower is better; both axes are logarithmic. A line joins the lengths that were compared; a "
    "vertical line is the interval of a figure. The tables have every target and length."
)
_TOOLTIP: Final = {
    "series": "target",
    "length": "message",
    "text": "energy",
    "evidence": "evidence",
}


def energy_chart(compared: ComparedTargets) -> Chart | None:
    """The chart; None unless there are two lengths above zero and joules at them.

    Of more targets than a palette has colours, those with most joules are left out, chips first.
    """
    curves = joules_by_length([row for row in compared.rows if row.message_bytes > 0])
    lines = [name for name, curve in curves.items() if len(curve) > 1]
    if not lines:
        return None
    by_energy = sorted(
        lines, key=lambda name: (name.startswith("mcu:"), min(curves[name].values()))
    )
    shown = [name for name in lines if name in by_energy[:_MOST]]
    rows = [
        {
            "series": row.target,
            "message_bytes": row.message_bytes,
            "joules": row.joules.value,
            "low": row.joules.low,
            "high": row.joules.high,
            "length": format_bytes(row.message_bytes),
            "text": format_joules(row.joules.value),
            "evidence": (row.energy_evidence or Evidence.MODELLED).value,
        }
        for row in compared.rows
        if row.target in shown and row.message_bytes > 0 and row.joules is not None
    ]
    looks = looks_of(dict.fromkeys(shown))
    sizes = [size for size in compared.sizes_bytes if size > 0]
    x = channel(
        "message_bytes:Q",
        title="length of the message (B)",
        scale={"type": "log", "nice": False},
        axis={"values": sizes, "labelOverlap": "greedy"},
    )
    upwards = {
        "title": "energy of the message",
        "scale": {"type": "log"},
        "axis": value_axis(FigureUnit.JOULES, rows),
    }
    base, y = {"x": x, "color": looks.colour()}, channel("joules:Q", **upwards)
    point = {**base, "y": y, "shape": looks.shape(), "tooltip": tooltips(_TOOLTIP)}
    title = f"Energy of {compared.mac} over the length of the message"
    layers = [
        mark("line", {**base, "y": y}, strokeWidth=1.6, aria=False),
        mark("rule", {**base, **interval("y", "low:Q", "high:Q", upwards)}, aria=False),
        mark("point", point, filled=True, size=45),
    ]
    return Chart(title, _CAPTION, frame(title, rows, layers), name="energy_by_length")


def write_targets(path: Path, compared: ComparedTargets) -> None:
    """Writes the page (`.html`), or the chart in the format that the ending says."""
    if path.suffix.lower() == ".html":
        page = sheet_page(targets_sheet(compared), targets_json(compared))
        write_atomically(path, page.encode())
        return
    chart = energy_chart(compared)
    if chart is None or chart.spec is None:
        raise ReportError(
            "a chart of energy over length needs joules at two lengths above 0: give several, as "
            "--size 8..512"
        )
    write_chart(path, picture_of(dict(chart.spec), chart.title, list(_answers(compared))))


def targets_json(compared: ComparedTargets) -> JsonObject:
    """Every figure in SI units."""
    period_s, ranked_every_s = compared.period_s, compared.ranked_every_s
    curves = joules_by_length(compared.rows, ranked_every_s)
    best = leaders(compared.rows, ranked_every_s)
    return {
        "schema_version": TARGETS_VERSION,
        "algorithm": compared.mac,
        "sizes_bytes": list(compared.sizes_bytes),
        "period_s": period_s,
        "rows": [
            {
                **asdict(row),
                "kind": row.kind,
                "joules_every_period": None if period_s is None else row.joules_every(period_s),
            }
            for row in compared.rows
        ],
        "cross_overs_every_s": ranked_every_s,
        "cross_overs": [asdict(each) for each in cross_overs(curves, best)],
        "missing": list(compared.missing),
    }
