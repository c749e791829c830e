# SPDX-License-Identifier: Apache-2.0
"""What a view can be about: a figure of the table of figures, or several that share a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates.lines import KEPT_FIELDS, Estimate, Line
from joulemark.records.figures import FIGURES, FigureUnit
from joulemark.report.figures import UNIT_TEXT


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure, or several figures of one unit of which a line has one."""

    name: str
    """The name in addresses."""
    title: str
    unit: FigureUnit
    fields: tuple[str, ...]
    """The figures; the first that a line has is taken."""
    caption: str = ""
    """What a reader must know where figures of several kinds share the axis."""

    def of(self, line: Line) -> Estimate | None:
        """The estimate of a line; None if the line has none."""
        return next((line.figures[field] for field in self.fields if field in line.figures), None)

    def text(self, estimate: Any) -> str:
        """An estimate with its interval, as in "85.9 ns [85.1, 86.4]"."""
        return UNIT_TEXT[self.unit](estimate)


_PERIODS: Final = Quantity(
    "periods_per_message",
    "Periods of the clock per message",
    FigureUnit.COUNT,
    ("core_cycles_per_message", "clocks_per_message"),
    "Core cycles of a CPU and clocks of a core or a microcontroller are different clocks of "
    "different frequency: the same number of periods is not the same time.",
)
QUANTITIES: Final = {
    kind.field: Quantity(kind.field, kind.heading, kind.unit, (kind.field,))
    for kind in FIGURES
    if kind.field in KEPT_FIELDS
} | {_PERIODS.name: _PERIODS}
"""Name -> quantity, in the order in which they are offered; a new figure is a new quantity."""
DEFAULT_QUANTITY: Final = "seconds_per_message"


def quantity_named(name: str | None) -> Quantity:
    """The quantity of an address; None: the default one.

    Raises:
        UsageError: there is none of that name.
    """
    name = name or DEFAULT_QUANTITY
    if name not in QUANTITIES:
        raise UsageError(
            f"quantity: there is none of that name; choose one of {', '.join(QUANTITIES)}"
        )
    return QUANTITIES[name]
