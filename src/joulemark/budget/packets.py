# SPDX-License-Identifier: Apache-2.0
"""A packet's bytes, on the wire and into the MAC; what they cost, and how long they take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.budget import YEAR_S, Inputs, Number, nominal
from joulemark.budget.parts import Parts, window_s
from joulemark.catalogue.protocols import PacketProtocol
from joulemark.errors import UsageError
from joulemark.units import format_duration, format_seconds


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


# What a protocol makes a node do beside a packet: repeats, receive windows, answers and joins.


@dataclass(frozen=True, slots=True)
class Duties:
    """Energies that a node with this protocol spends whatever its MAC is."""

    transmissions: float
    """How often a packet is sent on average, 1 or more."""
    acknowledged: float
    """Share of packets that are acknowledged."""
    acknowledgement: Packet
    """The packet without payload that acknowledges; its tag is verified."""
    windows_j: Number
    """Joules of the receive windows in which nothing comes, for a packet."""
    acknowledgements_j: Number
    """Joules for receiving acknowledgements, for a packet; verifying their tags comes on top."""
    joins_w: Number
    """Mean power of the joins."""
    uncounted_windows: tuple[str, ...]
    """Names of the windows of which the radio has no symbols."""
    windows_s: float
    """Seconds from the ends of a packet, each time that it is sent, to the end of its last receive
    window, or of its acknowledgement."""


def duties_of(protocol: PacketProtocol, parts: Parts, tag_bytes: int) -> Duties:
    """Adds up what a node does beside one packet with a tag of that many bytes.

    Each time that a packet is sent all windows open, unless an acknowledgement comes in the first.
    """
    inputs = parts.inputs
    times = protocol.transmissions
    transmissions = 1.0 if times is None else inputs.exact(protocol, "transmissions", times)
    share = protocol.acknowledged
    acknowledged = 0.0 if share is None else inputs.exact(protocol, "acknowledged", share)
    listening_w = parts.receive_w + parts.waiting_w if protocol.window or acknowledged else 0.0
    all_windows_j: Number = 0.0
    uncounted = []
    first_delay_s = windows_end_s = 0.0
    for place, window in enumerate(protocol.window):
        seconds = window_s(parts.radio, inputs, protocol, place)
        if seconds is None:
            uncounted.append(window.name)
            continue
        all_windows_j += parts.wake_up_j + seconds * listening_w
        if window.delay is not None:
            delay_s = inputs.exact(protocol, f"window[{place}].delay", window.delay)
            first_delay_s = first_delay_s if place else delay_s
            windows_end_s = max(windows_end_s, delay_s + nominal(seconds))
    answer = packet_of(protocol, inputs, 0, tag_bytes)
    answer_j: Number = 0.0
    windows_s = (transmissions - acknowledged) * windows_end_s
    if acknowledged:
        answer_s = parts.airtime_s(answer.secure_bytes)
        answer_j = parts.wake_up_j + answer_s * listening_w
        windows_s += acknowledged * (first_delay_s + nominal(answer_s))
    return Duties(
        transmissions=transmissions,
        acknowledged=acknowledged,
        acknowledgement=answer,
        windows_j=(transmissions - acknowledged) * all_windows_j,
        acknowledgements_j=acknowledged * answer_j,
        joins_w=_joins_w(protocol, parts),
        uncounted_windows=tuple(uncounted),
        windows_s=windows_s,
    )


def _joins_w(protocol: PacketProtocol, parts: Parts) -> Number:
    """Returns the mean power of sending requests and of receiving their answers."""
    join = protocol.join
    if join is None:
        return 0.0
    inputs = parts.inputs
    per_year = inputs.exact(protocol, "join.per_year", join.per_year)
    sent_s = parts.airtime_s(inputs.whole(protocol, "join.request", join.request))
    received_s = parts.airtime_s(inputs.whole(protocol, "join.accept", join.accept))
    each = 2 * parts.wake_up_j + sent_s * (parts.send_w + parts.waiting_w)
    each += received_s * (parts.receive_w + parts.waiting_w)
    return per_year * each / YEAR_S


# How long a node works for a packet: all of it must be over before the next one is due.

_FASTER_RADIO: Final = "take a faster radio"
_FEWER_PACKETS: Final = "receive fewer packets"
_MENDS: Final = {
    "sending": _FASTER_RADIO,
    "receive windows": "take a protocol without them",
    "computing the tag": "take a faster processor",
    "receiving": _FEWER_PACKETS,
    "verifying": _FEWER_PACKETS,
}
"""What a node does for a packet -> what helps if this takes longest."""


def work_of(
    parts: Parts,
    packet: Packet,
    duties: Duties,
    received_per_sent: float,
    core_cycles: tuple[float, float] = (0.0, 0.0),
) -> dict[str, float]:
    """Returns the seconds of what a node does, one after the other, for a packet that it sends.

    The core cycles are those of the packet's tag and of an acknowledgement's. The keys are those of
    `_MENDS`, without what takes no time.
    """
    air_s = nominal(parts.airtime_s(packet.secure_bytes))
    tag_s, answer_s = (
        cycles / nominal(parts.clock_hz) if cycles else 0.0 for cycles in core_cycles
    )
    seconds = (
        duties.transmissions * air_s,
        duties.windows_s,
        tag_s,
        received_per_sent * air_s,
        received_per_sent * tag_s + duties.acknowledged * answer_s,
    )
    return {what: each for what, each in zip(_MENDS, seconds, strict=True) if each}


class BusyError(UsageError):
    """A node that is not ready with a packet when the next one is due."""

    def __init__(
        self, parts: Parts, protocol: PacketProtocol, work: dict[str, float], period_s: float
    ) -> None:
        longest_first = sorted(work, key=work.__getitem__, reverse=True)
        each = ", ".join(f"{what} {format_seconds(work[what])}" for what in longest_first)
        super().__init__(
            f"{parts.name} needs {format_seconds(sum(work.values()))} for a packet of "
            f"{protocol.id} ({each}), and the next one is due after {format_duration(period_s)}; "
            f"send less often, or {_MENDS[longest_first[0]]}"
        )
