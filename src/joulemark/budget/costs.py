# SPDX-License-Identifier: Apache-2.0
"""What authenticating one packet takes, split by where the energy goes."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.inputs import Number
from joulemark.budget.packets import Packet
from joulemark.budget.parts import Parts


@dataclass(frozen=True, slots=True)
class Costs:
    """Joules that a packet takes more because it is authenticated."""

    compute_j: Number
    """Joules of the core cycles of the tag, at the node that sends."""
    tag_air_j: Number
    """Joules for sending the tag, or the whole group of symbols that the tag begins."""
    other_air_j: Number
    """Joules for sending the other bytes of security; below 0 if they replace more bytes."""
    wake_j: Number
    """Joules of the processor, which stays awake while those bytes are on the air."""
    verification_j: Number
    """Joules of the node that receives: core cycles, and radio and processor for those bytes."""

    @property
    def air_j(self) -> Number:
        """Joules for sending all bytes of security."""
        return self.tag_air_j + self.other_air_j

    @property
    def sender_j(self) -> Number:
        """Joules of the node that sends."""
        return self.compute_j + self.tag_air_j + self.other_air_j + self.wake_j


def costs_of(
    parts: Parts, packet: Packet, core_cycles: Number, transmissions: float = 1.0
) -> Costs:
    """Splits what authentication of one packet takes at a sender and a receiver of equal parts.

    Both take the core cycles: one to make the tag, the other to make it again and compare. A packet
    that is sent again keeps its tag.
    """
    whole_s = parts.airtime_s(packet.secure_bytes)
    untagged_s = parts.airtime_s(packet.untagged_bytes)
    plain_s = parts.airtime_s(packet.plain_bytes)
    longer_s = whole_s - plain_s
    compute = core_cycles * parts.cycle_j
    return Costs(
        compute_j=compute,
        tag_air_j=transmissions * (whole_s - untagged_s) * parts.send_w,
        other_air_j=transmissions * (untagged_s - plain_s) * parts.send_w,
        wake_j=transmissions * longer_s * parts.waiting_w,
        verification_j=compute + longer_s * (parts.receive_w + parts.waiting_w),
    )


def plain_j(
    parts: Parts, packet: Packet, received_per_sent: float, transmissions: float = 1.0
) -> Number:
    """Returns the joules of a packet without authentication, from sleep to sleep.

    Those of the packets of this length that the node receives for each sent packet are added.
    """
    seconds = parts.airtime_s(packet.plain_bytes)
    sent = transmissions * (parts.wake_up_j + seconds * (parts.send_w + parts.waiting_w))
    if not received_per_sent:
        return sent
    return sent + received_per_sent * seconds * (parts.receive_w + parts.waiting_w)
