# SPDX-License-Identifier: Apache-2.0
"""Energy over payload: the staircase of each MAC, and the payloads at which another one wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.budget.calls import packet_calls
from joulemark.budget.cycles import Series
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.parts import Parts
from joulemark.budget.plan import PayloadError, Question, budget_of
from joulemark.catalogue.planning.protocols import Protocol

__all__ = ["Crossing", "Stair", "Staircase", "crossings", "staircase_of"]

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
    protocol: Protocol, parts: Parts, question: Question, series: Sequence[Series]
) -> list[Staircase]:
    """Returns the staircase of every candidate, over payloads from 0 to the longest that fits.

    Payload and batch of the question do not matter.
    """
    parts = parts.carrying(protocol)
    stairs: dict[str, list[Stair]] = {}
    allowed: dict[str, bool] = {}
    for payload in range(_MOST_BYTES + 1):
        single = replace(question, batch=1, payload_bytes=payload)
        try:
            budget = budget_of(protocol, parts, single, series)
        except PayloadError:
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
    pairs = [(stair, others[stair.payload_bytes]) for stair in one.stairs
             if stair.payload_bytes in others]  # fmt: skip
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
    one: Staircase, other: Staircase, before: tuple[Stair, Stair], here: tuple[Stair, Stair], *,
    first_wins: bool,
) -> Crossing:  # fmt: skip
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
