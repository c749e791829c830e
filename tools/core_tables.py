# SPDX-License-Identifier: Apache-2.0
"""Put tables of figures in cells into the READMEs of cores, between their two markers.

    python tools/core_tables.py REPORT.json...

Each report comes from `joulemark core report CORE:CONFIGURATION --liberty FILE --json REPORT.json`.
A core's README gets a table of its own configurations, hdl/README.md one line for each report.
Files without markers, and cores without a report, stay as they are. The line below a table says of
what library and clock it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from joulemark.hardware.core.report import CoreReport
from joulemark.report.files import write_atomically

__all__ = ["BEGIN", "END", "core_table", "main", "overview", "with_table"]

HDL = Path(__file__).resolve().parent.parent / "hdl"
BEGIN, END = "<!-- figures:begin -->", "<!-- figures:end -->"

Column = tuple[str, Callable[[CoreReport], str]]


def _number(value: float | None, factor: float, digits: int) -> str:
    return "-" if value is None else f"{value * factor:,.{digits}f}".replace(",", " ")


def _range(low: float | None, high: float | None, factor: float, digits: int) -> str:
    if low is None or high is None:
        return "-"
    return f"{_number(low, factor, digits)} to {_number(high, factor, digits)}"


def _area(one: CoreReport) -> str:
    trees = (one.clock_tree_ge or 0.0) + (one.reset_tree_ge or 0.0)
    parts = (one.storage_ge, one.logic_ge, trees)
    return f"{_number(one.area_ge, 1, 0)} ({' + '.join(_number(part, 1, 0) for part in parts)})"


def _power(one: CoreReport, name: str) -> float | None:
    dynamic = getattr(one, name)
    return None if dynamic is None or one.leakage_w is None else dynamic + one.leakage_w


def _spread(one: CoreReport) -> bool:
    return (one.mappings or 1) > 1


CORE_COLUMNS: tuple[Column, ...] = (
    ("configuration", lambda one: f"`{one.configuration}`"),
    ("GE (storage + logic + trees)", _area),
    (
        "range",
        lambda one: (
            _range(one.area_lowest_ge, one.area_highest_ge, 1, 0) if _spread(one) else "one mapping"
        ),
    ),
    ("period, ns", lambda one: _number(one.period_s, 1e9, 1)),
    ("power, uW", lambda one: _number(_power(one, "dynamic_w"), 1e6, 2)),
    ("of it trees", lambda one: _number(_trees_w(one), 1e6, 2)),
    ("without glitches", lambda one: _number(_power(one, "dynamic_no_glitch_w"), 1e6, 2)),
    ("pin caps only", lambda one: _number(_power(one, "dynamic_pin_cap_w"), 1e6, 2)),
    ("leakage, uW", lambda one: _number(one.leakage_w, 1e6, 2)),
    ("nJ a block", lambda one: _number(one.energy_per_block_j, 1e9, 3)),
    (
        "range",
        lambda one: (
            _range(one.energy_per_block_lowest_j, one.energy_per_block_highest_j, 1e9, 3)
            if _spread(one)
            else "one mapping"
        ),
    ),
    ("GE without trees", lambda one: _number(one.area_without_trees_ge, 1, 0)),
    ("period", lambda one: _number(one.period_without_trees_s, 1e9, 1)),
    ("nJ", lambda one: _number(one.energy_per_block_without_trees_j, 1e9, 3)),
)
"""The last three are without trees."""


def _trees_w(one: CoreReport) -> float | None:
    if one.clock_tree_w is None or one.trees_leakage_w is None:
        return None
    return one.clock_tree_w + one.trees_leakage_w


OVERVIEW_COLUMNS: tuple[Column, ...] = (
    ("core", lambda one: f"`{one.core}:{one.configuration}`"),
    ("clocks a block", lambda one: f"{one.clocks_per_block:g}"),
    *CORE_COLUMNS[1:5],
    *CORE_COLUMNS[9:],
)


def core_table(reports: Sequence[CoreReport]) -> str:
    """The table of one core's configurations."""
    return _table(reports, CORE_COLUMNS)


def overview(reports: Sequence[CoreReport]) -> str:
    """The table of many cores."""
    return _table(sorted(reports, key=lambda one: one.core), OVERVIEW_COLUMNS)


def _table(reports: Sequence[CoreReport], columns: Sequence[Column]) -> str:
    """One line a report, and below what they are of.

    Raises:
        ValueError: the reports are of different libraries, clocks, mappings or versions.
    """
    conditions = {_conditions(one.settings) for one in reports}
    if len(conditions) != 1:
        raise ValueError(f"reports of different conditions: {'; '.join(sorted(conditions))}")
    lines = [f"| {' | '.join(title for title, _ in columns)} |", "|---" * len(columns) + "|"]
    lines += [f"| {' | '.join(text(one) for _, text in columns)} |" for one in reports]
    return "\n".join([*lines, "", conditions.pop()])


def _conditions(settings: dict[str, Any]) -> str:
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
            CoreReport.model_validate(json.loads(Path(one).read_text("utf-8"))) for one in arguments
        ]
        cores: dict[str, list[CoreReport]] = {}
        for one in reports:
            cores.setdefault(one.core, []).append(one)
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
