# SPDX-License-Identifier: Apache-2.0
"""Reports of hardware cores as tables: one for each kind of target, a word beside each figure.

A report's figures are looked up by name; figures that a table has no column for are in the JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from joulemark.analyse.results import ResultSet
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure, FigurePlace
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.figures import FigureGroup
from joulemark.report.context import setting_facts
from joulemark.report.figures import core_figure_text
from joulemark.report.sheet import Cell, Facts, Heading, Sheet, Table
from joulemark.units import format_si

MODELS: Final = (
    "Nothing of this was measured on silicon: clocks and switching are simulated, area, timing and "
    "power modelled from a device or a cell library."
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
            sheets.append(Sheet(title, [_table(reports, kinds), *settings]))
    return sheets


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


def target_text(report: CoreReport) -> str:
    """The target of a report and its conditions, such as library, clock and voltage."""
    return ", ".join([report.target, *_conditions(report)])


def settings_of(report: CoreReport) -> dict[str, Any]:
    """The settings of a report, before them the device, where it is known."""
    return {**({"device": report.device} if report.device else {}), **report.settings}


def _conditions(report: CoreReport) -> list[str]:
    """The settings without which a power or a clock says nothing, where they are given."""
    settings = report.settings
    named = report.device or settings.get("library")
    words = [named] if named else []
    for value, unit in ((settings.get("clock_hz"), "Hz"), (settings.get("voltage_v"), "V")):
        if value is not None:
            words.append(format_si(value, unit))
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
