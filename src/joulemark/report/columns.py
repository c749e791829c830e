# SPDX-License-Identifier: Apache-2.0
"""The figures of a result as table columns; the page and the Markdown export show the same.

Joules that an instrument or a simulation gave and joules from a stated power are different
columns, whatever else is shown: the second kind is headed "Modelled".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from joulemark.analyse.results import DomainEnergy, Figure, Result
from joulemark.records.figures import FigureGroup, FigureKind, figure_kind, figures_in
from joulemark.records.trial import is_firmware
from joulemark.report.figures import UNIT_TEXT, quartiles_text
from joulemark.report.sheet import NONE, Cell, interval_cell


@dataclass(frozen=True, slots=True)
class Column:
    """One figure in tables."""

    field: str
    """Name in `Result`, or in `DomainEnergy`."""
    heading: str
    text: Callable[[Figure], str]
    firmware_alone: bool = False
    """Whether it is empty for other targets, which have the figure too."""

    def of(self, result: Result | DomainEnergy) -> Figure | None:
        """The figure of this column; None if it does not exist or does not belong here."""
        if self.firmware_alone and not (isinstance(result, Result) and is_firmware(result.target)):
            return None
        figure: Figure | None = getattr(result, self.field)
        return figure

    def cell(self, result: Result | DomainEnergy) -> Cell:
        """The figure with its interval and evidence word."""
        figure = self.of(result)
        if figure is None:
            return Cell(NONE)
        return interval_cell(self.text(figure), figure.evidence.value, figure.median)


def column_of(kind: FigureKind, heading: str | None = None) -> Column:
    """The column of a kind of figure, whose unit decides how it is written.

    Args:
        kind: a line of the table of figures.
        heading: used in place of the kind's heading.
    """
    return Column(kind.field, heading or kind.heading, UNIT_TEXT[kind.unit])


def _columns(group: FigureGroup) -> tuple[Column, ...]:
    return tuple(column_of(kind) for kind in figures_in(group))


ENERGY = _columns(FigureGroup.ENERGY)
"""Figures of a meter, all of the headline domain."""
MODELLED = _columns(FigureGroup.MODELLED)
"""Figures that are time times a power that the user stated."""
CLOCKS = _columns(FigureGroup.CLOCKS)
"""Figures that only the simulation of a hardware core gives."""
FIRMWARE = (
    replace(column_of(figure_kind("core_cycles_per_message")), firmware_alone=True),
    *_columns(FigureGroup.FIRMWARE),
)
"""Figures that the simulation of a microcontroller gives."""
_TIME = column_of(figure_kind("seconds_per_message"))

COLUMNS = (
    _TIME,
    *ENERGY,
    *MODELLED,
    replace(_TIME, heading="Minimum, quartiles", text=quartiles_text),
    column_of(figure_kind("core_cycles_per_byte")),
    column_of(figure_kind("tsc_ticks_per_byte")),
    *CLOCKS,
    *FIRMWARE,
)


def present(results: Iterable[Result]) -> list[Column]:
    """Columns in which at least one result has a figure."""
    every = list(results)
    return [column for column in COLUMNS if any(column.of(result) for result in every)]
