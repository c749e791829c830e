# SPDX-License-Identifier: Apache-2.0
"""Assumptions that would change the winner, and the same readings sent in another way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joulemark.budget import NORMAL_95, Life, Number, nominal
from joulemark.budget.counts import CountSeries, packet_calls, shipped_cores, shipped_series
from joulemark.budget.packets import BusyError
from joulemark.budget.parts import Parts
from joulemark.budget.plan import Budget, PacketCandidate, PayloadError, Question, budget_of
from joulemark.catalogue.protocols import PacketProtocol

# Energy over payload: the staircase of each MAC, and the payloads at which another one wins.

_MOST_BYTES = 256
"""Length of the longest payload of a staircase, which would go on in the same steps."""


@dataclass(frozen=True, slots=True)
class Stair:
    """One implementation at one payload."""

    payload_bytes: int
    packet_j: Number
    """Joules for authentication of a packet."""
    calls: int | None
    """Calls of the primitive; None if they are unknown."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """One implementation over all payloads."""

    implementation: str
    allowed: bool
    stairs: tuple[Stair, ...]

    @property
    def boundaries(self) -> list[int]:
        """Payloads at which the number of calls of the primitive changes."""
        return [
            after.payload_bytes
            for before, after in zip(self.stairs, self.stairs[1:], strict=False)
            if after.calls != before.calls
        ]


@dataclass(frozen=True, slots=True)
class Crossing:
    """A payload from which on, up to the next crossing, one of two implementations takes less."""

    payload_bytes: int
    cheaper: str
    dearer: str
    cheaper_j: float
    dearer_j: float
    before_calls: tuple[int | None, int | None]
    """Calls of the cheaper and of the dearer with a payload of one byte less."""
    after_calls: tuple[int | None, int | None]
    """Calls of the cheaper and of the dearer with this payload."""


def staircase_of(
    protocol: PacketProtocol, parts: Parts, question: Question, series: Sequence[CountSeries]
) -> list[Staircase]:
    """Returns the staircase of every candidate, over payloads from 0 to the longest that fits.

    It fits a packet, and the time to the next one. The question's own payload does not matter.
    """
    parts = parts.carrying(protocol)
    single = replace(question, batch=1, period_s=question.packet_period_s)
    stairs: dict[str, list[Stair]] = {}
    allowed: dict[str, bool] = {}
    for payload in range(_MOST_BYTES + 1):
        try:
            budget = budget_of(protocol, parts, replace(single, payload_bytes=payload), series)
        except (PayloadError, BusyError):
            break
        for candidate in budget.ranking:
            name = candidate.implementation
            allowed[name] = candidate.allowed
            calls = packet_calls(candidate.cycles.algorithm, candidate.packet)
            stairs.setdefault(name, []).append(Stair(payload, candidate.packet_j, calls))
    return [Staircase(name, allowed[name], tuple(steps)) for name, steps in stairs.items()]


def crossings(one: Staircase, other: Staircase) -> list[Crossing]:
    """Returns the payloads from which on the other of two implementations takes less.

    At equal energies nothing crosses.
    """
    others = {stair.payload_bytes: stair for stair in other.stairs}
    pairs = [
        (stair, others[stair.payload_bytes])
        for stair in one.stairs
        if stair.payload_bytes in others
    ]
    changes: list[Crossing] = []
    before: tuple[Stair, Stair] | None = None
    was: bool | None = None
    for here in pairs:
        first, second = (nominal(stair.packet_j) for stair in here)
        less = first < second
        if first != second:
            if was is not None and less != was and before is not None:
                changes.append(_crossing(one, other, before, here, first_wins=less))
            was = less
        before = here
    return changes


def _crossing(
    one: Staircase,
    other: Staircase,
    before: tuple[Stair, Stair],
    here: tuple[Stair, Stair],
    *,
    first_wins: bool,
) -> Crossing:
    cheap, dear = (0, 1) if first_wins else (1, 0)
    names = (one.implementation, other.implementation)
    return Crossing(
        payload_bytes=here[0].payload_bytes,
        cheaper=names[cheap],
        dearer=names[dear],
        cheaper_j=nominal(here[cheap].packet_j),
        dearer_j=nominal(here[dear].packet_j),
        before_calls=(before[cheap].calls, before[dear].calls),
        after_calls=(here[cheap].calls, here[dear].calls),
    )


_BATCHES = (1, 2, 4, 8, 16, 32)
_NEIGHBOURHOOD_BYTES = 4
"""How much longer or shorter a payload may be that is named because it costs less."""
_MUCH_CHEAPER = 0.75
"""Share of the energy of authentication at which a payload is named."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A change of one assumption that makes another implementation win."""

    assumption: str
    change: str
    """The predicate of the assumption, such as `is 12 % higher`."""
    winner: str
    """The implementation that would win then."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The same readings sent in another way."""

    change: str
    budget: Budget

    @property
    def reading_j(self) -> Number | None:
        """Joules for authentication of a reading; None if no core cycles are known."""
        best = self.budget.best
        return None if best is None else best.packet_j / self.budget.question.batch

    @property
    def years(self) -> Life:
        """Years of battery, of the bytes on the air alone if no core cycles are known."""
        best = self.budget.best
        each = self.budget.air_only.sender_j if best is None else best.packet_j
        return self.budget.years(each)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A payload near that of the question whose packet takes much less for authentication."""

    payload_bytes: int
    packet_j: Number
    """Joules for authentication of a packet, by the cheapest MAC there."""
    ratio: float
    """Those joules over the joules of the question's payload."""
    whole_ratio: float
    """The same of all joules that a packet takes, sleep left out."""


def cheaper_neighbours(budget: Budget, series: Sequence[CountSeries]) -> list[Neighbour]:
    """Returns the nearest shorter and the nearest longer payload that is much cheaper, if any.

    The question's payload then has the tag, or a block of the MAC, in a step that it just enters.
    """
    best = budget.best
    here = budget.question.packet_payload_bytes
    if best is None or budget.question.batch > 1 or nominal(best.packet_j) <= 0:
        return []
    found = []
    for direction in (-1, 1):
        for distance in range(1, _NEIGHBOURHOOD_BYTES + 1):
            payload = here + direction * distance
            question = replace(budget.question, payload_bytes=max(payload, 0))
            try:
                other = budget_of(budget.protocol, budget.parts, question, series)
            except (PayloadError, BusyError):
                break
            if payload < 0 or other.best is None:
                break
            ratio = nominal(other.best.packet_j) / nominal(best.packet_j)
            if ratio <= _MUCH_CHEAPER:
                whole = nominal(other.plain_packet_j + other.best.packet_j)
                whole /= nominal(budget.plain_packet_j + best.packet_j)
                found.append(Neighbour(payload, other.best.packet_j, ratio, whole))
                break
    return found


def chance_cheaper(one: PacketCandidate, other: PacketCandidate) -> float:
    """Returns the chance that the first takes less than the second, by their uncertainties."""
    difference = other.packet_j - one.packet_j
    deviation = float(getattr(difference, "std_dev", 0.0))
    if deviation == 0:
        return 1.0 if nominal(difference) > 0 else 0.5
    return 0.5 * (1 + math.erf(nominal(difference) / deviation / math.sqrt(2)))


def flips_of(budget: Budget, series: Sequence[CountSeries]) -> list[Flip]:
    """Returns changes that make another contender win: of values, a count, the payload, the core.

    The list is empty with fewer than two contenders.
    """
    if len(budget.contenders) < 2:
        return []
    best, *others = budget.contenders
    return [
        *_values(best, others),
        _count(best, others[0]),
        *_payloads(budget, best, series),
        *_cores(budget, best),
    ]


def _cores(budget: Budget, best: PacketCandidate) -> Iterator[Flip]:
    """Yields the cores of the catalogue on which a MAC of another algorithm wins."""
    for core in shipped_cores():
        counted = shipped_series(core)
        try:
            other = budget_of(budget.protocol, budget.parts, budget.question, counted).best
        except BusyError:  # at the clock of this chip the core is too slow
            continue
        if other is not None and other.cycles.algorithm != best.cycles.algorithm:
            yield Flip("the core", f"is {core}", other.implementation)


def _values(best: PacketCandidate, others: Sequence[PacketCandidate]) -> Iterator[Flip]:
    """Yields the values that make another contender win somewhere within their 95 % interval."""
    for other in others:
        difference = other.packet_j - best.packet_j
        parts: dict[Any, float] = getattr(difference, "error_components", dict)()
        for variable, deviation in parts.items():
            # Two that take the same have no winner that a value could change.
            if NORMAL_95 * deviation > nominal(difference) > 0:
                share = nominal(difference) / deviation * variable.std_dev / variable.nominal_value
                more = difference.derivatives[variable] < 0
                change = f"is {100 * share:.0f} % {'higher' if more else 'lower'}"
                counted = variable.tag in (best.implementation, other.implementation)
                value = f"the count of {variable.tag}" if counted else str(variable.tag)
                yield Flip(value, change, other.implementation)


def _count(best: PacketCandidate, second: PacketCandidate) -> Flip:
    """Returns how much lower the count of the second must be for the second to win."""
    share = (nominal(second.packet_j) - nominal(best.packet_j)) / nominal(second.computed_j)
    if share >= 1:
        change = "cannot be small enough: its tag alone costs more"
    elif share == 0:
        change = "is lower at all"
    else:
        change = f"is {100 * share:.0f} % lower"
    return Flip(f"the count of {second.implementation}", change, second.implementation)


def _payloads(budget: Budget, best: PacketCandidate, series: Sequence[CountSeries]) -> list[Flip]:
    """Returns the nearest payloads, a longer and a shorter, at which another contender wins."""
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


def batches_of(budget: Budget, series: Sequence[CountSeries]) -> list[WhatIf]:
    """Returns the budgets of several readings in a packet, as far as they fit."""
    budgets = []
    for batch in _BATCHES:
        try:
            other = budget_of(
                budget.protocol, budget.parts, replace(budget.question, batch=batch), series
            )
        except PayloadError:
            break
        except BusyError:  # longer packets are due less often
            continue
        words = "1 reading a packet" if batch == 1 else f"{batch} readings a packet"
        budgets.append(WhatIf(words, other))
    return budgets
