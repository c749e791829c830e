# SPDX-License-Identifier: Apache-2.0
"""Results as a sheet for a terminal of any width: words and signs instead of colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from joulemark.analyse.results import ResultFailure, ResultSet
from joulemark.report import workload
from joulemark.report.absent import reasons
from joulemark.report.core_tables import MODELS, core_sheets
from joulemark.report.energy import SIMULATED_HERE, is_simulated
from joulemark.report.figures import TIED, TIED_MEANING, relative_text
from joulemark.report.notes import DoubtNumbers
from joulemark.report.sheet import NONE, Cell, Facts, Heading, Notes, Part, Sheet, Table
from joulemark.report.terminal.column_choice import fitting
from joulemark.report.terminal.domain_table import domain_tables
from joulemark.units import format_bytes

_SHOWN_CORES: Final = 4
"""Reports of each kind in a terminal: a sweep leaves dozens in the store."""


def results_sheet(results: ResultSet, width: int, *, energy_said: bool = False) -> Sheet:
    """Every result, ranked within its algorithm, workload and length; warnings and failures below.

    Columns are dropped where the terminal is narrow, never the time, its interval, the energy per
    byte or an evidence word.

    Args:
        results: what is shown.
        width: of the terminal, in signs.
        energy_said: whether the same output says elsewhere why there are no joules.
    """
    return Sheet("Results", [*_parts(results, width, energy_said=energy_said)])


def _parts(results: ResultSet, width: int, *, energy_said: bool) -> Iterator[Part]:
    numbers = DoubtNumbers(by_cause=True)
    if is_simulated(results.results):
        yield Notes("", [SIMULATED_HERE], warning=True, listed=False)
    groups = workload.groups(results)
    together = groupby(groups, key=lambda group: (group.algorithm, group.workload))
    for (algorithm, label), members in together:
        yield _ranking(f"{algorithm}: {label}", list(members), numbers, width)
    if not results.results:
        yield Notes("", ["No implementation has a figure."], listed=False)
    if any(group.tied(group.results[0]) for group in groups):
        yield Notes("", [f"{TIED} {TIED_MEANING}"], listed=False)
    yield from domain_tables(results, width)
    about = {result.algorithm for result in results.results}
    shown = [report for report in results.core_reports if report.algorithm in about]
    for sheet in core_sheets(results.model_copy(update={"core_reports": shown})):
        yield from (_turned(sheet.title, part) for part in sheet.parts if isinstance(part, Table))
    measured = (result for result in results.results if result.size_bytes)
    yield Notes("Figures that could not be had", reasons(measured, energy_said=energy_said))
    warnings = [(f"!{number}", text) for number, text in numbers.legend()]
    yield Facts("Warnings", [*warnings, *(("!", text) for text in results.warnings)])
    if results.failures:
        yield _failures(results.failures)


def _ranking(
    title: str, groups: Sequence[workload.Group], numbers: DoubtNumbers, width: int
) -> Table:
    """One table for one algorithm and workload, a section for each length."""
    every = [result for group in groups for result in group.results]
    names = [f" {workload.shown_name(result)}" for result in every]
    marks = [_marks(numbers.numbers(result.warnings)) for result in every]
    widest = max(map(len, marks))
    columns = fitting(every, names, width, marks=widest)
    headings = [
        Heading("implementation", prose=True),
        *(Heading(column.heading, number=True) for column in columns),
        Heading("times\nfastest", number=True),
        *([Heading("")] if widest else []),
    ]
    rows = []
    about = iter(zip(names, marks, strict=True))
    for group in groups:
        rows.append([Cell(group.length_text, strong=True)])
        for result in group.results:
            name, mark = next(about)
            relative = relative_text(group.relative(result), tied=group.tied(result))
            figures = [column.cell(result) for column in columns]
            rows.append([Cell(name), *figures, Cell(relative), *([Cell(mark)] if widest else [])])
    return Table(title, headings, rows)


def _marks(numbers: Iterable[int]) -> str:
    """The sign of a doubtful row, with the numbers of its notes."""
    mark = ",".join(map(str, numbers))
    return f"!{mark}" if mark else ""


def _failures(failures: Sequence[ResultFailure]) -> Table:
    rows = []
    for failure in failures:
        where = "" if failure.size_bytes is None else f" at {format_bytes(failure.size_bytes)}"
        name = f"{failure.implementation}{where}"
        rows.append([Cell(name), Cell(failure.kind.value), Cell(failure.reason)])
    return Table("Without a figure", [Heading("", prose=True)] * 3, rows)


def _turned(title: str, table: Table) -> Table:
    """A section for each core: no terminal is wide enough for a row of a dozen figures."""
    rows = []
    for core, parameters, target, *figures in table.rows[:_SHOWN_CORES]:
        rows.append([Cell(f" {core.text}, {parameters.text}", strong=True), Cell(target.text)])
        rows += [
            [Cell(f"   {heading.text}"), Cell(cell.text), Cell(cell.evidence)]
            for heading, cell in zip(table.headings[3:], figures, strict=True)
            if cell.text != NONE
        ]
    headings = [
        Heading("core\n  figure", prose=True),
        Heading("", number=True, prose=True),
        Heading("evidence"),
    ]
    more = len(table.rows) - _SHOWN_CORES
    others = [f"{more} more are on the page and in the exports."] if more > 0 else table.notes
    return Table(f"Hardware cores, {title}", headings, rows, notes=[MODELS, *others])
