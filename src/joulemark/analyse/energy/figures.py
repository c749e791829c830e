# SPDX-License-Identifier: Apache-2.0
"""Figures in joules and watts: made from the windows of one domain, or refused with the reason.

Each figure is the median over the windows of a per-window value, as times are. Its interval is the
wider of two: the bootstrap interval for that median, which sees all that varies from window to
window, and 1.96 standard uncertainties of the mean as the windows' own errors propagate to it,
which also sees what the windows share, the baseline above all.

A figure whose half interval exceeds the limit is refused with the reason; so a net energy that is
small beside the power at rest has no figure rather than a random one, and none is ever negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from joulemark.analyse.energy.refused import bound_text, refusal, upper_bound
from joulemark.analyse.figure import summary
from joulemark.analyse.results import Figure
from joulemark.records.absence import Absence
from joulemark.records.evidence import Evidence
from joulemark.stats.interval import median_interval
from joulemark.stats.location import median
from joulemark.units import format_si

ERROR_LIMIT: Final = 0.05
"""Half interval over median above which no energy is stated: implementations worth choosing
between often differ by as little."""
_Z95: Final = 1.96


def energy_figure(values: Sequence[Any], evidence: Evidence) -> Figure:
    """Summarises uncertain per-window values, n >= 1."""
    nominal = [float(value.nominal_value) for value in values]
    middle = median(nominal)
    half = _Z95 * float((sum(values) / len(values)).std_dev)
    scatter = median_interval(nominal)
    return summary(
        nominal, min(scatter.low, middle - half), max(scatter.high, middle + half), evidence
    )


class EnergyFigures:
    """Figures made or refused, with the reasons.

    Args:
        evidence: of every figure.
        limit: half interval over median above which a figure is refused.
        more: options that would narrow the intervals, in words, for refusals.
        outside: whether the domain lies outside the CPU: what it used less than says nothing about
            the measured code, so no upper bound is given.
    """

    def __init__(
        self, evidence: Evidence, limit: float, more: str, *, outside: bool = False
    ) -> None:
        self.by_field: dict[str, Figure | None] = {}
        self.reasons: dict[str, Absence] = {}
        self.upper_bounds: dict[str, float] = {}
        self._evidence = evidence
        self._limit = limit
        self._more = more
        self._outside = outside

    def add(
        self,
        name: str,
        values: Sequence[Any],
        missing: Absence,
        context: str | None = None,
        *,
        like: str | None = None,
    ) -> None:
        """Adds one figure, or the reason why there is none or why it is refused.

        Args:
            name: of the figure.
            values: of the windows.
            missing: the reason if there are no values.
            context: of a net figure alone: how far it stands out from rest, see `against_rest`.
            like: figure that says the same in another unit; if both are refused, they share its
                reason.
        """
        self.by_field[name] = None
        if not values:
            self.reasons[name] = missing
            return
        figure = energy_figure(values, self._evidence)
        bounded = context is not None and not self._outside
        bound = upper_bound(values, figure) if bounded else None
        reason = refusal(
            figure,
            self._limit,
            context or "",
            self._more,
            below=None if bound is None else bound_text(name, bound),
        )
        if reason is None:
            self.by_field[name] = figure
            return
        self.reasons[name] = reason if like is None else self.reasons.get(like, reason)
        if bound is not None:
            self.upper_bounds[name] = bound


def against_rest(load_w: Sequence[Any], rest_w: Sequence[Any]) -> str:
    """How far the power under load stands out from rest, for a refusal; empty without either."""
    if not load_w or not rest_w:
        return ""
    load, rest = (
        format_si(median([power.nominal_value for power in powers]), "W")
        for powers in (load_w, rest_w)
    )
    return f"{load} while working against {rest} at rest"


def no_rest(word: str) -> Absence:
    """The reason why no figure is net of the idle that is called `word`."""
    return Absence(f"no window of {word} could be used, so nothing can be net of it")
