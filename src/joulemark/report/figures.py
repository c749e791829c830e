# SPDX-License-Identifier: Apache-2.0
"""Figures as text: a median, its interval, its evidence word."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from joulemark.analyse.results import Figure, Repeatability
from joulemark.records.figures import FigureUnit
from joulemark.units import format_joules, format_percent, format_seconds, format_si

__all__ = [
    "EVIDENCE_MEANING",
    "TIED",
    "TIED_MEANING",
    "UNIT_TEXT",
    "clocks_text",
    "evidence_words",
    "format_number",
    "interval_text",
    "joule_seconds_text",
    "joules_text",
    "minimum_text",
    "number_text",
    "quartiles_text",
    "relative_text",
    "repeatability_text",
    "seconds_text",
    "watts_text",
]

EVIDENCE_MEANING = {
    "measured": "read from an instrument on the target while the code ran",
    "simulated": "counted in an exact model of the target, such as a circuit simulation",
    "modelled": "computed from measured figures or tables with a formula, not read directly",
    "published": "copied from a publication; not obtained here",
}
_DIGITS = (3, 4, 5)
_JOULE_SECONDS = "J\N{MIDDLE DOT}s"
"""A product of units takes a half-high dot (SI Brochure, 9th ed., 5.2)."""


def format_number(value: float, *, digits: int = 3) -> str:
    """A number without unit or exponent, as in "3.21", "1240" or "0.0042"."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded)) + 1e-12))
    text = f"{rounded:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def interval_text(figure: Figure, form: Callable[[float, int], str]) -> str:
    """Median with interval, as in "85.9 ns [85.1, 86.4]".

    The unit is said once where it is the same for all three; digits are added, up to five, while
    a narrow interval would read as no interval at all.
    """
    for digits in _DIGITS:
        median, low, high = (form(x, digits) for x in (figure.median, figure.low, figure.high))
        if low != high or figure.low == figure.high:
            break
    units = {text.partition(" ")[2] for text in (median, low, high)}
    if len(units) == 1:
        low, high = low.partition(" ")[0], high.partition(" ")[0]
    return f"{median} [{low}, {high}]"


def seconds_text(figure: Figure) -> str:
    """A time per message with its interval."""
    return interval_text(figure, lambda value, digits: format_seconds(value, digits=digits))


def joules_text(figure: Figure) -> str:
    """An energy with its interval."""
    return interval_text(figure, lambda value, digits: format_joules(value, digits=digits))


def watts_text(figure: Figure) -> str:
    """A power with its interval."""
    return interval_text(figure, lambda value, digits: format_si(value, "W", digits=digits))


def joule_seconds_text(figure: Figure) -> str:
    """An energy-delay product with its interval."""
    return interval_text(
        figure, lambda value, digits: format_si(value, _JOULE_SECONDS, digits=digits)
    )


def number_text(figure: Figure) -> str:
    """A plain number, such as core cycles per byte, with its interval."""
    return interval_text(figure, lambda value, digits: format_number(value, digits=digits))


def clocks_text(figure: Figure) -> str:
    """Clocks of a core: exact, so without an interval, and whole where they are."""
    return f"{figure.median:.3f}".rstrip("0").rstrip(".")


UNIT_TEXT: Final[Mapping[FigureUnit, Callable[[Figure], str]]] = {
    FigureUnit.SECONDS: seconds_text,
    FigureUnit.JOULES: joules_text,
    FigureUnit.WATTS: watts_text,
    FigureUnit.JOULE_SECONDS: joule_seconds_text,
    FigureUnit.CORE_CYCLES: number_text,
    FigureUnit.TSC_TICKS: number_text,
    FigureUnit.CLOCKS: clocks_text,
}
"""How a figure of each unit is written, with its interval."""

TIED: Final = "~"
"""Before a ratio to the fastest: the two are not told apart."""
TIED_MEANING: Final = "not told apart from the fastest: their intervals overlap"


def relative_text(ratio: float | None, *, tied: bool = False) -> str:
    """Times the fastest, with two decimals up to ten; a dash where unknown."""
    if ratio is None or not math.isfinite(ratio):
        return "-"
    return f"{TIED if tied else ''}{ratio:.{2 if ratio < 10 else 0}f}\N{MULTIPLICATION SIGN}"


def repeatability_text(found: Repeatability | None) -> str:
    """How much the median moved between runs, as in "+-1.2 % of 5"; a dash where unknown."""
    return "-" if found is None else f"+-{format_percent(found.half_range)} of {found.runs}"


def minimum_text(figure: Figure) -> str:
    """The fastest sample."""
    return format_seconds(figure.minimum)


def quartiles_text(figure: Figure) -> str:
    """Minimum and quartiles, as in "81 ns, 83 ns to 90 ns"."""
    low, high = (format_seconds(value) for value in (figure.quartile_1, figure.quartile_3))
    return f"{format_seconds(figure.minimum)}, {low} to {high}"


def evidence_words(figures: Iterable[Figure | None]) -> list[str]:
    """Evidence words that occur, in alphabetical order."""
    return sorted({figure.evidence.value for figure in figures if figure is not None})
