# SPDX-License-Identifier: Apache-2.0
"""Energy by domain in a terminal: a compact block for each algorithm and workload.

One length is shown, the one looked at first: three domains of a dozen implementations at eight
lengths would hide the ranking above. The page and the exports have every length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from joulemark.analyse.energy.figures import bound_text
from joulemark.analyse.results import DomainEnergy, ResultSet
from joulemark.records.figures import figure_kind
from joulemark.report.columns import Column, column_of
from joulemark.report.energy import (
    DOMAIN_FIGURES,
    NEVER_ADDED,
    DomainRow,
    domain_reasons,
    domain_rows,
)
from joulemark.report.sheet import Cell, Heading, Table
from joulemark.report.terminal.column_choice import medians_only
from joulemark.report.workload import Group, default_size, groups
from joulemark.units import format_seconds

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
    return f"{NEVER_ADDED} * stands in the table above. Meter: {'; '.join(sorted(sources))}."


def _cell(column: Column, source: DomainEnergy) -> Cell:
    """The figure, or its bound where it has only that."""
    bound = source.upper_bounds.get(column.field)
    if column.of(source) is not None or bound is None:
        return column.cell(source)
    return Cell(f"below {bound_text(column.field, bound)}")
