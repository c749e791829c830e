# SPDX-License-Identifier: Apache-2.0
"""Why a figure in joules or watts is not stated, and what can be said in its place.

A net figure whose interval holds 0 is refused, and its upper end is still knowledge: the work adds
less than that. The bound is the higher of two upper ends at 95 %: of the figure's own interval, and
of Student's t over the windows, because few windows spread less than they vary.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from joulemark.analyse.results import Figure
from joulemark.judging.void import Void
from joulemark.records.absence import Absence, AbsenceKind
from joulemark.stats.distributions import student_quantile
from joulemark.units import format_percent, format_si

_FEWEST: Final = 3
"""Windows below which their scatter says too little for a bound."""
_LEVEL: Final = 0.95
_UNITS: Final[tuple[tuple[str, str], ...]] = (
    ("joule_seconds", "J s"),
    ("joules", "J"),
    ("watts", "W"),
)
"""Part of a figure's name -> its unit."""


def upper_bound(values: Sequence[Any], figure: Figure) -> float | None:
    """The upper bound of a net figure that is not told from 0; None where there is none.

    Args:
        values: of the windows, with their uncertainties.
        figure: their summary.
    """
    if figure.low > 0 or len(values) < _FEWEST:
        return None
    nominal = [float(value.nominal_value) for value in values]
    error = statistics.stdev(nominal) / math.sqrt(len(nominal))
    factor = student_quantile((1 + _LEVEL) / 2, len(nominal) - 1)
    bound = max(figure.high, statistics.fmean(nominal) + factor * error)
    # Below 0 there is no energy: the power at rest moved between the windows.
    return bound if bound > 0 else None


def bound_text(name: str, bound: float) -> str:
    """A bound of the figure called `name`, with its unit, rounded up to two digits."""
    unit = next(unit for part, unit in _UNITS if part in name)
    step = 10.0 ** (math.floor(math.log10(bound)) - 1)
    return format_si(math.ceil(bound / step * (1 - 1e-9)) * step, unit)


def refusal(
    figure: Figure,
    limit: float,
    context: str,
    more: str,
    *,
    below: str | None = None,
) -> Absence | None:
    """Why a figure is not stated; None if it is.

    Args:
        figure: of energy or power.
        limit: half interval over median above which it is refused.
        context: power that it has to stand out from, as in "21 W while working"; may be empty.
        more: options that would narrow the interval, in words.
        below: bound of a net figure that is not told from 0, in words.
    """
    half = (figure.high - figure.low) / 2
    if figure.median > 0 and figure.low > 0 and half <= limit * figure.median:
        return None
    if below is not None:
        problem = f"not told from 0, below {below}"
        context = "; ".join(filter(None, ("upper end of the 95 % interval", context)))
    else:
        share = half / figure.median if figure.median > 0 else 1.0
        size = f"+-{format_percent(share)}" if share < 1 else "more than 100 %"
        problem = f"its interval is {size}, the limit is {format_percent(limit)}"
    around = f" ({context})" if context else ""
    text = f"{problem}{around}; {more} or a quieter machine would narrow it"
    return Absence(text, AbsenceKind.REFUSED)


def unusable(voids: Sequence[Void]) -> str:
    """Why no window could be used: the reason given most often."""
    if not voids:
        return "no energy window was taken"
    (reason, times), *_ = Counter(void.reason for void in voids).most_common(1)
    example = next(void.text for void in voids if void.reason is reason)
    if len(voids) == 1:
        return f"its one window could not be used, {reason.value}: {example}"
    counted = "all" if times == len(voids) else str(times)
    return (
        f"none of its {len(voids)} windows could be used, {counted} because of {reason.value}: "
        f"{example}"
    )
