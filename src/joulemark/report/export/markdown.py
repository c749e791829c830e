# SPDX-License-Identifier: Apache-2.0
"""Tables that GitHub, GitLab and a mail reader show well: one per algorithm and workload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from joulemark.analyse.results import Result, ResultSet
from joulemark.report.absent import reasons
from joulemark.report.columns import Column, present
from joulemark.report.context import cpu_name, has_run, started
from joulemark.report.core_tables import MODELS, core_tables
from joulemark.report.energy import (
    DOMAIN_FIGURES,
    FACT_HEADINGS,
    NEVER_ADDED,
    SIMULATED,
    domain_reasons,
    domain_rows,
    is_simulated,
)
from joulemark.report.figures import TIED, TIED_MEANING, relative_text
from joulemark.report.notes import Notes
from joulemark.report.workload import Group, groups, shown_name
from joulemark.units import format_bytes, format_rate

SUFFIX = ".md"
SUMMARY = "tables for issues, commits and documentation"

_SPECIAL = "\\`*_[]|<>~&$"
"""Signs with a meaning in GitHub's Markdown anywhere in a line."""
_SPECIAL_AT_START = re.compile(r"^([-+#]|\d+[.)])")
_NO_MENTION = "@<!-- -->"
"""An `@` that notifies nobody; a backslash would not help."""


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The document, UTF-8."""
    return ("\n".join(_lines(results)) + "\n").encode()


def _lines(results: ResultSet) -> Iterator[str]:
    notes = Notes()
    yield "# Joulemark results"
    yield ""
    if has_run(results):
        yield f"{_plain(started(results))}, {_plain(cpu_name(results))}."
    yield "Each figure is a median with its 95 % interval and the word for how it was obtained."
    if is_simulated(results.results):
        yield f"**{SIMULATED}**"
    together = groupby(groups(results), key=lambda group: (group.algorithm, group.workload))
    for (name, workload), members in together:
        yield ""
        yield f"## {_plain(name)}: {_plain(workload)}"
        yield ""
        ranked = list(members)
        yield from _table(ranked, notes)
        yield from _domains(ranked)
    yield from _cores(results)
    yield from _list("Warnings", [f"!{n} {_plain(text)}" for n, text in notes.legend()])
    yield from _list("Warnings about the run", [_plain(text) for text in results.warnings])
    absent = reasons(result for result in results.results if result.size_bytes)
    yield from _list("Figures that could not be had", [_plain(text) for text in absent])
    yield from _list(
        "Without a figure",
        [
            f"**{_plain(failure.implementation)}**: {failure.kind.value}"
            f"{'' if failure.size_bytes is None else f' at {format_bytes(failure.size_bytes)}'}"
            f" - {_plain(failure.reason)}"
            for failure in results.failures
        ],
    )


def _table(members: list[Group], notes: Notes) -> Iterator[str]:
    columns = present(result for group in members for result in group.results)
    headings = ["Length", "Implementation", *(column.heading for column in columns)]
    yield _line([*headings, "Rate", "Times fastest"])
    yield _line(["---:", "---", *["---:"] * len(columns), "---:", "---:"])
    for group in members:
        for result in group.results:
            yield _line(_cells(group, result, columns, notes))
    if any(group.tied(group.results[0]) for group in members):
        yield from ("", f"{TIED} {TIED_MEANING}")


def _cells(group: Group, result: Result, columns: list[Column], notes: Notes) -> list[str]:
    marks = "".join(f" !{number}" for number in notes.numbers(result.warnings))
    figures = [(column, column.of(result)) for column in columns]
    rate = result.bytes_per_second
    return [
        group.length_text,
        f"{_plain(shown_name(result))}{marks}",
        *(
            f"{column.text(figure)} {figure.evidence.value}" if figure else "-"
            for column, figure in figures
        ),
        f"{format_rate(rate)} {result.evidence.value}" if rate else "-",
        relative_text(group.relative(result), tied=group.tied(result)),
    ]


def _domains(members: list[Group]) -> Iterator[str]:
    """The table of every domain of every trial, if there was a meter."""
    of_domains = [(group, row) for group in members for row in domain_rows(group.results)]
    if not of_domains:
        return
    columns = [
        column for column in DOMAIN_FIGURES if any(column.of(row.source) for _, row in of_domains)
    ]
    headings = ["Length", "Implementation", "Domain", "Kind", "Place"]
    yield from ("", "### Energy by domain", "")
    yield f"{NEVER_ADDED} The domain in bold is the one in the table above."
    yield ""
    yield _line([*headings, *(column.heading for column in columns), *FACT_HEADINGS])
    sides = ["---:", "---", "---", "---", "---", *["---:"] * len(columns)]
    yield _line([*sides, *["---"] * len(FACT_HEADINGS)])
    for group, row in of_domains:
        name = f"**{_plain(row.domain)}**" if row.headline else _plain(row.domain)
        figures = [(column, column.of(row.source)) for column in columns]
        yield _line(
            [
                group.length_text,
                *(_plain(row.implementation), name, _plain(row.kind), _plain(row.place)),
                *(
                    f"{column.text(it)} {it.evidence.value}" if it else "-"
                    for column, it in figures
                ),
                *map(_plain, row.facts),
            ]
        )
    absent = domain_reasons(result for group in members for result in group.results)
    if absent:
        yield from ("", *(f"- {_plain(text)}" for text in absent))


def _cores(results: ResultSet) -> Iterator[str]:
    """Area, clock, power and energy of hardware cores, a table for each kind of target."""
    tables = core_tables(results)
    if not tables:
        return
    yield from ("", "## Hardware cores", "", MODELS)
    for table in tables:
        yield from ("", f"### {_plain(table.title)}", "")
        yield _line(["Core", "Parameters", "Target", *table.headings])
        yield _line(["---", "---", "---", *["---:"] * len(table.headings)])
        for row in table.rows:
            cells = [f"{cell.text} {cell.evidence}".rstrip() for cell in row.cells]
            yield _line([_plain(row.core), _plain(row.parameters), _plain(row.target), *cells])
        if table.reasons:
            yield from ("", *(f"- {_plain(reason)}" for reason in table.reasons))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _list(heading: str, items: list[str]) -> Iterator[str]:
    if items:
        yield from ("", f"## {heading}", "", *(f"- {item}" for item in items))


def _plain(text: str) -> str:
    """The text escaped so that it shows as it is, on one line."""
    line = "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in " ".join(text.split()))
    return _SPECIAL_AT_START.sub(_escaped_start, line).replace("@", _NO_MENTION)


def _escaped_start(start: re.Match[str]) -> str:
    return f"{start[0][:-1]}\\{start[0][-1]}"
