# SPDX-License-Identifier: Apache-2.0
"""What a view can be about: a figure of the table of figures, or several that share a unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates.lines import KEPT_FIELDS
from joulemark.records.figures import FIGURES, FigureUnit
from joulemark.report.figures import UNIT_TEXT

__all__ = ["DEFAULT_QUANTITY", "QUANTITIES", "Quantity", "quantity_named"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity."""

    name: str
    """In addresses."""
    title: str
    unit: FigureUnit
    fields: tuple[str, ...]
    """Figures that it takes, the first that a line has."""
    caption: str = ""
    """What a reader must know where figures of several kinds share the axis."""

    def text(self, estimate: Any) -> str:
        """An estimate with its interval, as in "85.9 ns [85.1, 86.4]"."""
        form: Callable[[Any], str] = UNIT_TEXT[self.unit]
        return form(estimate)


_PERIODS: Final = Quantity(
    "periods_per_message",
    "Periods of the clock per message",
    FigureUnit.COUNT,
    ("core_cycles_per_message", "clocks_per_message"),
    "Core cycles of a CPU and clocks of a core or a microcontroller are different clocks of "
    "different frequency: the same number of periods is not the same time.",
)
_OF_FIGURES: Final = tuple(
    Quantity(kind.field, kind.heading, kind.unit, (kind.field,))
    for kind in FIGURES
    if kind.field in KEPT_FIELDS
)
QUANTITIES: Final = {column.name: column for column in (*_OF_FIGURES, _PERIODS)}
"""By name, in the order in which they are offered; a new figure is a new quantity."""
DEFAULT_QUANTITY: Final = "seconds_per_message"


def quantity_named(name: str) -> Quantity:
    """The quantity of an address.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in QUANTITIES:
        raise UsageError(
            f"quantity: there is none of that name; choose one of {', '.join(QUANTITIES)}"
        )
    return QUANTITIES[name]
