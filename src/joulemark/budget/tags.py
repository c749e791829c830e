# SPDX-License-Identifier: Apache-2.0
"""What a tag byte more or less costs, and which chance of a forgery it buys."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.costs import costs_of
from joulemark.budget.forgery import forgery_per_year
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.lifetime import YEAR_S
from joulemark.budget.packets import packet_of
from joulemark.budget.plan import Budget, tag_bits_of

__all__ = ["TagLength", "attempts_per_s_of", "tags_of"]

_USUAL_BYTES = (4, 8, 12, 16)


@dataclass(frozen=True, slots=True)
class TagLength:
    """One length of the tag, all else equal."""

    tag_bytes: int
    tag_bits: int
    allowed: bool
    """By the standard."""
    used: bool
    more_j: Number
    """Than the tag that is used, in a packet: on the air, and awake meanwhile."""
    more_j_per_year: Number
    forgery_per_year: float

    @property
    def free(self) -> bool:
        """Whether it takes no more than the tag that is used, though it is another one."""
        return not self.used and nominal(self.more_j) == 0


def attempts_per_s_of(budget: Budget) -> float:
    """Forged packets in a second: as asked, or as many as the channel carries one after another."""
    asked = budget.question.attempts_per_s
    if asked is not None:
        return asked
    return 1 / nominal(budget.parts.airtime_s(budget.packet.secure_bytes))


def tags_of(budget: Budget) -> list[TagLength]:
    """The tag that is used, a byte less, a byte more, and usual lengths, by length."""
    used = budget.packet.tag_bytes
    protocol, parts = budget.protocol, budget.parts
    lengths = {used - 1, used, used + 1, *protocol.tag.value, *_USUAL_BYTES} - {0, -1}
    attempts = attempts_per_s_of(budget)
    payload = budget.question.packet_payload_bytes
    per_year = YEAR_S / budget.question.packet_period_s
    base = budget.air_only.sender_j
    found = []
    for length in sorted(lengths):
        packet = packet_of(protocol, parts.inputs, payload, length)
        more = 0.0 if length == used else costs_of(parts, packet, 0).sender_j - base
        bits = tag_bits_of(protocol, length)
        found.append(
            TagLength(
                tag_bytes=length,
                tag_bits=bits,
                allowed=length in protocol.tag.value,
                used=length == used,
                more_j=more,
                more_j_per_year=more * per_year,
                forgery_per_year=forgery_per_year(bits, attempts, YEAR_S),
            )
        )
    return found
