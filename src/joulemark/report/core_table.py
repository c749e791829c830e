# SPDX-License-Identifier: Apache-2.0
"""Reports of hardware cores as tables: one for each kind of target, a word beside each figure.

A report's figures are looked up by name; what a table has no column for is in the JSON alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.analyse.results import CoreReport, ResultSet
from joulemark.report.context import setting_facts
from joulemark.report.figures import format_number
from joulemark.units import format_joules, format_seconds, format_si

__all__ = ["MODELS", "CoreCell", "CoreRow", "CoreTable", "core_tables", "terminal_core_tables"]

MODELS: Final = (
    "Nothing of this was measured on silicon: clocks and switching are simulated, area, timing and "
    "power modelled from a device or a cell library."
)
_NONE = "-"
_SHOWN = 4
"""Reports of each kind in a terminal: a sweep leaves dozens in the store."""


@dataclass(frozen=True, slots=True)
class _Column:
    field: str
    heading: str
    text: Callable[[float], str]


def _count(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _number(value: float) -> str:
    """Four digits, and all before the point."""
    return f"{value:.0f}" if abs(value) >= 1000 else format_number(value, digits=4)


_CLOCKS = (
    _Column("clocks_per_block", "Clocks per block", _count),
    _Column("latency_clocks", "Latency in clocks", _count),
)
_KINDS: Final = (
    (
        "FPGA",
        ("ecp5", "ice40"),
        (
            *_CLOCKS,
            _Column("luts", "LUT4", _count),
            _Column("flip_flops", "Flip-flops", _count),
            _Column("block_rams", "Block RAMs", _count),
            _Column("fmax_mhz", "Highest clock", lambda value: f"{_number(value)} MHz"),
            _Column("throughput_bit_per_s", "Throughput", lambda value: format_si(value, "bit/s")),
            _Column("bit_per_s_per_lut", "Per LUT", lambda value: format_si(value, "bit/s")),
        ),
    ),
    (
        "Standard cells",
        (),
        (
            *_CLOCKS,
            _Column("area_um2", "Area", lambda value: f"{_number(value)} \N{MICRO SIGN}m²"),
            _Column("area_ge", "Area in NAND2", lambda value: f"{_number(value)} GE"),
            _Column(
                "area_lowest_ge", "lowest of the mappings", lambda value: f"{_number(value)} GE"
            ),
            _Column(
                "area_highest_ge", "highest of the mappings", lambda value: f"{_number(value)} GE"
            ),
            _Column("storage_ge", "of it storage", lambda value: f"{_number(value)} GE"),
            _Column("logic_ge", "of it logic", lambda value: f"{_number(value)} GE"),
            _Column("clock_tree_ge", "of it clock tree", lambda value: f"{_number(value)} GE"),
            _Column("reset_tree_ge", "of it reset tree", lambda value: f"{_number(value)} GE"),
            _Column("area_without_trees_ge", "without trees", lambda value: f"{_number(value)} GE"),
            _Column("period_s", "Shortest period", format_seconds),
            _Column("clock_skew_s", "of it skew", format_seconds),
            _Column("throughput_bit_per_s", "Throughput", lambda value: format_si(value, "bit/s")),
            _Column("leakage_w", "Leakage", lambda value: format_si(value, "W")),
            _Column("dynamic_w", "Dynamic power", lambda value: format_si(value, "W")),
            _Column("clock_tree_w", "of it clock tree", lambda value: format_si(value, "W")),
            _Column("energy_per_block_j", "Energy per block", format_joules),
            _Column("energy_per_block_lowest_j", "lowest of the mappings", format_joules),
            _Column("energy_per_block_highest_j", "highest of the mappings", format_joules),
            _Column("energy_per_block_without_trees_j", "without trees", format_joules),
            _Column("energy_per_byte_j", "Energy per byte", format_joules),
            _Column("energy_per_mac_j", "Energy per MAC", format_joules),
        ),
    ),
)
"""Title, targets and columns of each table; the last takes every target that none names."""


@dataclass(frozen=True, slots=True)
class CoreCell:
    """One figure: its text, its evidence word, or why it is missing."""

    text: str
    evidence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One report."""

    core: str
    parameters: str
    target: str
    """With what a figure cannot be read without: library, clock and voltage, or device."""
    cells: tuple[CoreCell, ...]
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CoreTable:
    """Reports whose figures can stand in the same columns."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[CoreRow, ...]
    reasons: tuple[str, ...]


def core_tables(results: ResultSet) -> list[CoreTable]:
    """A table for each kind of target that the store has reports of."""
    named = {target for _, targets, _ in _KINDS for target in targets}
    tables = []
    for title, targets, columns in _KINDS:
        found = [
            one
            for one in results.core_reports
            if one.target in targets or (not targets and one.target not in named)
        ]
        if found:
            tables.append(_table(title, found, columns))
    return tables


def _table(title: str, found: Sequence[CoreReport], columns: Sequence[_Column]) -> CoreTable:
    shown = [one for one in columns if any(_value(report, one) is not None for report in found)]
    reasons: dict[str, None] = {}
    for report in found:
        for column in columns:
            if _value(report, column) is None and report.reasons.get(column.field):
                reason = report.reasons[column.field].rstrip(".")
                reasons[f"{column.heading} ({report.core}, {report.target}): {reason}."] = None
    return CoreTable(
        title,
        tuple(column.heading for column in shown),
        tuple(_row(report, shown) for report in found),
        tuple(reasons),
    )


def _row(report: CoreReport, columns: Sequence[_Column]) -> CoreRow:
    name = report.core if report.configuration is None else f"{report.core} {report.configuration}"
    return CoreRow(
        name,
        ", ".join(f"{key}={value}" for key, value in report.parameters.items()) or "none",
        ", ".join([report.target, *_conditions(report.settings)]),
        tuple(_cell(report, column) for column in columns),
        tuple(setting_facts({**report.settings, "made at": report.made_at})),
    )


def _conditions(settings: dict[str, Any]) -> list[str]:
    """The settings without which a power or a clock says nothing, where they are given."""
    named = [str(settings[name]) for name in ("device", "library") if settings.get(name)]
    words = named[:1]
    for name, unit in (("clock_hz", "Hz"), ("voltage_v", "V")):
        value = settings.get(name)
        if isinstance(value, int | float):
            words.append(format_si(value, unit))
    placers = dict.fromkeys(map(str, settings.get("placer_by_seed") or ()))
    return [*words, *([f"placed by {' and '.join(placers)}"] if placers else [])]


def _value(report: CoreReport, column: _Column) -> float | None:
    value = report.figures.get(column.field)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _cell(report: CoreReport, column: _Column) -> CoreCell:
    value = _value(report, column)
    if value is None:
        return CoreCell(_NONE, reason=report.reasons.get(column.field, "no reason recorded"))
    return CoreCell(column.text(value), report.evidence.get(column.field, "evidence not recorded"))


def terminal_core_tables(results: ResultSet) -> list[TerminalCoreTable]:
    """The same for a terminal, of the algorithms that the run is about."""
    about = {one.algorithm for one in results.results}
    shown = [one for one in results.core_reports if one.algorithm in about]
    tables = core_tables(results.model_copy(update={"core_reports": shown}))
    return [TerminalCoreTable(table) for table in tables]


@dataclass(frozen=True, slots=True)
class TerminalCoreTable:
    """A block of lines for each core: no terminal is wide enough for a row of a dozen figures."""

    table: CoreTable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        grid = Table(
            title=_plain(f"Hardware cores, {self.table.title}"), title_justify="left",
            box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0),
        )  # fmt: skip
        grid.add_column("core\n  figure", overflow="fold", min_width=14)
        grid.add_column("", justify="right", overflow="fold")
        grid.add_column("evidence", no_wrap=True)
        for row in self.table.rows[:_SHOWN]:
            grid.add_section()
            grid.add_row(_plain(f" {row.core}, {row.parameters}"), _plain(row.target), "")
            for heading, cell in zip(self.table.headings, row.cells, strict=True):
                if cell.text != _NONE:
                    grid.add_row(_plain(f"   {heading}"), _plain(cell.text), _plain(cell.evidence))
        yield grid
        lines = [MODELS]
        if len(self.table.rows) > _SHOWN:
            more = len(self.table.rows) - _SHOWN
            lines.append(f"{more} more are on the page and in the exports.")
        else:
            lines += self.table.reasons
        yield Padding(_plain("\n".join(f" {line}" for line in lines)), (0, 0, 1, 0))


def _plain(text: str) -> Text:
    """Text from outside without signs that would steer the terminal."""
    return Text("".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text))
