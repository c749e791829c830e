# SPDX-License-Identifier: Apache-2.0
"""Results as a sheet for a terminal of any width: words and signs instead of colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median
from typing import Final

from joulemark.analyse import DomainEnergy, ResultFailure, ResultSet
from joulemark.analyse.stated_figures import bound_text
from joulemark.records.figures import figure_kind
from joulemark.report import NONE, Cell, Facts, Heading, Notes, Part, Sheet, Table
from joulemark.report.circumstances import (
    DOMAIN_FIGURES,
    NEVER_ADDED,
    SIMULATED_HERE,
    DomainRow,
    domain_reasons,
    domain_rows,
)
from joulemark.report.column_choice import fitting, medians_only
from joulemark.report.columns import Column, column_of, is_simulated, reasons
from joulemark.report.style import yours_first
from joulemark.report.tables import MESSAGES, MODELS, core_sheets
from joulemark.report.words import (
    TIED,
    TIED_MEANING,
    DoubtNumbers,
    Group,
    default_size,
    groups,
    relative_text,
    shown_name,
)
from joulemark.report.words import groups as groups_of
from joulemark.units import format_bytes, format_seconds

# Energy by domain in a terminal: a compact block for each algorithm and workload.
#
# One length is shown, the one looked at first: three domains of a dozen implementations at eight
# lengths would hide the ranking above. The page and the exports have every length.

_WIDE = 110
_REASONS_SHOWN = 3
"""Reasons below a table; more would bury it."""
_WIDTH_FOR_GROSS = 72
_NET = column_of(figure_kind("joules_per_message"), "energy per message\nnet of deep idle")
_GROSS = column_of(figure_kind("gross_joules_per_message"), "gross")
_WATTS = column_of(figure_kind("watts"), "power\ngross")
_MORE = (
    column_of(figure_kind("active_net_joules_per_message"), "net of\nactive idle"),
    column_of(figure_kind("static_watts"), "static\npower"),
    column_of(figure_kind("active_idle_watts"), "active\nidle"),
)


def domain_tables(results: ResultSet, width: int) -> list[Table]:
    """A block for each algorithm and workload with energy, in the order of the tables.

    Where no domain has any figure the reasons below the first table say all that there is.
    """
    by_workload: dict[tuple[str, str], list[Group]] = {}
    for group in groups(results):
        rows = (domain for result in group.results for domain in result.energy)
        if any(column.of(row) for row in rows for column in DOMAIN_FIGURES):
            by_workload.setdefault((group.algorithm, group.workload), []).append(group)
    tables: list[Table] = []
    for members in by_workload.values():
        size = default_size(result for group in members for result in group.results)
        tables.extend(
            _table(group, len(members), width) for group in members if group.size_bytes == size
        )
    return tables


def _table(group: Group, lengths: int, width: int) -> Table:
    """Every domain of the implementations of one group, which is one of several lengths."""
    every = domain_rows(group.results)
    columns = _columns(every, width)
    rows: list[list[Cell]] = []
    last = None
    for row in every:
        if row.implementation != last:
            rows.append([Cell(f" {row.implementation}")])
            last = row.implementation
        void = sum(row.source.windows_void.values())
        windows = Cell(f"{row.source.windows_kept}, {void}")
        rows.append([_name(row), *(_cell(column, row.source) for column in columns), windows])
    headings = [
        Heading("implementation\n  domain", prose=True),
        *(Heading(column.heading, number=True) for column in columns),
        Heading("windows\nkept, void", number=True),
    ]
    notes = [_notes(every)]
    if lengths > 1:
        notes.append("The page and the exports show the other lengths.")
    reasons = domain_reasons(group.results)
    notes += reasons[:_REASONS_SHOWN]
    if (more := len(reasons) - _REASONS_SHOWN) > 0:
        notes.append(f"{more} more reasons are on the page and in the exports.")
    where = f"{group.algorithm}, {group.length_text}, {group.workload}"
    return Table(f"Energy by domain: {where}", headings, rows, notes=notes)


def _columns(rows: Sequence[DomainRow], width: int) -> list[Column]:
    """The columns that the width has room for; a narrow terminal has the net figure alone."""
    gross = (_GROSS, *_MORE, _WATTS) if width >= _WIDE else (_GROSS, _WATTS)
    medians = [replace(column, text=medians_only(column.text)) for column in gross]
    chosen = [_NET, *(medians if width >= _WIDTH_FOR_GROSS else [])]
    return [column for column in chosen if any(_has(column, row.source) for row in rows)]


def _has(column: Column, source: DomainEnergy) -> bool:
    """Whether the domain has the figure, or a bound of it."""
    return column.of(source) is not None or column.field in source.upper_bounds


def _name(row: DomainRow) -> Cell:
    """The domain, further to the right the more domains contain it; a star on the headline."""
    kind = "" if row.kind in row.domain else f" ({row.kind})"
    star = " *" if row.headline else ""
    return Cell(f"{'  ' * (row.depth + 1)}{row.domain}{kind}{star}")


def _notes(rows: Sequence[DomainRow]) -> str:
    """One line on what holds for all rows."""
    lengths = [row.source.window_seconds for row in rows if row.source.window_seconds is not None]
    about = f", windows of about {format_seconds(median(lengths), digits=2)}" if lengths else ""
    sources = {
        f"{domain.meter}, {domain.method}{about}, baseline: {domain.baseline}"
        for domain in (row.source for row in rows)
    }
    return (
        f"{NEVER_ADDED} * marks the domain that the table above shows. Meter: "
        f"{'; '.join(sorted(sources))}."
    )


def _cell(column: Column, source: DomainEnergy) -> Cell:
    """The figure, or its bound where it has only that."""
    bound = source.upper_bounds.get(column.field)
    if column.of(source) is not None or bound is None:
        return column.cell(source)
    return Cell(f"below {bound_text(column.field, bound)}")


_SHOWN_CORES: Final = 4
"""Reports of each kind in a terminal: a sweep leaves dozens in the store."""


def results_sheet(results: ResultSet, width: int, *, energy_said: bool = False) -> Sheet:
    """Every result, ranked within its algorithm, workload and length; warnings and failures below.

    Columns are dropped where the terminal is narrow, never the time, its interval, the energy per
    byte or an evidence word.
    """
    return Sheet("Results", [*_parts(results, width, energy_said=energy_said)])


def _parts(results: ResultSet, width: int, *, energy_said: bool) -> Iterator[Part]:
    numbers = DoubtNumbers(by_cause=True)
    if is_simulated(results.results):
        yield Notes("", [SIMULATED_HERE], warning=True, listed=False)
    groups = groups_of(results)
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
    of_these = results.model_copy(update={"core_reports": shown})
    for sheet in core_sheets(of_these) if shown else ():
        for part in sheet.parts:
            if isinstance(part, Table):
                yield part if part.title == MESSAGES else _turned(sheet.title, part)
    measured = (result for result in results.results if result.size_bytes)
    yield Notes("Figures that could not be had", reasons(measured, energy_said=energy_said))
    warnings = [(f"!{number}", text) for number, text in numbers.legend()]
    yield Facts("Warnings", [*warnings, *(("!", text) for text in results.warnings)])
    if results.failures:
        yield _failures(results.failures)


def _ranking(title: str, groups: Sequence[Group], numbers: DoubtNumbers, width: int) -> Table:
    """One table for one algorithm and workload, a section for each length."""
    every = [result for group in groups for result in yours_first(group.results)]
    names = [f" {shown_name(result)}" for result in every]
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
        for result in yours_first(group.results):
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
