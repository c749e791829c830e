# SPDX-License-Identifier: Apache-2.0
"""Tables of results and of hardware cores, as the page and Markdown show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from joulemark.analyse import Result, ResultSet
from joulemark.catalogue.vectors import blocks_of_message
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure, FigurePlace
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.figures import DoubtKind, FigureGroup
from joulemark.records.trial import RTL
from joulemark.report import NONE, Cell, Facts, Heading, JsonObject, Sheet, Table, words_in_headings
from joulemark.report.circumstances import (
    DOMAIN_FIGURES,
    FACT_HEADINGS,
    NEVER_ADDED,
    domain_reasons,
    domain_rows,
    setting_facts,
)
from joulemark.report.columns import Column, present
from joulemark.report.style import yours_first
from joulemark.report.words import (
    DoubtNumbers,
    Group,
    cause_of,
    core_figure_text,
    relative_text,
    shown_name,
)
from joulemark.units import format_bytes, format_rate, format_si

# Results as tables for the page and for Markdown: rankings, and energy by domain.
#
# The columns of figures are those of the table of figures.

_MAJOR: Final = {"seconds_per_message", "joules_per_message", "clocks_per_message"}
"""Figures that a page always shows."""


def ranking(group: Group) -> Table:
    """The competitors of one group; doubts are named, and explained in the notes."""
    columns, numbers = present(group.results), DoubtNumbers(by_cause=True)
    rows = []
    places = {id(result): place for place, result in enumerate(group.results, 1)}
    for result in yours_first(group.results):
        place = places[id(result)]
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
        for result in yours_first(group.results):
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
    causes = map(cause_of, result.warnings)
    kinds = (cause if isinstance(cause, DoubtKind) else cause.kind for cause in causes)
    return ", ".join(dict.fromkeys(kind.value for kind in kinds))


# Reports of hardware cores as tables: one for each kind of target, a word beside each figure.
#
# A report's figures are looked up by name; figures that a table has no column for are in the JSON.

MODELS: Final = (
    "Nothing of this was measured on silicon: clocks and switching are simulated, area, timing and "
    "power modelled from a device or a cell library."
)

MESSAGES: Final = "Energy per message"
"""Title of the table of energy by message length."""
_OF_BLOCKS: Final = (
    "Blocks of the message times the energy of a block, at the clock of the report, which is of "
    "messages of another length where it says so."
)
_MESSAGE_HEADINGS: Final = (
    Heading("Core", prose=True),
    *(Heading(text, number=True) for text in ("Message", "Energy", "Report of")),
    Heading("Target", prose=True),
)

_OF_BOTH: Final = (FigureGroup.CORE, FigureGroup.TIMED)
_KINDS: Final = (
    ("FPGA", ("ecp5", "ice40"), (*_OF_BOTH, FigureGroup.FPGA)),
    ("Standard cells", (), (*_OF_BOTH, FigureGroup.CELLS, FigureGroup.LIBRARY)),
)
"""Title, targets and figures of each table; the last takes every target that none names."""


def core_sheets(results: ResultSet) -> list[Sheet]:
    """A sheet for each kind of target that the store has reports of: a table, then settings."""
    named = {target for _, targets, _ in _KINDS for target in targets}
    sheets = []
    for title, targets, groups in _KINDS:
        reports = [
            report
            for report in results.core_reports
            if report.target in targets or (not targets and report.target not in named)
        ]
        if reports:
            kinds = [
                kind
                for kind in CORE_FIGURES.values()
                if kind.group in groups and kind.place is FigurePlace.TABLES
            ]
            settings = [_settings(report) for report in reports]
            messages = _message_table(reports, results.results)
            sheets.append(Sheet(title, [_table(reports, kinds), *messages, *settings]))
    return sheets


def _message_table(
    reports: Sequence[StoredCoreReport], results: Sequence[Result]
) -> Iterator[Table]:
    """Energy by message length, for the lengths of simulated runs or that of the report."""
    rows = []
    for report in reports:
        block_j = number_in(report, "energy_per_block_j")
        own = report.message_bytes
        if block_j is None or own is None:
            continue
        simulated = {
            result.size_bytes
            for result in results
            if (result.target, result.algorithm) == (RTL, report.algorithm)
        }
        for size_bytes in sorted(simulated or {own}):
            workload = report.workload_of(size_bytes)
            blocks = blocks_of_message(report.algorithm, size_bytes, workload)
            if blocks is not None:
                joules = core_figure_text("energy_per_mac_j", block_j * blocks)
                rows.append(
                    [
                        Cell(_name(report)),
                        Cell(format_bytes(size_bytes), key=size_bytes),
                        _cell(report, CORE_FIGURES["energy_per_block_j"])._replace(text=joules),
                        Cell(format_bytes(own), key=own),
                        Cell(target_text(report)),
                    ]
                )
    if rows:
        yield Table(MESSAGES, _MESSAGE_HEADINGS, rows, _OF_BLOCKS)


def _table(reports: Sequence[StoredCoreReport], kinds: Sequence[CoreFigure]) -> Table:
    shown = [
        figure
        for figure in kinds
        if any(number_in(report, figure.field) is not None for report in reports)
    ]
    reasons: dict[str, None] = {}
    for report in reports:
        for kind in kinds:
            if number_in(report, kind.field) is None and report.reasons.get(kind.field):
                reason = report.reasons[kind.field].rstrip(".")
                reasons[f"{kind.heading} ({report.core}, {report.target}): {reason}."] = None
    headings = [
        Heading("Core"),
        *(Heading(text, prose=True) for text in ("Parameters", "Target")),
        *(Heading(kind.heading, number=True) for kind in shown),
    ]
    rows = [
        [
            Cell(_name(report)),
            Cell(parameters_text(report) or "none"),
            Cell(target_text(report)),
            *(_cell(report, kind) for kind in shown),
        ]
        for report in reports
    ]
    return Table("", headings, rows, notes=tuple(reasons))


def _settings(report: StoredCoreReport) -> Facts:
    facts = setting_facts({**settings_of(report), "made at": report.made_at})
    return Facts(f"{_name(report)}, {target_text(report)}", facts, closed=True)


def _name(report: CoreReport) -> str:
    return report.core if report.configuration is None else f"{report.core} {report.configuration}"


def parameters_text(report: CoreReport) -> str:
    """The parameters of a core in a report, as in "WIDTH=32, ROUNDS=2"."""
    return ", ".join(f"{key}={value}" for key, value in report.parameters.items())


def target_text(report: CoreReport, *, clock_hz: float | None = None) -> str:
    """The target of a report and its conditions, such as library, clock and voltage.

    The clock is that of the power figures; `clock_hz` is another one, of a figure that is shown.
    """
    return ", ".join([report.target, *_conditions(report, clock_hz)])


def settings_of(report: CoreReport) -> JsonObject:
    """The settings of a report, before them the device, where it is known."""
    return {**({"device": report.device} if report.device else {}), **report.settings}


def _conditions(report: CoreReport, clock_hz: float | None) -> list[str]:
    """The settings without which a power or a clock says nothing, where they are given."""
    settings = report.settings
    named = report.device or settings.get("library")
    words = [named] if named else []
    clock_hz = clock_hz or settings.get("clock_hz")
    if clock_hz is not None:
        words.append(core_figure_text("fmax_hz", clock_hz))
    if (voltage_v := settings.get("voltage_v")) is not None:
        words.append(format_si(voltage_v, "V"))
    placers = dict.fromkeys(settings.get("placer_by_seed", ()))
    return [*words, *([f"placed by {' and '.join(placers)}"] if placers else [])]


def number_in(report: CoreReport, field: str) -> float | None:
    """A figure of a report; None if the report lacks it."""
    return report.figures.get(field)


def _cell(report: CoreReport, kind: CoreFigure) -> Cell:
    field = kind.field
    value = number_in(report, field)
    text = core_figure_text(field, value)
    if value is None:
        return Cell(text, reason=report.reasons.get(field, "no reason recorded"))
    return Cell(text, evidence=report.evidence.get(field, "evidence not recorded"))
