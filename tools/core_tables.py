# SPDX-License-Identifier: Apache-2.0
"""Puts tables of figures in cell libraries into the READMEs of cores, between their two markers.

    python tools/core_tables.py REPORT.json...

Each report comes from `joulemark core report CORE:CONFIGURATION --liberty FILE --json REPORT.json`.
A core's README gets a table of the core's configurations, hdl/README.md one line for each report.
Files without markers, and cores without a report, stay as they are. The line below a table names
library, corner, clock and versions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport, CoreSettings
from joulemark.report import write_atomically

__all__ = ["BEGIN", "END", "core_table", "main", "overview", "with_table"]

HDL = Path(__file__).resolve().parent.parent / "hdl"
BEGIN, END = "<!-- figures:begin -->", "<!-- figures:end -->"

Column = tuple[str, Callable[[CoreReport], str]]


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}".replace(",", " ")


def _sum(*fields: str, factor: float = 1.0, digits: int = 0) -> Callable[[CoreReport], str]:
    """Text of the sum of some figures times a factor; "-" if a figure is missing."""

    def text(report: CoreReport) -> str:
        values = [value for field in fields if (value := report.figures[field]) is not None]
        return "-" if len(values) < len(fields) else _number(sum(values) * factor, digits)

    return text


def _range(of: str, factor: float = 1.0, digits: int = 0) -> Callable[[CoreReport], str]:
    """Text of the lowest and highest value of a figure over mappings."""
    ends = [_sum(name, factor=factor, digits=digits) for name, kind in CORE_FIGURES.items()
            if kind.part_of == of and kind.end is not None]  # fmt: skip

    def text(report: CoreReport) -> str:
        if (report.figures["mappings"] or 1) == 1:
            return "one mapping"
        low, high = (end(report) for end in ends)
        return low if low == "-" else f"{low} to {high}"

    return text


def _area(report: CoreReport) -> str:
    parts = (("storage_ge",), ("logic_ge",), ("clock_tree_ge", "reset_tree_ge"))
    return f"{_sum('area_ge')(report)} ({' + '.join(_sum(*part)(report) for part in parts)})"


CORE_COLUMNS: tuple[Column, ...] = (
    ("configuration", lambda report: f"`{report.configuration}`"),
    ("GE (storage + logic + trees)", _area),
    ("range", _range("area_ge")),
    ("period, ns", _sum("period_s", factor=1e9, digits=1)),
    ("power, uW", _sum("dynamic_w", "leakage_w", factor=1e6, digits=2)),
    ("of it trees", _sum("clock_tree_w", "trees_leakage_w", factor=1e6, digits=2)),
    ("without glitches", _sum("dynamic_no_glitch_w", "leakage_w", factor=1e6, digits=2)),
    ("pin caps only", _sum("dynamic_pin_cap_w", "leakage_w", factor=1e6, digits=2)),
    ("leakage, uW", _sum("leakage_w", factor=1e6, digits=2)),
    ("nJ a block", _sum("energy_per_block_j", factor=1e9, digits=3)),
    ("range", _range("energy_per_block_j", 1e9, 3)),
    ("GE without trees", _sum("area_without_trees_ge")),
    ("period", _sum("period_without_trees_s", factor=1e9, digits=1)),
    ("nJ", _sum("energy_per_block_without_trees_j", factor=1e9, digits=3)),
)
"""The last three are without trees."""


OVERVIEW_COLUMNS: tuple[Column, ...] = (
    ("core", lambda report: f"`{report.core}:{report.configuration}`"),
    ("clocks a block", lambda report: f"{report.figures['clocks_per_block']:g}"),
    *CORE_COLUMNS[1:5],
    *CORE_COLUMNS[9:],
)


def core_table(reports: Sequence[CoreReport]) -> str:
    """The table of one core's configurations."""
    return _table(reports, CORE_COLUMNS)


def overview(reports: Sequence[CoreReport]) -> str:
    """The table of many cores."""
    return _table(sorted(reports, key=lambda report: report.core), OVERVIEW_COLUMNS)


def _table(reports: Sequence[CoreReport], columns: Sequence[Column]) -> str:
    """A line for each report, and below the table the conditions of all.

    Raises:
        ValueError: the reports differ in library, corner, clock, mapping or versions.
    """
    conditions = {_conditions(report.settings) for report in reports}
    if len(conditions) != 1:
        raise ValueError(f"reports of different conditions: {'; '.join(sorted(conditions))}")
    lines = [f"| {' | '.join(title for title, _ in columns)} |", "|---" * len(columns) + "|"]
    lines += [f"| {' | '.join(text(report) for _, text in columns)} |" for report in reports]
    return "\n".join([*lines, "", conditions.pop()])


def _conditions(settings: CoreSettings) -> str:
    return (
        f"{settings['library']}, {settings['corner']}, {settings['clock_hz'] / 1e3:g} kHz, "
        f"{settings['mapping']} mapping (Joulemark {settings['joulemark']}, Yosys "
        f"{settings['yosys']}). Clocks are simulated, all else is modelled; medians over mappings "
        "with their range; trees are a model."
    )


def with_table(text: str, table: str) -> str:
    """The text with the table between the markers.

    Raises:
        ValueError: there are no markers.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no {BEGIN} with {END} behind it")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main(arguments: Sequence[str]) -> int:
    """Writes the tables; returns the exit code."""
    try:
        reports = [
            CoreReport.model_validate(json.loads(Path(argument).read_text("utf-8")))
            for argument in arguments
        ]
        cores: dict[str, list[CoreReport]] = {}
        for report in reports:
            cores.setdefault(report.core, []).append(report)
        places = [(HDL / name / "README.md", core_table(found)) for name, found in cores.items()]
        if reports:
            places.append((HDL / "README.md", overview(reports)))
        for place, table in places:
            text = place.read_text("utf-8")
            if BEGIN in text:
                write_atomically(place, with_table(text, table).encode())
                print(place)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
