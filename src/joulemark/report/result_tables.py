# SPDX-License-Identifier: Apache-2.0
"""Results as tables for the page and for Markdown: rankings, and energy by domain.

The columns of figures are those of the table of figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from joulemark.analyse.results import Result
from joulemark.records.figures import DoubtKind
from joulemark.report.columns import Column, present
from joulemark.report.energy import (
    DOMAIN_FIGURES,
    FACT_HEADINGS,
    NEVER_ADDED,
    domain_reasons,
    domain_rows,
)
from joulemark.report.figures import relative_text
from joulemark.report.notes import DoubtNumbers, cause_of
from joulemark.report.sheet import NONE, Cell, Heading, Table, words_in_headings
from joulemark.report.workload import Group, shown_name
from joulemark.units import format_rate

_MAJOR: Final = {"seconds_per_message", "joules_per_message", "clocks_per_message"}
"""Figures that a page always shows."""


def ranking(group: Group) -> Table:
    """The competitors of one group; doubts are named, and explained in the notes."""
    columns, numbers = present(group.results), DoubtNumbers(by_cause=True)
    rows = []
    for place, result in enumerate(group.results, 1):
        numbers.numbers(result.warnings)
        relative, figures, rate = _figures(group, result, columns)
        name = Cell(shown_name(result), doubts=_causes(result))
        rows.append(
            [Cell(str(place), key=place), name, relative, *figures, rate, Cell(result.provider)]
        )
    fields = [column.field for column in columns]
    headings = [
        Heading("#"),
        Heading("Implementation"),
        Heading("\N{MULTIPLICATION SIGN} fastest", number=True),
        *(
            # A field that comes again is less, such as the quartiles of the time.
            replace(heading, minor=field not in _MAJOR or field in fields[:place])
            for place, (field, heading) in enumerate(zip(fields, _headings(columns), strict=True))
        ),
        Heading("Rate", number=True, minor=True),
        Heading("Provider", minor=True),
    ]
    notes = [text for _, text in numbers.legend()]
    return words_in_headings(Table("", headings, rows, notes=notes, named=1))


def rankings(groups: Sequence[Group], numbers: DoubtNumbers) -> Table:
    """The competitors of groups of several lengths, with the numbers of their doubts."""
    columns = present(result for group in groups for result in group.results)
    rows = []
    for group in groups:
        for result in group.results:
            doubts = " ".join(f"!{number}" for number in numbers.numbers(result.warnings))
            relative, figures, rate = _figures(group, result, columns)
            name = Cell(shown_name(result), doubts=doubts)
            rows.append([Cell(group.length_text), name, *figures, rate, relative])
    headings = [
        Heading("Length", number=True),
        Heading("Implementation"),
        *_headings(columns),
        Heading("Rate", number=True),
        Heading("Times fastest", number=True),
    ]
    return Table("", headings, rows, named=1)


def domain_table(groups: Sequence[Group], *, paged: bool) -> Table | None:
    """Every domain of every trial, one under the other and never added; None without a meter.

    Args:
        groups: of one algorithm and workload.
        paged: whether kind, place and facts of a domain stand below it, as a page has room for.
    """
    every = [(group, row) for group in groups for row in domain_rows(group.results)]
    if not every:
        return None
    columns = [
        column for column in DOMAIN_FIGURES if any(column.of(row.source) for _, row in every)
    ]
    rows = []
    for group, row in every:
        name, domain = Cell(row.implementation), Cell(row.domain, strong=row.headline)
        if paged:
            about = [name, domain._replace(small=f"{row.kind}, {row.place}")]
        else:
            about = [Cell(group.length_text), name, domain, Cell(row.kind), Cell(row.place)]
        figures = [column.cell(row.source) for column in columns]
        rows.append([*about, *figures, *map(Cell, row.facts)])
    names = [Heading(text) for text in ("Implementation", "Domain")]
    if not paged:
        names = [Heading("Length", number=True), *names, Heading("Kind"), Heading("Place")]
    facts = [Heading(text, apart=paged) for text in FACT_HEADINGS]
    table = Table(
        "Energy by domain",
        [*names, *_headings(columns), *facts],
        rows,
        f"{NEVER_ADDED} The domain in bold is the one in the table above.",
        notes=domain_reasons(result for group in groups for result in group.results),
    )
    return words_in_headings(table) if paged else table


def _headings(columns: Sequence[Column]) -> list[Heading]:
    return [Heading(column.heading, number=True) for column in columns]


def _figures(
    group: Group, result: Result, columns: Sequence[Column]
) -> tuple[Cell, list[Cell], Cell]:
    """How many times the fastest's time, the figures, and the rate."""
    ratio, rate = group.relative(result), result.bytes_per_second
    return (
        Cell(relative_text(ratio, tied=group.tied(result)), key=ratio),
        [column.cell(result) for column in columns],
        Cell(format_rate(rate), evidence=result.evidence.value, key=rate) if rate else Cell(NONE),
    )


def _causes(result: Result) -> str:
    """The causes of its doubts, each once."""
    causes = map(cause_of, result.warnings)
    kinds = (cause if isinstance(cause, DoubtKind) else cause.kind for cause in causes)
    return ", ".join(dict.fromkeys(kind.value for kind in kinds))
