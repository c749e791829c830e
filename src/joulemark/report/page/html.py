# SPDX-License-Identifier: Apache-2.0
"""`report.html`: one file with everything in it, which opens without a network.

Nothing in results is trusted: text is escaped by the template, data is JSON in which no tag can
begin, and a content security policy runs the two scripts of the page, known by their hashes, and
lets nothing be loaded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from joulemark.analyse import Result, ResultFailure, ResultSet
from joulemark.catalogue import by_use
from joulemark.records.figures import AbsenceKind
from joulemark.report import NONE, Cell, Chart, Heading, JsonObject, Table, Tone, write_atomically
from joulemark.report.answers import Answer, Block, blocks, missing_words, opponents, tally
from joulemark.report.charts import discover
from joulemark.report.circumstances import (
    SIMULATED,
    cpu_name,
    facts,
    has_run,
    meter_facts,
    run_facts,
    started,
)
from joulemark.report.columns import is_simulated, reasons
from joulemark.report.page import DIGITS, render_template
from joulemark.report.tables import core_sheets, domain_table, ranking
from joulemark.report.words import (
    EVIDENCE_MEANING,
    algorithms,
    clocks_text,
    default_algorithm,
    default_size,
    duration,
    groups,
    relative_text,
    seconds_text,
    shown_name,
    sizes,
    workloads,
)
from joulemark.units import format_bytes

# The contents of the HTML page, as plain values ready for the template.

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
_FIRST_ROWS: Final = 10
"""Algorithms that are shown until the reader asks for all."""


def answer_tables(results: ResultSet) -> list[Table]:
    """Tables at the usual length and the longest; of a single algorithm at all lengths."""
    return [_answer_table(block) for block in blocks(results, _LENGTHS)]


def _answer_table(block: Block) -> Table:
    """The user's own code, if there is any, ours, and the best of the others."""
    yours = ["yours"] if any(answer.yours for _, answer in block.rows) else []
    names = (*yours, "Joulemark", "best other", "factor")
    headings = [Heading(block.heading), *(Heading(text, number=True) for text in names)]
    rows = [
        [
            Cell(label),
            *[_side(next(iter(answer.yours.values()), None)) for _ in yours],
            _side(answer.ours),
            _side(answer.best),
            Cell(relative_text(answer.factor, tied=answer.tied), tone=_tone(answer)),
        ]
        for label, answer in _by_use(block)
    ]
    return Table(
        "", headings, rows, f"{block.workload.capitalize()}; {_evidence(block)}", first=_FIRST_ROWS
    )


def _by_use(block: Block) -> list[tuple[str, Answer]]:
    """The rows as people look for them: algorithms by use, lengths from the shortest."""
    order = {name: place for place, name in enumerate(by_use(label for label, _ in block.rows))}
    alone = len({answer.algorithm for _, answer in block.rows}) == 1
    return list(block.rows if alone else sorted(block.rows, key=lambda row: order[row[0]]))


def _tone(answer: Answer) -> Tone | None:
    if answer.factor is None:
        return None
    if answer.tied:
        return Tone.LEVEL
    return Tone.FASTER if answer.factor > 1 else Tone.SLOWER


def _evidence(block: Block) -> str:
    sides = [side for _, answer in block.rows for side in (answer.ours, answer.best) if side]
    return " and ".join(
        sorted({figure.evidence.value for side in sides if (figure := duration(side))})
    )


def _side(result: Result | None) -> Cell:
    """The time of the fastest of one side, and its name."""
    figure = None if result is None else duration(result)
    if result is None or figure is None:
        return Cell(NONE)
    timed = result.seconds_per_message is not None
    text = seconds_text(figure) if timed else f"{clocks_text(figure)} clocks"
    return Cell(text.partition(" [")[0], small=shown_name(result))


_BUILD_FACTS: Final = (
    ("provider", "Provider", False),
    ("library_version", "Version", False),
    ("compiler", "Compiler", False),
    ("flags", "Flags", True),
    ("cpu_features", "CPU features", True),
    ("note", "Note", True),
)
"""Key of a recorded fact, its heading, and whether it is long."""


def page(results: ResultSet) -> JsonObject:
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
        "tables": [
            (group, ranking(group), reasons(group.results), domain_table([group], paged=True))
            for group in groups(results)
        ],
        "cores": core_sheets(results),
        "has_clocks": any(result.clocks_per_message for result in every),
        "failures": _failures(results.failures),
        "facts": facts(results),
        "meter": meter_facts(results),
        "run": run_facts(results),
        "implementations": _built(results),
        "evidence": EVIDENCE_MEANING,
        "evidence_here": sorted({result.evidence.value for result in every}),
        "has_run": has_run(results),
        "run_id": run.get("id", ""),
        "version": run.get("joulemark_version", ""),
        "digits": DIGITS,
    }


def _failures(failures: Sequence[ResultFailure]) -> Table:
    headings = [
        *map(Heading, ("Implementation", "What happened", "Length")),
        Heading("Why, and what to do", prose=True),
    ]
    rows = [
        [
            Cell(failure.implementation),
            Cell(failure.kind.value),
            Cell(
                f"{failure.size_bytes}\N{NO-BREAK SPACE}B"
                if failure.size_bytes is not None
                else "any"
            ),
            Cell(failure.reason),
        ]
        for failure in failures
    ]
    return Table("Without a figure", headings, rows)


def _built(results: ResultSet) -> Table:
    """How implementations were built, where the run recorded it; those built alike in one row."""
    known = results.context.get("implementations") or {}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, about in sorted(known.items()):
        if isinstance(about, dict):
            built = tuple(_plain(about.get(key)) for key, _, _ in _BUILD_FACTS)
            alike.setdefault(built, []).append(name)
    rows = [[Cell(", ".join(names)), *map(Cell, built)] for built, names in alike.items()]
    facts = [Heading(text, prose=prose) for _, text, prose in _BUILD_FACTS]
    return Table("How the implementations were built", [Heading("Implementations"), *facts], rows)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


# The document.


def write_html(results: ResultSet, path: Path) -> None:
    """Writes the whole report as one HTML file."""
    write_atomically(path, render_html(results).encode())


def render_html(results: ResultSet) -> str:
    """The whole report as one HTML document; raw samples stay out of its embedded data."""
    charts = _charts(results)
    data = json.loads(results.model_dump_json(exclude={"results": {"__all__": {"samples"}}}))
    return render_template("report.html.j2", charts, data, page=page(results), charts=charts)


def _charts(results: ResultSet) -> list[Chart]:
    """Each chart with its specification, or with the reason why it cannot be drawn.

    A chart of figures that nobody asked for is left out.
    """
    charts = []
    for definition in discover():
        spec, absent = definition.build(results), ""
        if spec is None:
            missing = definition.missing(results)
            if missing.kind is AbsenceKind.NOT_ASKED:
                continue
            absent = missing.sentence
        else:
            spec = {**spec, "description": definition.title}
        charts.append(Chart(definition.title, definition.caption, spec, absent, definition.name))
    return charts
