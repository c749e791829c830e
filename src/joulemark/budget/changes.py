# SPDX-License-Identifier: Apache-2.0
"""What would change the winner, and what another protocol, node or batch would change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from joulemark.budget.counts import shipped_cores, shipped_series
from joulemark.budget.cycles import Series
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.parts import Parts
from joulemark.budget.plan import Budget, Candidate, PayloadError, Question, budget_of
from joulemark.budget.staircase import crossings, staircase_of
from joulemark.catalogue.planning.protocols import Protocol

__all__ = ["Flip", "WhatIf", "batches_of", "chance_cheaper", "flips_of", "what_if"]

_NORMAL_95 = 1.96
_BATCHES = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class Flip:
    """One assumption, and what must become of it for another implementation to win."""

    assumption: str
    change: str
    winner: str
    """Who would win then."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The same readings in another way."""

    change: str
    budget: Budget

    @property
    def reading_j(self) -> Number | None:
        """For authentication, of a reading; None where no count of core cycles is known."""
        best = self.budget.best
        return None if best is None else best.packet_j / self.budget.question.batch

    @property
    def years(self) -> Number:
        """Of battery; without core cycles where they are not known."""
        best = self.budget.best
        each = self.budget.air_only.sender_j if best is None else best.packet_j
        return self.budget.years(each)


def chance_cheaper(one: Candidate, other: Candidate) -> float:
    """Chance that the first takes less than the second, as the uncertainties have it."""
    difference = other.packet_j - one.packet_j
    deviation = float(getattr(difference, "std_dev", 0.0))
    if deviation == 0:
        return 1.0 if nominal(difference) > 0 else 0.5
    return 0.5 * (1 + math.erf(nominal(difference) / deviation / math.sqrt(2)))


def flips_of(budget: Budget, series: Sequence[Series]) -> list[Flip]:
    """What would make another one win: values within their bounds, counts, and the payload."""
    if len(budget.contenders) < 2:
        return []
    best, *others = budget.contenders
    found = [*_values(best, others), _count(budget, best, others[0])]
    found.extend(_payloads(budget, best, series))
    found.extend(_cores(budget, best))
    return found


def _cores(budget: Budget, best: Candidate) -> list[Flip]:
    """Cores of the catalogue on which another one takes fewest core cycles with the same tag."""
    found = []
    for core in shipped_cores():
        other = budget_of(budget.protocol, budget.parts, budget.question, shipped_series(core)).best
        if other is None or other.cycles.algorithm == best.cycles.algorithm:
            continue
        found.append(Flip("the core", f"is {core}", other.implementation))
    return found


def _values(best: Candidate, others: Sequence[Candidate]) -> list[Flip]:
    """Values that turn the answer round alone, somewhere within their 95 %."""
    found: list[Flip] = []
    for other in others:
        difference = other.packet_j - best.packet_j
        parts: dict[Any, float] = getattr(difference, "error_components", dict)()
        for variable, deviation in parts.items():
            if _NORMAL_95 * deviation > nominal(difference):
                share = nominal(difference) / deviation * variable.std_dev / variable.nominal_value
                found.append(
                    Flip(str(variable.tag), f"is off by {100 * share:.0f} %", other.implementation)
                )
    return found


def _count(budget: Budget, best: Candidate, second: Candidate) -> Flip:
    gap_j = nominal(second.packet_j) - nominal(best.packet_j)
    share = gap_j / nominal(budget.parts.cycle_j) / nominal(second.cycles.number)
    if share >= 1:
        change = "cannot be small enough: its tag alone costs more"
    else:
        change = f"is {100 * share:.0f} % lower"
    return Flip(f"the count of {second.implementation}", change, second.implementation)


def _payloads(budget: Budget, best: Candidate, series: Sequence[Series]) -> list[Flip]:
    """The nearest payloads at which another contender takes less."""
    question, here = budget.question, budget.question.packet_payload_bytes
    stairs = {
        staircase.implementation: staircase
        for staircase in staircase_of(budget.protocol, budget.parts, question, series)
        if staircase.allowed or question.any_mac
    }
    own = stairs.get(best.implementation)
    if own is None:
        return []
    below: tuple[int, str] | None = None
    above: tuple[int, str] | None = None
    for name, other in stairs.items():
        for crossing in crossings(own, other) if name != best.implementation else ():
            if crossing.cheaper == name and crossing.payload_bytes > here:
                above = min(above or (1 << 30, ""), (crossing.payload_bytes, name))
            if crossing.cheaper == best.implementation and crossing.payload_bytes <= here:
                below = max(below or (-1, ""), (crossing.payload_bytes - 1, name))
    return [
        Flip("the payload of a packet", f"is {word} {limit[0]} bytes", limit[1])
        for word, limit in (("at most", below), ("at least", above))
        if limit is not None
    ]


def batches_of(budget: Budget, series: Sequence[Series]) -> list[WhatIf]:
    """Several readings in a packet, as far as they fit."""
    found = []
    for batch in _BATCHES:
        try:
            other = budget_of(
                budget.protocol, budget.parts, replace(budget.question, batch=batch), series
            )
        except PayloadError:
            break
        words = "1 reading a packet" if batch == 1 else f"{batch} readings a packet"
        found.append(WhatIf(words, other))
    return found


def what_if(
    change: str, protocol: Protocol, parts: Parts, question: Question, series: Sequence[Series]
) -> WhatIf:
    """The same question with another protocol or node.

    Raises:
        UsageError: the protocol has no tag that is long enough, or the payload does not fit.
    """
    return WhatIf(change, budget_of(protocol, parts, question, series))
