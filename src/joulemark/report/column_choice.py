# SPDX-License-Identifier: Apache-2.0
"""The columns of the tables in a terminal, and the choice among them by the width.

Without energy, widths are fixed thresholds. With energy there are more columns than any usual
terminal shows: they are dropped in a fixed order until the rest fits. The time with its interval
and the energy per byte (modelled where there is no other) are never dropped; the interval of the
latter goes last of all.

A name is in one piece, so that it can be copied: columns are dropped for it as well. Only where
those that stay leave too little room is it folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from joulemark.analyse import Figure, Result
from joulemark.records.figures import FigureGroup, FigureKind, figure_kind, figures_in
from joulemark.records.trial import is_firmware
from joulemark.report import NONE, Cell
from joulemark.report.words import (
    UNIT_TEXT,
    clocks_text,
    format_number,
    minimum_text,
    number_text,
    repeatability_text,
    seconds_text,
)
from joulemark.units import format_rate

_LONGEST_NAME = 22
"""Signs of a name. Beside energy, words behind a longer name fold before figures are dropped."""
_SHORTEST_NAME = 14
_BETWEEN = 2
"""Signs between two columns, and those of both edges together."""
_RELATIVE = 7
"""Width of the column of times fastest."""


@dataclass(frozen=True, slots=True)
class TerminalColumn:
    """One column: its heading, its text for a figure, and when it gives way."""

    heading: str
    field: str
    """Name in `Result` of the figure whose evidence word belongs to this column."""
    text: Callable[[Figure], str]
    min_width: int = 0
    max_width: int = 10_000
    drop: int = 0
    """Beside energy, the highest goes first; 0 stays."""
    of_result: Callable[[Result], str] | None = None
    """Used in place of `text` if the column shows another value of the result."""
    only_if: Callable[[Result], bool] = lambda _result: True
    """Whether the column is for a result; a column that is for no result is left out."""

    def figure(self, result: Result) -> Figure | None:
        """The figure, where it exists."""
        figure: Figure | None = getattr(result, self.field)
        return figure

    def words(self, result: Result) -> str:
        """The text of the cell, without the evidence word."""
        if self.of_result is not None:
            return self.of_result(result)
        figure = self.figure(result)
        return self.text(figure) if figure else NONE

    def cell(self, result: Result) -> Cell:
        """The cell of a result."""
        figure = self.figure(result)
        return Cell(self.words(result), evidence=figure.evidence.value if figure else "")


def fitting(
    results: Sequence[Result], names: Sequence[str], width: int, *, marks: int = 0
) -> list[TerminalColumn]:
    """Columns with a figure in at least one of `results` that fit a terminal."""
    columns = [
        column
        for column in _COLUMNS
        if column.min_width <= width <= column.max_width
        and any(column.figure(result) and column.only_if(result) for result in results)
    ]
    word = name_width(names)
    beside = _RELATIVE + 2 * _BETWEEN + (marks + _BETWEEN if marks else 0)
    if not any(column.field in _ENERGY for column in columns):
        return _drop(columns, results, width - word - beside, None)
    longest = max(map(len, names), default=0)
    name = max(word, min(longest, _LONGEST_NAME))
    room = width - name - beside
    if not any(column.field in _METERED for column in columns):
        # Time at a stated power ranks as time does, so it gives way to rate and cycles.
        if _needed(columns, results) > room:
            columns = [c for c in columns if c.field != "modelled_joules_per_message"]
        if _needed(columns, results) > room:
            columns = [_narrow(c) if c.field in _NARROWED else c for c in columns]
            room = width - word - beside
    shown = {column.field for column in columns}
    lasting = next((field for field in _PER_BYTE if field in shown), None)
    columns = _drop(columns, results, room, lasting)
    if _needed(columns, results) > room:
        columns = [_narrow(c) if c.field in _ENERGY else c for c in columns]
    return columns


def name_width(names: Sequence[str]) -> int:
    """Width of the first column in which no name breaks; words behind names may.

    Args:
        names: as they are shown, with a space before and words such as "= shani" behind.
    """
    words = (word for name in names for word in name.split())
    return max(_SHORTEST_NAME, 1 + max(map(len, words), default=0))


def _drop(
    columns: Sequence[TerminalColumn], results: Sequence[Result], room: int, lasting: str | None
) -> list[TerminalColumn]:
    """Leaves columns out, the highest `drop` first, until the rest fits; `lasting` stays."""
    left = list(columns)
    while _needed(left, results) > room:
        droppable = [column for column in left if column.drop and column.field != lasting]
        if not droppable:
            break
        left.remove(max(droppable, key=lambda column: column.drop))
    return left


def _narrow(column: TerminalColumn) -> TerminalColumn:
    """The median alone, its heading on more lines."""
    heading = column.heading
    for words in (" per ", " deep ", " energy", " cycles"):
        heading = heading.replace(words, f"\n{words[1:]}")
    return replace(column, heading=heading, text=medians_only(column.text))


def evidence_words(figures: Iterable[Figure | None]) -> list[str]:
    """The evidence words of figures, each once."""
    return sorted({figure.evidence.value for figure in figures if figure})


def medians_only(text: Callable[[Figure], str]) -> Callable[[Figure], str]:
    """The same text without the interval."""
    return lambda figure: text(figure).partition(" [")[0]


def _needed(columns: Sequence[TerminalColumn], results: Sequence[Result]) -> int:
    """Width of the columns side by side, each with the signs between it and the column before."""
    total = 0
    for column in columns:
        kinds = evidence_words(column.figure(result) for result in results)
        word = max(map(len, kinds), default=0)
        cells = max((len(column.words(result)) for result in results), default=0)
        cells += word + 1 if len(kinds) > 1 else 0
        total += max(cells, word, *map(len, column.heading.splitlines())) + _BETWEEN
    return total


def _rate(result: Result) -> str:
    return format_rate(result.bytes_per_second) if result.bytes_per_second else NONE


_WIDE = 110
_REPEATED = 124
_WIDEST = 145
_DROP = {
    "joules_per_byte": 0,
    "joules_per_message": 4,
    "gross_joules_per_message": 7,
    "watts": 3,
    "joule_seconds_per_message": 8,
    "modelled_joules_per_byte": 1,
    "modelled_joules_per_message": 9,
    "clocks_per_message": 0,
    "clocks_per_byte": 0,
    "key_setup_clocks": 12,
    "core_cycles_per_message": 0,
    "instructions_per_message": 13,
    "key_setup_core_cycles": 14,
    "code_bytes": 1,
    "constant_bytes": 12,
    "static_ram_bytes": 15,
    "state_bytes": 11,
    "stack_bytes": 1,
}
"""Figure -> when its column gives way, see `TerminalColumn.drop`; any other is the first to go."""
_FIRST_TO_GO = 16


def _terminal_column(kind: FigureKind) -> TerminalColumn:
    """The column of a figure, with the heading and the unit of the table of figures."""
    heading = kind.short_heading
    if kind.basis:
        # Every energy-delay product here is of a message; the words would widen the column.
        heading = heading.replace("product per message", "product")
    else:
        heading = heading.replace(" per ", "\nper ").replace(" of ", " of\n")
    drop = _DROP.get(kind.field, _FIRST_TO_GO)
    return TerminalColumn(heading, kind.field, UNIT_TEXT[kind.unit], drop=drop)


def _firmware_column(kind: FigureKind) -> TerminalColumn:
    """The column of a count, which is exact and so without an interval."""
    column = _terminal_column(kind)
    return replace(
        column,
        heading=_FIRMWARE_HEADINGS.get(kind.field, column.heading),
        text=clocks_text,
        only_if=lambda result: is_firmware(result.target),
    )


_ENERGY_COLUMNS = tuple(
    _terminal_column(kind) for kind in figures_in(FigureGroup.ENERGY, FigureGroup.MODELLED)
)
_ENERGY = {column.field for column in _ENERGY_COLUMNS}
_NARROWED = {*_ENERGY, "core_cycles_per_byte", "tsc_ticks_per_byte"}
_METERED = {field for field in _ENERGY if not field.startswith("modelled_")}
_PER_BYTE = ("joules_per_byte", "modelled_joules_per_byte")
"""The first of these that a table has stays at every width."""
_FIRMWARE_HEADINGS = {
    "instructions_per_message": "instruc-\ntions",
    "key_setup_core_cycles": "core cycles\nof key",
    "code_bytes": "code\nbytes",
    "constant_bytes": "constant\nbytes",
    "static_ram_bytes": "static RAM\nbytes",
    "state_bytes": "key state\nbytes",
    "stack_bytes": "stack\nbytes",
}
"""Headings that are narrower than those of the table of figures."""
_FIRMWARE_COLUMNS = tuple(
    map(
        _firmware_column,
        (figure_kind("core_cycles_per_message"), *figures_in(FigureGroup.FIRMWARE)),
    )
)
_CORE_CYCLES = TerminalColumn(
    "core cycles per byte",
    "core_cycles_per_byte",
    number_text,
    min_width=_WIDE,
    drop=2,
    only_if=lambda result: not is_firmware(result.target),
)
"""Firmware has no such column: its messages are short, and its sizes take the room."""
_COLUMNS = (
    TerminalColumn("time per message", "seconds_per_message", seconds_text),
    TerminalColumn("minimum", "seconds_per_message", minimum_text, min_width=90, drop=10),
    TerminalColumn(
        "between runs",
        "seconds_per_message",
        seconds_text,
        min_width=_REPEATED,
        drop=11,
        of_result=lambda result: repeatability_text(result.repeatability),
        only_if=lambda result: result.repeatability is not None,
    ),
    *map(_terminal_column, figures_in(FigureGroup.CLOCKS)),
    *_FIRMWARE_COLUMNS,
    *_ENERGY_COLUMNS,
    replace(
        _CORE_CYCLES,
        heading="core cycles\nper byte",
        text=lambda figure: format_number(figure.median),
        min_width=0,
        max_width=_WIDE - 1,
    ),
    _CORE_CYCLES,
    TerminalColumn(
        "TSC ticks per byte", "tsc_ticks_per_byte", number_text, min_width=_WIDEST, drop=6
    ),
    TerminalColumn(
        "rate", "seconds_per_message", seconds_text, min_width=72, drop=5, of_result=_rate
    ),
)
