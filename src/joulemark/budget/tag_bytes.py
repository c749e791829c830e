# SPDX-License-Identifier: Apache-2.0
"""What bytes are worth: a tag byte more or less, and core cycles for a byte on the air."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from joulemark.budget import YEAR_S, Number, nominal
from joulemark.budget.packets import costs_of, duties_of, packet_of
from joulemark.budget.parts import whole_step_bytes
from joulemark.budget.plan import Budget, tag_bits_of

# Core cycles for a byte on the air, and the count below which a faster MAC changes nothing.

WORTH: Final = 0.01
"""Share of a node's energy below which a saving does not matter any more."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The exchange rate of core cycles and bytes on the air."""

    cycle_j: Number
    byte_j: Number
    """Joules of a byte more in a packet sent and in its share of packets received, the mean over
    whole steps of the radio."""
    cycles_per_byte: Number
    """Core cycles, of each tag that the node computes for a packet sent, that take as much."""
    next_byte_j: Number
    """Joules of the byte behind this packet's last one; 0 if the byte is free."""
    mattering_core_cycles: Number
    """Core cycles of a MAC that takes `WORTH` of the node's energy."""


def exchange_of(budget: Budget) -> Exchange:
    """Powers of the radio over those of the processor, whose waiting is not counted."""
    parts = budget.parts
    here = budget.packet.secure_bytes
    period = whole_step_bytes(parts.radio)
    now = parts.airtime_s(here)
    received, duties = budget.question.received_per_sent, budget.duties
    radio_w = duties.transmissions * parts.send_w
    if received:
        radio_w += received * parts.receive_w
    tags_j = (1 + received + duties.acknowledged) * parts.cycle_j
    byte_j = (parts.airtime_s(here + period) - now) / period * radio_w
    best = budget.best
    packet_j = 0.0 if best is None else best.packet_j
    whole_j = budget.power_w(packet_j) * budget.question.packet_period_s
    return Exchange(
        cycle_j=parts.cycle_j,
        byte_j=byte_j,
        cycles_per_byte=byte_j / tags_j,
        next_byte_j=(parts.airtime_s(here + 1) - now) * radio_w,
        mattering_core_cycles=WORTH * whole_j / tags_j,
    )


# What a tag byte more or less costs, and the chance of a forgery that it buys.

_USUAL_BYTES = (4, 8, 12, 16)


@dataclass(frozen=True, slots=True)
class TagLength:
    """One length of the tag, all else equal."""

    tag_bytes: int
    tag_bits: int
    """Bits of the tag that authenticate."""
    allowed: bool
    """Whether the standard has this length."""
    used: bool
    more_j: Number
    """Joules on the air, and awake meanwhile, that a packet takes more than with the used tag, with
    its share of packets received and of acknowledgements."""
    more_j_per_year: Number
    forgery_per_year: float
    """Chance that at least one forged packet of a year is accepted."""

    @property
    def free(self) -> bool:
        """Whether another length takes the same energy as the tag that is used."""
        return not self.used and nominal(self.more_j) == 0


def attempts_per_s_of(budget: Budget) -> float:
    """Returns the forged packets in a second of the question, else those that the channel carries.

    The channel carries packets one after another.
    """
    if budget.question.attempts_per_s is not None:
        return budget.question.attempts_per_s
    return 1 / nominal(budget.parts.airtime_s(budget.packet.secure_bytes))


def forgery_per_year(tag_bits: int, attempts_per_s: float, year_s: float) -> float:
    """Returns the chance that one of a year's guesses is right: 1 - (1 - 2^-t)^n.

    It holds for a MAC whose tag cannot be told from random bits: the bound that each MAC adds for
    the number of messages under a key is in `joulemark show`. The attempts are the forged packets
    that the receiver checks.

    Example:
        >>> round(forgery_per_year(32, 40, 31_557_600), 3)
        0.255
    """
    guesses = attempts_per_s * year_s
    return -math.expm1(guesses * math.log1p(-math.ldexp(1.0, -tag_bits)))


def tag_lengths_of(budget: Budget) -> list[TagLength]:
    """The used tag, a byte less, a byte more, and usual lengths, the shortest first."""
    used = budget.packet.tag_bytes
    protocol, parts = budget.protocol, budget.parts
    lengths = {used - 1, used, used + 1, *protocol.tag.value, *_USUAL_BYTES} - {0, -1}
    attempts = attempts_per_s_of(budget)
    payload = budget.question.packet_payload_bytes
    per_year = YEAR_S / budget.question.packet_period_s

    def air_j(length: int) -> Number:
        """Joules of the bytes of security in a packet, in those received and in answers."""
        duties = duties_of(protocol, parts, length)
        packet = packet_of(protocol, parts.inputs, payload, length)
        costs = costs_of(parts, packet, 0, duties.transmissions)
        received_j = budget.question.received_per_sent * costs.verification_j
        return costs.sender_j + received_j + duties.acknowledgements_j

    base = air_j(used)
    tags = []
    for length in sorted(lengths):
        more = 0.0 if length == used else air_j(length) - base
        bits = tag_bits_of(protocol, length)
        tags.append(
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
    return tags
