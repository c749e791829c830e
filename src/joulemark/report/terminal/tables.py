# SPDX-License-Identifier: Apache-2.0
"""Results as tables in a terminal, at any width, with words and signs instead of colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.analyse.results import Result, ResultFailure, ResultSet
from joulemark.foreign.text import visible
from joulemark.report import workload
from joulemark.report.absent import reasons
from joulemark.report.core_tables import MODELS, CoreTable, core_tables
from joulemark.report.energy import SIMULATED_HERE, is_simulated
from joulemark.report.figures import TIED, TIED_MEANING, relative_text
from joulemark.report.notes import Notes
from joulemark.report.terminal.column_choice import (
    NONE,
    TerminalColumn,
    evidence_words,
    fitting,
    name_width,
)
from joulemark.report.terminal.domain_table import domain_tables
from joulemark.units import format_bytes


def results_table(results: ResultSet, *, energy_said: bool = False) -> RenderableType:
    """Every result, ranked within its algorithm, workload and length; warnings and failures below.

    Columns are dropped where the terminal is narrow, never the time, its interval, the energy per
    byte or an evidence word.

    Args:
        results: what is shown.
        energy_said: whether the same output says elsewhere why there are no joules.
    """
    notes = Notes(by_cause=True)
    parts: list[RenderableType] = []
    if is_simulated(results.results):
        parts.append(Padding(Text(SIMULATED_HERE, style="bold"), (0, 0, 1, 0)))
    groups = workload.groups(results)
    together = groupby(groups, key=lambda group: (group.algorithm, group.workload))
    for (algorithm, label), members in together:
        ranked = [
            (group, [notes.numbers(result.warnings) for result in group.results])
            for group in members
        ]
        parts.append(_Ranking(f"{algorithm}: {label}", ranked))
    if not results.results:
        parts.append(Text("No implementation has a figure."))
    if any(group.tied(group.results[0]) for group in groups):
        parts.append(Padding(Text(f" {TIED} {TIED_MEANING}"), (0, 0, 1, 0)))
    parts.extend(domain_tables(results))
    parts.extend(_core_tables(results))
    shown = (result for result in results.results if result.size_bytes)
    absent = reasons(shown, energy_said=energy_said)
    if absent:
        parts.append(_bullets("Figures that could not be had", [("-", text) for text in absent]))
    warnings = [(f"!{number}", text) for number, text in notes.legend()]
    warnings += [("!", text) for text in results.warnings]
    if warnings:
        parts.append(_bullets("Warnings", warnings))
    if results.failures:
        parts.append(_failures(results.failures))
    return Group(*parts)


_SHOWN_CORES = 4
"""Reports of each kind in a terminal: a sweep leaves dozens in the store."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """One table for one algorithm and workload, a section for each length."""

    title: str
    groups: list[tuple[workload.Group, list[list[int]]]]
    """Each length, with the numbers of the notes of each of its results."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        every = [result for group, _ in self.groups for result in group.results]
        names = [_name(result) for result in every]
        widest = max(len(_marks(numbers)) for _, notes in self.groups for numbers in notes)
        columns = fitting(every, names, options.max_width, marks=widest)
        table = Table(
            title=Text(visible(self.title), style="bold"),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        table.add_column("implementation", overflow="fold", min_width=name_width(names))
        shared = [evidence_words(column.figure(result) for result in every) for column in columns]
        for column, words in zip(columns, shared, strict=True):
            heading = f"{column.heading}\n{words[0]}" if len(words) == 1 else column.heading
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("times\nfastest", justify="right", no_wrap=True)
        if widest:
            table.add_column("", no_wrap=True)
        for group, notes in self.groups:
            table.add_section()
            table.add_row(Text(group.length_text, style="bold"))
            for result, numbers in zip(group.results, notes, strict=True):
                figures = _figures(result, columns, shared)
                relative = relative_text(group.relative(result), tied=group.tied(result))
                mark = [_marks(numbers)] if widest else []
                table.add_row(Text(visible(_name(result))), *figures, relative, *mark)
        yield table


def _name(result: Result) -> str:
    """Name of an implementation, further to the right than the length above it."""
    return f" {workload.shown_name(result)}"


def _marks(numbers: Iterable[int]) -> str:
    """The sign of a doubtful row, with the numbers of its notes."""
    mark = ",".join(map(str, numbers))
    return f"!{mark}" if mark else ""


def _figures(
    result: Result, columns: Sequence[TerminalColumn], shared: Sequence[list[str]]
) -> list[Text]:
    cells = []
    for column, words in zip(columns, shared, strict=True):
        figure, text = column.figure(result), column.words(result)
        evidence = f" {figure.evidence.value}" if figure and len(words) > 1 else ""
        cells.append(Text(f"{text}{evidence}"))
    return cells


def _bullets(heading: str, lines: Iterable[tuple[str, str]]) -> RenderableType:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for mark, text in lines:
        grid.add_row(Text(f" {mark}"), Text(visible(text)))
    return Padding(Group(Text(heading, style="bold"), grid), (0, 0, 1, 0))


def _failures(failures: Sequence[ResultFailure]) -> RenderableType:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold", min_width=12)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", ratio=1)
    for failure in failures:
        where = "" if failure.size_bytes is None else f" at {format_bytes(failure.size_bytes)}"
        grid.add_row(
            Text(visible(f" {failure.implementation}{where}")),
            Text(failure.kind.value),
            Text(visible(failure.reason)),
        )
    return Group(Text("Without a figure", style="bold"), grid)


def _core_tables(results: ResultSet) -> list[RenderableType]:
    """The tables for a terminal, of cores whose algorithm the run has results of."""
    about = {result.algorithm for result in results.results}
    shown = [report for report in results.core_reports if report.algorithm in about]
    tables = core_tables(results.model_copy(update={"core_reports": shown}))
    return [_core_blocks(table) for table in tables]


def _core_blocks(table: CoreTable) -> RenderableType:
    """A block of lines for each core: no terminal is wide enough for a row of a dozen figures."""
    grid = Table(
        title=Text(visible(f"Hardware cores, {table.title}")),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    grid.add_column("core\n  figure", overflow="fold", min_width=14)
    grid.add_column("", justify="right", overflow="fold")
    grid.add_column("evidence", no_wrap=True)
    for row in table.rows[:_SHOWN_CORES]:
        grid.add_section()
        grid.add_row(*_texts(f" {row.core}, {row.parameters}", row.target, ""))
        for heading, cell in zip(table.headings, row.cells, strict=True):
            if cell.text != NONE:
                grid.add_row(*_texts(f"   {heading}", cell.text, cell.evidence))
    lines = [MODELS]
    if (more := len(table.rows) - _SHOWN_CORES) > 0:
        lines.append(f"{more} more are on the page and in the exports.")
    else:
        lines += table.reasons
    text = Text("\n".join(visible(f" {line}") for line in lines))
    return Group(grid, Padding(text, (0, 0, 1, 0)))


def _texts(*words: str) -> Iterator[Text]:
    """Words from outside, without markup and without signs that would steer the terminal."""
    return (Text(visible(word)) for word in words)
