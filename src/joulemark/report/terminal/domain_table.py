# SPDX-License-Identifier: Apache-2.0
"""Energy by domain in a terminal: a compact block for each algorithm and workload.

One length is shown, the one looked at first: three domains of a dozen implementations at eight
lengths would hide the ranking above. The page and the exports have every length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.analyse.energy.figures import bound_text
from joulemark.analyse.results import DomainEnergy, ResultSet
from joulemark.foreign.text import visible
from joulemark.records.figures import figure_kind
from joulemark.report.columns import Column, column_of
from joulemark.report.energy import (
    DOMAIN_FIGURES,
    NEVER_ADDED,
    DomainRow,
    domain_reasons,
    domain_rows,
)
from joulemark.report.terminal.column_choice import NONE, evidence_words, medians_only, name_width
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


def domain_tables(results: ResultSet) -> list[DomainTable]:
    """A block for each algorithm and workload with energy, in the order of the tables.

    Where no domain has any figure the reasons below the first table say all that there is.
    """
    by_workload: dict[tuple[str, str], list[Group]] = {}
    for group in groups(results):
        rows = (domain for result in group.results for domain in result.energy)
        if any(column.of(row) for row in rows for column in DOMAIN_FIGURES):
            by_workload.setdefault((group.algorithm, group.workload), []).append(group)
    tables: list[DomainTable] = []
    for members in by_workload.values():
        size = default_size(result for group in members for result in group.results)
        tables.extend(
            DomainTable(group, len(members)) for group in members if group.size_bytes == size
        )
    return tables


@dataclass(frozen=True, slots=True)
class DomainTable:
    """Every domain of the implementations of one group."""

    group: Group
    lengths: int
    """How many lengths have energy; one of them is shown."""

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        rows = domain_rows(self.group.results)
        columns = self._columns(options.max_width)
        words = [evidence_words(column.of(row.source) for row in rows) for column in columns]
        where = f"{self.group.algorithm}, {self.group.length_text}, {self.group.workload}"
        table = Table(
            title=Text(visible(f"Energy by domain: {where}")),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        names = [f" {row.implementation}" for row in rows]
        table.add_column("implementation\n  domain", overflow="fold", min_width=name_width(names))
        for column, kinds in zip(columns, words, strict=True):
            heading = f"{column.heading}\n{kinds[0]}" if len(kinds) == 1 else column.heading
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("windows\nkept, void", justify="right", no_wrap=True)
        last = None
        for row in rows:
            if row.implementation != last:
                table.add_row(Text(visible(f" {row.implementation}")), *[""] * (len(columns) + 1))
                last = row.implementation
            cells = [
                _cell(column, row.source, kinds)
                for column, kinds in zip(columns, words, strict=True)
            ]
            void = sum(row.source.windows_void.values())
            table.add_row(_name(row), *cells, f"{row.source.windows_kept}, {void}")
        yield table
        lines = [_notes(rows)]
        if self.lengths > 1:
            lines.append("The page and the exports show the other lengths.")
        reasons = domain_reasons(self.group.results)
        lines += reasons[:_REASONS_SHOWN]
        if (more := len(reasons) - _REASONS_SHOWN) > 0:
            lines.append(f"{more} more reasons are on the page and in the exports.")
        yield Padding(Text("\n".join(visible(f" {line}") for line in lines)), (0, 0, 1, 0))

    def _columns(self, width: int) -> list[Column]:
        """The columns that the width has room for; a narrow terminal has the net figure alone."""
        gross = (_GROSS, *_MORE, _WATTS) if width >= _WIDE else (_GROSS, _WATTS)
        medians = [replace(column, text=medians_only(column.text)) for column in gross]
        chosen = [_NET, *(medians if width >= _WIDTH_FOR_GROSS else [])]
        rows = domain_rows(self.group.results)
        return [column for column in chosen if any(_has(column, row.source) for row in rows)]


def _has(column: Column, source: DomainEnergy) -> bool:
    """Whether the domain has the figure, or a bound of it."""
    return column.of(source) is not None or column.field in source.upper_bounds


def _name(row: DomainRow) -> Text:
    """The domain, further to the right the more domains contain it; a star on the headline."""
    kind = "" if row.kind in row.domain else f" ({row.kind})"
    star = " *" if row.headline else ""
    return Text(visible(f"{'  ' * (row.depth + 1)}{row.domain}{kind}{star}"))


def _notes(rows: list[DomainRow]) -> str:
    """One line on what holds for all rows."""
    lengths = [row.source.window_seconds for row in rows if row.source.window_seconds is not None]
    about = f", windows of about {format_seconds(median(lengths), digits=2)}" if lengths else ""
    sources = {
        f"{domain.meter}, {domain.method}{about}, baseline: {domain.baseline}"
        for domain in (row.source for row in rows)
    }
    return f"{NEVER_ADDED} * stands in the table above. Meter: {'; '.join(sorted(sources))}."


def _cell(column: Column, source: DomainEnergy, kinds: list[str]) -> str:
    figure = column.of(source)
    if figure is None:
        bound = source.upper_bounds.get(column.field)
        return NONE if bound is None else f"below {bound_text(column.field, bound)}"
    return f"{column.text(figure)}{f' {figure.evidence.value}' if len(kinds) > 1 else ''}"
