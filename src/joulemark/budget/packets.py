# SPDX-License-Identifier: Apache-2.0
"""Bytes of a packet: on the wire with and without authentication, and into the MAC."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.inputs import Inputs
from joulemark.catalogue.planning.protocols import Protocol


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


def _padded(protocol: Protocol, inputs: Inputs, header: int, payload: int, tag: int) -> int:
    """Returns the bytes of a packet, padded as the protocol says."""
    total = header + payload + tag
    if protocol.padding is not None:
        padding = protocol.padding
        multiple = inputs.whole(protocol, "padding.multiple", padding.multiple)
        inner = payload + inputs.whole(protocol, "padding.with_bytes", padding.with_bytes)
        inner += tag if padding.with_tag else 0
        total += -inner % multiple
    return _stepped(protocol, inputs, total)


def _stepped(protocol: Protocol, inputs: Inputs, total: int) -> int:
    """Returns the length that the protocol has for so many bytes."""
    if protocol.steps is None:
        return total
    lengths = inputs.lengths(protocol, "steps", protocol.steps)
    return min((length for length in lengths if length >= total), default=total)


def packet_of(protocol: Protocol, inputs: Inputs, payload_bytes: int, tag_bytes: int) -> Packet:
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


def fits(protocol: Protocol, inputs: Inputs, packet: Packet, radio_limit_bytes: int | None) -> bool:
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
    protocol: Protocol, inputs: Inputs, tag_bytes: int, radio_limit_bytes: int | None
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
