# SPDX-License-Identifier: Apache-2.0
"""Energy over payload: the staircase of each MAC, and the payloads at which another one wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.budget.calls import calls, ccm_calls
from joulemark.budget.cycles import Series
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.packets import Packet
from joulemark.budget.parts import Parts
from joulemark.budget.plan import PayloadError, Question, budget_of
from joulemark.catalogue.planning.protocols import Protocol

__all__ = ["Crossing", "Stair", "Staircase", "crossings", "staircase_of"]

_MOST_BYTES = 256
"""The longest payload that is looked at; a staircase goes on in the same steps."""


@dataclass(frozen=True, slots=True)
class Stair:
    """One implementation at one payload."""

    payload_bytes: int
    packet_j: Number
    """For authentication."""
    calls: int | None
    """Of the primitive."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """One implementation over all payloads."""

    implementation: str
    allowed: bool
    stairs: tuple[Stair, ...]

    @property
    def boundaries(self) -> list[int]:
        """Payloads that take a call of the primitive more than a byte less does."""
        return [
            after.payload_bytes
            for before, after in zip(self.stairs, self.stairs[1:], strict=False)
            if after.calls != before.calls
        ]


@dataclass(frozen=True, slots=True)
class Crossing:
    """From this payload on, up to the next crossing, one takes less than the other."""

    payload_bytes: int
    cheaper: str
    dearer: str
    cheaper_j: float
    dearer_j: float
    before_calls: tuple[int | None, int | None]
    """Of the cheaper and the dearer with a byte less."""
    after_calls: tuple[int | None, int | None]


def staircase_of(
    protocol: Protocol, parts: Parts, question: Question, series: Sequence[Series]
) -> list[Staircase]:
    """Every implementation of which something is known, over payloads from 0 to the longest.

    Args:
        protocol: whose packets are sent.
        parts: of the node.
        question: its payload and batch do not matter.
        series: core cycles of implementations on the node's core.
    """
    parts = parts.carrying(protocol)
    single = replace(question, batch=1, payload_bytes=0)
    found: dict[str, list[Stair]] = {}
    allowed: dict[str, bool] = {}
    for payload in range(_MOST_BYTES + 1):
        try:
            budget = budget_of(protocol, parts, replace(single, payload_bytes=payload), series)
        except PayloadError:
            break
        for candidate in budget.ranking:
            name = candidate.implementation
            allowed[name] = candidate.allowed
            number = _calls(name, candidate.packet)
            found.setdefault(name, []).append(Stair(payload, candidate.packet_j, number))
    return [Staircase(name, allowed[name], tuple(stairs)) for name, stairs in found.items()]


def _calls(implementation: str, packet: Packet) -> int | None:
    algorithm = implementation.partition("/")[0]
    if algorithm == "ccm-aes128":
        return ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    return calls(algorithm, packet.mac_input_bytes)


def crossings(one: Staircase, other: Staircase) -> list[Crossing]:
    """Payloads from which on the other of two takes less; at equal energies nothing crosses."""
    others = {stair.payload_bytes: stair for stair in other.stairs}
    pairs = [(stair, others[stair.payload_bytes]) for stair in one.stairs
             if stair.payload_bytes in others]  # fmt: skip
    found: list[Crossing] = []
    before: tuple[Stair, Stair] | None = None
    was: bool | None = None
    for here in pairs:
        first, second = (nominal(stair.packet_j) for stair in here)
        less = first < second
        if first != second:
            if was is not None and less != was and before is not None:
                found.append(_crossing(one, other, before, here, first_wins=less))
            was = less
        before = here
    return found


def _crossing(
    one: Staircase, other: Staircase, before: tuple[Stair, Stair], here: tuple[Stair, Stair], *,
    first_wins: bool,
) -> Crossing:  # fmt: skip
    order = (0, 1) if first_wins else (1, 0)
    names = (one.implementation, other.implementation)
    return Crossing(
        payload_bytes=here[0].payload_bytes,
        cheaper=names[order[0]],
        dearer=names[order[1]],
        cheaper_j=nominal(here[order[0]].packet_j),
        dearer_j=nominal(here[order[1]].packet_j),
        before_calls=(before[order[0]].calls, before[order[1]].calls),
        after_calls=(here[order[0]].calls, here[order[1]].calls),
    )
