# SPDX-License-Identifier: Apache-2.0
"""Bytes of a packet: on the wire with and without authentication, and into the MAC."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget import Inputs, Number
from joulemark.budget.parts import Parts
from joulemark.catalogue.protocols import PacketProtocol


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet with a payload and a tag; all sizes in bytes, from the link's header on."""

    payload_bytes: int
    tag_bytes: int
    plain_bytes: int
    """Length of the packet if nothing were authenticated."""
    untagged_bytes: int
    """Length of the authenticated packet with a tag of no bytes."""
    secure_bytes: int
    """Length of the authenticated packet."""
    associated_bytes: int
    """Input of the MAC that is not encrypted by it."""
    encrypted_bytes: int
    """Input of the MAC that CCM encrypts too."""

    @property
    def mac_input_bytes(self) -> int:
        """Bytes that the tag covers, sent or not."""
        return self.associated_bytes + self.encrypted_bytes


def _padded(protocol: PacketProtocol, inputs: Inputs, header: int, payload: int, tag: int) -> int:
    """Returns the bytes of a packet, padded as the protocol says."""
    total = header + payload + tag
    if protocol.padding is not None:
        padding = protocol.padding
        multiple = inputs.whole(protocol, "padding.multiple", padding.multiple)
        inner = payload + inputs.whole(protocol, "padding.with_bytes", padding.with_bytes)
        inner += tag if padding.with_tag else 0
        total += -inner % multiple
    return _stepped(protocol, inputs, total)


def _stepped(protocol: PacketProtocol, inputs: Inputs, total: int) -> int:
    """Returns the length that the protocol has for so many bytes."""
    if protocol.steps is None:
        return total
    lengths = inputs.lengths(protocol, "steps", protocol.steps)
    return min((length for length in lengths if length >= total), default=total)


def packet_of(
    protocol: PacketProtocol, inputs: Inputs, payload_bytes: int, tag_bytes: int
) -> Packet:
    """Lays out the packet, whether or not it fits a frame and the standard has such a tag.

    Payload and tag have 0 bytes or more.
    """
    header = inputs.whole(protocol, "header", protocol.header)
    plain = inputs.whole(protocol, "plain", protocol.plain)
    covered = inputs.whole(protocol, "covered", protocol.covered)
    extra = inputs.whole(protocol, "extra_input", protocol.extra_input)
    encrypted = protocol.payload_is == "encrypted"
    return Packet(
        payload_bytes=payload_bytes,
        tag_bytes=tag_bytes,
        untagged_bytes=_padded(protocol, inputs, header, payload_bytes, 0),
        secure_bytes=_padded(protocol, inputs, header, payload_bytes, tag_bytes),
        plain_bytes=_stepped(protocol, inputs, plain + payload_bytes),
        associated_bytes=covered + extra + (0 if encrypted else payload_bytes),
        encrypted_bytes=payload_bytes if encrypted else 0,
    )


def fits(
    protocol: PacketProtocol, inputs: Inputs, packet: Packet, radio_limit_bytes: int | None
) -> bool:
    """Whether a packet and its payload are within the limits of the protocol and of the radio.

    `radio_limit_bytes` is None if a lower layer may cut packets into frames.
    """
    if protocol.payload_limit is not None:
        most = inputs.whole(protocol, "payload_limit", protocol.payload_limit)
        if packet.payload_bytes > most:
            return False
    if protocol.frame_limit is not None:
        frame = inputs.whole(protocol, "frame_limit", protocol.frame_limit)
        if packet.secure_bytes > frame:
            return False
    return radio_limit_bytes is None or packet.secure_bytes <= radio_limit_bytes


def payload_most(
    protocol: PacketProtocol, inputs: Inputs, tag_bytes: int, radio_limit_bytes: int | None
) -> int | None:
    """Returns the longest payload that fits with a tag; None if not even an empty payload fits.

    The protocol or the radio states at least one limit; None for the radio is as for `fits`.
    """
    bounds = (protocol.payload_limit, protocol.frame_limit)
    known = [int(bound.value) for bound in bounds if bound is not None]
    known += [] if radio_limit_bytes is None else [radio_limit_bytes]
    for payload in range(min(known), -1, -1):
        packet = packet_of(protocol, inputs, payload, tag_bytes)
        if fits(protocol, inputs, packet, radio_limit_bytes):
            return payload
    return None


# What authenticating one packet takes, split by where the energy goes.


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
