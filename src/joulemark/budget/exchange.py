# SPDX-License-Identifier: Apache-2.0
"""Core cycles for a byte on the air, and the count below which a faster MAC changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.budget.airtime import whole_step_bytes
from joulemark.budget.inputs import Number
from joulemark.budget.plan import Budget

__all__ = ["WORTH", "Exchange", "exchange_of"]

WORTH: Final = 0.01
"""Share of a node's energy below which a saving does not matter any more."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The exchange rate of core cycles and bytes on the air."""

    cycle_j: Number
    byte_j: Number
    """Joules of a byte more on the air, the mean over whole steps of the radio."""
    cycles_per_byte: Number
    next_byte_j: Number
    """Joules of the byte behind this packet's last one; 0 if the byte is free."""
    mattering_core_cycles: Number
    """Core cycles of a MAC that takes `WORTH` of the node's energy."""


def exchange_of(budget: Budget) -> Exchange:
    """Divides powers of the radio by those of the processor, whose waiting is not counted."""
    parts = budget.parts
    here = budget.packet.secure_bytes
    period = whole_step_bytes(parts.radio)
    now = parts.airtime_s(here)
    send_w = budget.duties.transmissions * parts.send_w
    byte_j = (parts.airtime_s(here + period) - now) / period * send_w
    best = budget.best
    packet_j = 0.0 if best is None else best.packet_j
    whole_j = budget.power_w(packet_j) * budget.question.packet_period_s
    return Exchange(
        cycle_j=parts.cycle_j,
        byte_j=byte_j,
        cycles_per_byte=byte_j / parts.cycle_j,
        next_byte_j=(parts.airtime_s(here + 1) - now) * send_w,
        mattering_core_cycles=WORTH * whole_j / parts.cycle_j,
    )
