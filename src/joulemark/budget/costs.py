# SPDX-License-Identifier: Apache-2.0
"""What authenticating one packet takes, split by where the energy goes."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.inputs import Number
from joulemark.budget.packets import Packet
from joulemark.budget.parts import Parts

__all__ = ["Costs", "costs_of", "plain_j"]


@dataclass(frozen=True, slots=True)
class Costs:
    """Joules that a packet takes more because it is authenticated."""

    compute_j: Number
    """Core cycles of the tag, at the node that sends."""
    tag_air_j: Number
    """The radio sends the tag, or the whole group of symbols that it begins."""
    other_air_j: Number
    """The radio sends the other bytes of security; below 0 where they replace more bytes."""
    wake_j: Number
    """The processor is awake for longer, while those bytes are on the air."""
    verification_j: Number
    """The node that receives: core cycles, and radio and processor for those bytes."""

    @property
    def air_j(self) -> Number:
        """All bytes of security on the air."""
        return self.tag_air_j + self.other_air_j

    @property
    def sender_j(self) -> Number:
        """All at the node that sends."""
        return self.compute_j + self.tag_air_j + self.other_air_j + self.wake_j


def costs_of(parts: Parts, packet: Packet, core_cycles: Number) -> Costs:
    """The split of one packet.

    Args:
        parts: both nodes, sender and receiver.
        packet: with its tag.
        core_cycles: of making the tag, and of making it again to compare.
    """
    whole_s = parts.airtime_s(packet.secure_bytes)
    untagged_s = parts.airtime_s(packet.untagged_bytes)
    plain_s = parts.airtime_s(packet.plain_bytes)
    longer_s = whole_s - plain_s
    compute = core_cycles * parts.cycle_j
    return Costs(
        compute_j=compute,
        tag_air_j=(whole_s - untagged_s) * parts.send_w,
        other_air_j=(untagged_s - plain_s) * parts.send_w,
        wake_j=longer_s * parts.waiting_w,
        verification_j=compute + longer_s * (parts.receive_w + parts.waiting_w),
    )


def plain_j(parts: Parts, packet: Packet, received_per_sent: float) -> Number:
    """Joules of a packet without authentication, from sleep to sleep, and of those received.

    Args:
        parts: the node.
        packet: its `plain_bytes` count.
        received_per_sent: packets of this length that the node receives for each that it sends.
    """
    seconds = parts.airtime_s(packet.plain_bytes)
    sent = parts.wake_up_j + seconds * (parts.send_w + parts.waiting_w)
    if not received_per_sent:
        return sent
    return sent + received_per_sent * seconds * (parts.receive_w + parts.waiting_w)
