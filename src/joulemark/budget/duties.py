# SPDX-License-Identifier: Apache-2.0
"""What a protocol makes a node do beside a packet: repeats, receive windows, answers and joins."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.airtime import window_s
from joulemark.budget.inputs import Number
from joulemark.budget.lifetime import YEAR_S
from joulemark.budget.packets import Packet, packet_of
from joulemark.budget.parts import Parts
from joulemark.catalogue.planning.protocols import Protocol

__all__ = ["Duties", "duties_of"]


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


def duties_of(protocol: Protocol, parts: Parts, tag_bytes: int) -> Duties:
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
    for place, window in enumerate(protocol.window):
        seconds = window_s(parts.radio, inputs, protocol, place)
        if seconds is None:
            uncounted.append(window.name)
        else:
            all_windows_j += parts.wake_up_j + seconds * listening_w
    answer = packet_of(protocol, inputs, 0, tag_bytes)
    answer_j: Number = 0.0
    if acknowledged:
        answer_j = parts.wake_up_j + parts.airtime_s(answer.secure_bytes) * listening_w
    return Duties(
        transmissions=transmissions,
        acknowledged=acknowledged,
        acknowledgement=answer,
        windows_j=(transmissions - acknowledged) * all_windows_j,
        acknowledgements_j=acknowledged * answer_j,
        joins_w=_joins_w(protocol, parts),
        uncounted_windows=tuple(uncounted),
    )


def _joins_w(protocol: Protocol, parts: Parts) -> Number:
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
