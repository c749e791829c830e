# SPDX-License-Identifier: Apache-2.0
"""The contents of the HTML page, as plain values ready for the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from joulemark.analyse.results import DomainEnergy, Result, ResultSet
from joulemark.records.doubt import DoubtKind
from joulemark.report.absent import reasons
from joulemark.report.answers import Answer, Block, blocks, missing_words, opponents, tally
from joulemark.report.columns import Column, present
from joulemark.report.context import cpu_name, facts, has_run, meter_facts, run_facts, started
from joulemark.report.core_tables import core_tables
from joulemark.report.energy import (
    DOMAIN_FIGURES,
    FACT_HEADINGS,
    NEVER_ADDED,
    SIMULATED,
    DomainRow,
    domain_reasons,
    domain_rows,
    is_simulated,
)
from joulemark.report.figures import EVIDENCE_MEANING, clocks_text, relative_text, seconds_text
from joulemark.report.notes import Notes, cause_of
from joulemark.report.workload import (
    Group,
    algorithms,
    default_algorithm,
    default_size,
    duration,
    groups,
    shown_name,
    sizes,
    workloads,
)
from joulemark.units import format_bytes, format_rate

# The title of a page: the finding of a run in one line.


def headline(results: ResultSet) -> str:
    """Says who was compared with Joulemark, how that ended, and which libraries were not there.

    If Joulemark is alone, it counts what was measured.
    """
    names = algorithms(results.results)
    score = tally(results)
    if not score.total:
        return _measured(results)
    if len(names) > 1:
        others = opponents(results)
        against = f"the fastest of {', '.join(others)}" if len(others) > 1 else others[0]
        level = f", level in {score.tied}" if score.tied else ""
        comparisons = "1 comparison" if score.total == 1 else f"{score.total} comparisons"
        return (
            f"Joulemark against {against}: faster in {score.faster} of {comparisons}{level}"
            f"{missing_words(results)}"
        )
    size = default_size(results.results)
    answers = [answer for block in blocks(results, 1) for _, answer in block.rows]
    compared = [answer for answer in answers if answer.factor is not None]
    at_size = (
        answer for answer in compared if answer.ours is not None and answer.ours.size_bytes == size
    )
    answer = next(at_size, compared[0])
    others = sorted(answer.libraries)
    among = f"; compared: {', '.join(others)}" if len(others) > 1 else ""
    return f"{_compared(answer)}{among}{missing_words(results)}"


def _compared(answer: Answer) -> str:
    length = answer.length_text.replace(" ", "\N{NO-BREAK SPACE}")
    where = f"{answer.algorithm} at {length}"
    other = next(iter(answer.libraries))
    factor = answer.factor or 1.0
    if answer.tied:
        return f"{where}: Joulemark and {other} are level"
    if factor < 1:
        return f"{where}: {other} is {1 / factor:.2f} times as fast as Joulemark"
    return f"{where}: Joulemark is {factor:.2f} times as fast as {other}"


def _measured(results: ResultSet) -> str:
    names = algorithms(results.results)
    count = len({result.implementation for result in results.results})
    if not names:
        cores = len({core_report.core for core_report in results.core_reports})
        if cores and not results.failures:
            return f"{cores} hardware core{'s' if cores != 1 else ''}"
        return "Nothing was measured"
    of = names[0] if len(names) == 1 else f"{len(names)} algorithms"
    return f"{count} implementation{'s' if count != 1 else ''} of {of}"


# The short table beside the first chart: ours and the best of the others.

_LENGTHS: Final = 2
"""Lengths that are shown if there are several algorithms."""


@dataclass(frozen=True, slots=True)
class Side:
    """The fastest of ours, or of all others."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One algorithm, or one length of it."""

    label: str
    ours: Side | None
    other: Side | None
    factor: str
    """Time of the other over that of ours."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Ours beside the best of the others."""

    heading: str
    workload: str
    evidence: str
    rows: list[AnswerRow]


def answer_tables(results: ResultSet) -> list[AnswerTable]:
    """Tables at the usual length and the longest; of a single algorithm at all lengths."""
    return [
        AnswerTable(
            block.heading,
            block.workload,
            _evidence(block),
            [
                AnswerRow(
                    label,
                    _side(answer.ours),
                    _side(answer.best),
                    relative_text(answer.factor, tied=answer.tied),
                )
                for label, answer in block.rows
            ],
        )
        for block in blocks(results, _LENGTHS)
    ]


def _evidence(block: Block) -> str:
    sides = [side for _, answer in block.rows for side in (answer.ours, answer.best) if side]
    return " and ".join(
        sorted({figure.evidence.value for side in sides if (figure := duration(side))})
    )


def _side(result: Result | None) -> Side | None:
    figure = None if result is None else duration(result)
    if result is None or figure is None:
        return None
    timed = result.seconds_per_message is not None
    text = seconds_text(figure) if timed else f"{clocks_text(figure)} clocks"
    return Side(text.partition(" [")[0], shown_name(result))


_TIMES_FASTEST: Final = "\N{MULTIPLICATION SIGN} fastest"
_RATE: Final = "Rate"
_MAJOR: Final = {"seconds_per_message", "joules_per_message", "clocks_per_message"}
"""Figures that are always shown."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One column: its title, and the evidence word of all its figures if they have one."""

    text: str
    evidence: str = ""
    minor: bool = False
    """Whether it is left out on a narrow screen, or among many columns, until all are asked for."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: text, evidence word, and the number it is sorted by."""

    text: str
    interval: str = ""
    evidence: str = ""
    key: float | str | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """One implementation among its competitors."""

    place: int
    name: str
    provider: str
    doubts: list[str]
    """Names of the causes of its doubts, each of which is explained below the table."""
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class DomainTable:
    """Every domain of every trial of one group."""

    sentence: str
    """The warning that domains must not be added."""
    headings: list[Heading]
    facts: tuple[str, ...]
    rows: list[tuple[DomainRow, list[Cell]]]
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """The competitors of one group."""

    group: Group
    length: str
    headings: list[Heading]
    """Headings of the cells of each row."""
    rows: list[TableRow]
    notes: list[str]
    reasons: list[str]
    energy: DomainTable | None
    """None without a meter."""


def page(results: ResultSet) -> dict[str, Any]:
    """Every value that the template of the page needs, by name."""
    every = results.results
    lengths = sizes(every)
    chosen = default_algorithm(every)
    run = results.context.get("run") or {}
    return {
        "title": headline(results),
        "started": started(results),
        "cpu": cpu_name(results),
        "lengths": [(size, format_bytes(size)) for size in lengths],
        "algorithms": algorithms(every),
        "workloads": workloads(every),
        "default": {
            "algorithm": chosen,
            "workload": next(iter(workloads(every)), None),
            "length": default_size(result for result in every if result.algorithm == chosen),
        },
        "warnings": results.warnings,
        "simulated_energy": SIMULATED if is_simulated(every) else "",
        "has_energy": any(result.energy for result in every),
        "answers": answer_tables(results),
        "tables": [_table(group) for group in groups(results)],
        "cores": core_tables(results),
        "has_clocks": any(result.clocks_per_message for result in every),
        "failures": results.failures,
        "facts": facts(results),
        "meter": meter_facts(results),
        "run": run_facts(results),
        "implementations": _built(results),
        "evidence": EVIDENCE_MEANING,
        "evidence_here": sorted({result.evidence.value for result in every}),
        "has_run": has_run(results),
        "run_id": run.get("id", ""),
        "version": run.get("joulemark_version", ""),
    }


def _table(group: Group) -> Table:
    notes = Notes(by_cause=True)
    columns = present(group.results)
    titles = [_TIMES_FASTEST, *(column.heading for column in columns), _RATE]
    headings, cells = _headed(titles, [_cells(result, group, columns) for result in group.results])
    fields = [column.field for column in columns]
    minor = [
        field not in _MAJOR or field in fields[:place]  # such as the quartiles of the time
        for place, field in enumerate(fields)
    ]
    headings = [
        replace(heading, minor=less)
        for heading, less in zip(headings, [False, *minor, True], strict=True)
    ]
    rows = [
        TableRow(place, shown_name(result), result.provider, _doubts(result, notes), row)
        for place, (result, row) in enumerate(zip(group.results, cells, strict=True), 1)
    ]
    return Table(
        group=group,
        length=group.length_text,
        headings=headings,
        rows=rows,
        notes=[text for _, text in notes.legend()],
        reasons=reasons(group.results),
        energy=_energy(group),
    )


def _energy(group: Group) -> DomainTable | None:
    rows = domain_rows(group.results)
    if not rows:
        return None
    columns = [column for column in DOMAIN_FIGURES if any(column.of(row.source) for row in rows)]
    headings, cells = _headed(
        [column.heading for column in columns],
        [[_cell(column, row.source) for column in columns] for row in rows],
    )
    return DomainTable(
        sentence=NEVER_ADDED,
        headings=headings,
        facts=FACT_HEADINGS,
        rows=list(zip(rows, cells, strict=True)),
        reasons=domain_reasons(group.results),
    )


def _doubts(result: Result, notes: Notes) -> list[str]:
    notes.numbers(result.warnings)
    causes = map(cause_of, result.warnings)
    kinds = (cause if isinstance(cause, DoubtKind) else cause.kind for cause in causes)
    return list(dict.fromkeys(kind.value for kind in kinds))


def _cells(result: Result, group: Group, columns: list[Column]) -> list[Cell]:
    """The cells of one row, behind its name."""
    ratio, rate = group.relative(result), result.bytes_per_second
    return [
        Cell(relative_text(ratio, tied=group.tied(result)), key=ratio),
        *(_cell(column, result) for column in columns),
        Cell(format_rate(rate), evidence=result.evidence.value, key=rate) if rate else Cell("-"),
    ]


def _headed(
    titles: Sequence[str], rows: Sequence[list[Cell]]
) -> tuple[list[Heading], list[list[Cell]]]:
    """Headings that say the evidence word of their cells, which then say it no more.

    Where a column has figures of several kinds, each cell keeps its word.
    """
    headings = []
    for place, title in enumerate(titles):
        words = {row[place].evidence for row in rows} - {""}
        headings.append(Heading(title, words.pop() if len(words) == 1 else ""))
    shown = [
        [
            replace(cell, evidence="") if heading.evidence else cell
            for heading, cell in zip(headings, row, strict=True)
        ]
        for row in rows
    ]
    return headings, shown


def _cell(column: Column, result: Result | DomainEnergy) -> Cell:
    figure = column.of(result)
    if figure is None:
        return Cell("-")
    text, _, interval = column.text(figure).partition(" [")
    interval = f"[{interval}" if interval else ""
    return Cell(text, interval, figure.evidence.value, figure.median)


def _built(results: ResultSet) -> list[dict[str, str]]:
    """How each implementation was built, where the run recorded it."""
    known = results.context.get("implementations") or {}
    keys = ("provider", "library_version", "compiler", "flags", "cpu_features", "note")
    return [
        {"name": name} | {key: _plain(about.get(key)) for key in keys}
        for name, about in sorted(known.items())
        if isinstance(about, dict)
    ]


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
