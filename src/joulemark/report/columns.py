# SPDX-License-Identifier: Apache-2.0
"""The figures of a result as table columns; the page and the Markdown export show the same.

Joules that an instrument or a simulation gave and joules from a stated power are different
columns, whatever else is shown: the second kind is headed "Modelled".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from joulemark.analyse.results import DomainEnergy, Figure, Result
from joulemark.report.figures import (
    clocks_text,
    joule_seconds_text,
    joules_text,
    number_text,
    quartiles_text,
    seconds_text,
    watts_text,
)

__all__ = ["CLOCKS", "COLUMNS", "ENERGY", "MODELLED", "Column", "present"]


@dataclass(frozen=True, slots=True)
class Column:
    """One figure in tables."""

    field: str
    """Name in `Result`, or in `DomainEnergy`."""
    heading: str
    text: Callable[[Figure], str]

    def of(self, result: Result | DomainEnergy) -> Figure | None:
        """The figure, where it exists."""
        figure: Figure | None = getattr(result, self.field)
        return figure


ENERGY = (
    Column("joules_per_byte", "Energy per byte (net of deep idle)", joules_text),
    Column("joules_per_message", "Energy per message (net of deep idle)", joules_text),
    Column("gross_joules_per_message", "Energy per message (gross)", joules_text),
    Column("watts", "Power (gross)", watts_text),
    Column(
        "joule_seconds_per_message",
        "Energy-delay product per message (net of deep idle)",
        joule_seconds_text,
    ),
)
"""What a meter gives; all of one domain, the headline."""

MODELLED = (
    Column("modelled_joules_per_byte", "Modelled energy per byte", joules_text),
    Column("modelled_joules_per_message", "Modelled energy per message", joules_text),
)
"""Time times a power that the user stated."""

CLOCKS = (
    Column("clocks_per_message", "Clocks per message", clocks_text),
    Column("clocks_per_byte", "Clocks per byte", clocks_text),
    Column("key_setup_clocks", "Clocks of key set-up", clocks_text),
)
"""What the simulation of a hardware core gives, and nothing else does."""

COLUMNS = (
    Column("seconds_per_message", "Time per message", seconds_text),
    *ENERGY,
    *MODELLED,
    Column("seconds_per_message", "Minimum, quartiles", quartiles_text),
    Column("core_cycles_per_byte", "Core cycles per byte", number_text),
    Column("tsc_ticks_per_byte", "TSC ticks per byte", number_text),
    *CLOCKS,
)


def present(results: Iterable[Result]) -> list[Column]:
    """Columns in which at least one result has a figure."""
    found = list(results)
    return [column for column in COLUMNS if any(column.of(result) for result in found)]
