# SPDX-License-Identifier: Apache-2.0
"""The planner: which MAC costs a node least with a protocol, and what the battery says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.budget.costs import Costs, costs_of, plain_j
from joulemark.budget.cycles import Cycles, Series, ccm_cycles, cycles_of
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.lifetime import years_of
from joulemark.budget.packets import Packet, fits, packet_of, payload_most
from joulemark.budget.parts import Parts
from joulemark.catalogue.hmac_over import every_algorithm
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.errors import UsageError

__all__ = [
    "MOST_BATCH", "MOST_BITS", "MOST_PAYLOAD_BYTES", "MOST_RECEIVED", "USUAL", "Budget",
    "Candidate", "PayloadError", "Question", "budget_of", "tag_bits_of", "tag_lengths",
]  # fmt: skip

MOST_PAYLOAD_BYTES: Final = 1 << 16
MOST_BATCH: Final = 1024
MOST_BITS: Final = 512
"""Of the tag and of the strength, which may be asked for."""
MOST_RECEIVED: Final = 1e6
"""Packets for each that is sent."""

_CONSTRUCTION_BITS = 128
"""Of every construction over AES-128 and its like."""
_CCM = "ccm-aes128"
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Question:
    """What a node does, and what its tags must do."""

    payload_bytes: int
    """Of one reading, 0 or more."""
    period_s: float
    """From one reading to the next, above 0."""
    tag_bits: int = 0
    """At least; with 0 the protocol's usual tag is taken."""
    security_bits: int = 0
    """Claimed strength of the algorithm at least."""
    any_mac: bool = False
    """Whether MACs and tag lengths that the standard lacks count too."""
    received_per_sent: float = 0.0
    """Packets that the node receives and verifies for each that it sends."""
    attempts_per_s: float | None = None
    """Forged packets; None for as many as the channel carries."""
    batch: int = 1
    """Readings in a packet."""
    base_w: float = 0.0
    """What the node takes all the time beside its sleep, such as a sensor."""

    @property
    def packet_payload_bytes(self) -> int:
        """Of all readings in a packet."""
        return self.payload_bytes * self.batch

    @property
    def packet_period_s(self) -> float:
        """From one packet to the next."""
        return self.period_s * self.batch


USUAL: Final = Question(payload_bytes=24, period_s=10.0)
"""What is asked where nobody says more."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One implementation of a MAC with what a packet of it takes."""

    cycles: Cycles
    packet: Packet
    costs: Costs
    allowed: bool
    """By the protocol's standard."""
    packet_j: Number
    """Joules for authentication of a packet sent, with its share of packets received."""

    @property
    def implementation(self) -> str:
        """`algorithm/variant`."""
        return self.cycles.implementation


@dataclass(frozen=True, slots=True)
class Budget:
    """The answer to a question."""

    question: Question
    protocol: Protocol
    parts: Parts
    ranking: tuple[Candidate, ...]
    """Those that do and, marked, those that the standard lacks; the cheapest first."""
    left_out: dict[str, list[str]]
    """Reason -> algorithms or implementations."""
    packet: Packet
    """With the tag of the winner, or of the protocol where nothing is known of any MAC."""
    air_only: Costs
    """Of that packet, without core cycles."""
    plain_packet_j: Number
    sleep_w: Number
    """Base power included."""

    @property
    def contenders(self) -> list[Candidate]:
        """Those that the question takes, the cheapest first."""
        return [
            candidate for candidate in self.ranking if candidate.allowed or self.question.any_mac
        ]

    @property
    def best(self) -> Candidate | None:
        """The winner; None where nothing is known of any MAC that the question takes."""
        return next(iter(self.contenders), None)

    @property
    def packets_per_day(self) -> float:
        """Sent."""
        return DAY_S / self.question.packet_period_s

    def power_w(self, packet_j: Number) -> Number:
        """Mean power of the node if a packet takes so much more than a plain one."""
        return self.sleep_w + (self.plain_packet_j + packet_j) / self.question.packet_period_s

    def years(self, packet_j: Number) -> Number:
        """Years of battery at that power."""
        return years_of(
            self.parts.battery_j, self.power_w(packet_j), self.parts.self_discharge_per_year
        )

    def share(self, packet_j: Number) -> Number:
        """Of the node's energy that so many joules in a packet are."""
        return packet_j / self.question.packet_period_s / self.power_w(packet_j)


def tag_bits_of(protocol: Protocol, tag_bytes: int) -> int:
    """Bits of a tag of that many bytes that authenticate."""
    usual = tag_bytes in protocol.tag.value and protocol.tag_bits is not None
    return protocol.tag_bits if usual and protocol.tag_bits is not None else 8 * tag_bytes


def tag_lengths(protocol: Protocol, question: Question) -> list[int]:
    """Lengths of tags, in bytes, that the question takes, the one to use first.

    Raises:
        UsageError: the protocol has none that is long enough.
    """
    lengths = protocol.tag.value
    if question.any_mac and question.tag_bits:
        return [-(-question.tag_bits // 8)]
    long_enough = [
        length for length in lengths if tag_bits_of(protocol, length) >= question.tag_bits
    ]
    if not long_enough:
        most = max(tag_bits_of(protocol, length) for length in lengths)
        raise UsageError(
            f"a tag of {protocol.id} has at most {most} bits, and --tag-bits asks for "
            f"{question.tag_bits}; take another protocol, or --any-algorithm for a tag "
            "of a design of yours"
        )
    return sorted(long_enough) if question.tag_bits else long_enough


def budget_of(
    protocol: Protocol, parts: Parts, question: Question, series: Sequence[Series]
) -> Budget:
    """The answer.

    Args:
        protocol: whose packets are sent.
        parts: of the node that sends, and of those that receive.
        question: what is asked.
        series: core cycles of implementations on the node's core.

    Raises:
        UsageError: no tag of the protocol is long enough, or the payload does not fit a packet.
    """
    parts = parts.carrying(protocol)
    lengths = tag_lengths(protocol, question)
    left_out: dict[str, list[str]] = {}
    ranking: list[Candidate] = []
    for name, found in _by_algorithm(protocol, series).items():
        reason, tag_bytes = _tag_for(protocol, question, name, lengths)
        if tag_bytes is None:
            left_out.setdefault(reason, []).append(name)
            continue
        packet = _fitting(protocol, parts, question, tag_bytes)
        known = [*_cycles(protocol, name, found, packet)]
        if not known:
            why = f"no count of core cycles on {parts.microcontroller.core}"
            why += f" for {packet.mac_input_bytes} bytes" if found else ""
            left_out.setdefault(why, []).append(name)
        for cycles in known:
            costs = costs_of(parts, packet, cycles.number)
            each = costs.sender_j + question.received_per_sent * costs.verification_j
            allowed = name in protocol.algorithms and tag_bytes in protocol.tag.value
            ranking.append(Candidate(cycles, packet, costs, allowed, each))
    ranking.sort(key=lambda candidate: (nominal(candidate.packet_j), candidate.implementation))
    taken = (candidate.packet for candidate in ranking if candidate.allowed or question.any_mac)
    packet = next(taken, None) or _fitting(protocol, parts, question, lengths[0])
    airtime = nominal(parts.airtime_s(packet.secure_bytes))
    if airtime > question.packet_period_s:
        raise UsageError(
            f"{parts.radio.id} sends such a packet for {airtime:.3g} s, and the next one is due "
            f"after {question.packet_period_s:g} s; send less often, or take a faster radio"
        )
    return Budget(
        question=question,
        protocol=protocol,
        parts=parts,
        ranking=tuple(ranking),
        left_out=left_out,
        packet=packet,
        air_only=costs_of(parts, packet, 0),
        plain_packet_j=plain_j(parts, packet, question.received_per_sent),
        sleep_w=parts.sleep_w + question.base_w,
    )


def _by_algorithm(protocol: Protocol, series: Sequence[Series]) -> dict[str, list[Series]]:
    """Series of every MAC; algorithms of the protocol without any are there too."""
    found: dict[str, list[Series]] = {name: [] for name in protocol.algorithms}
    algorithms = every_algorithm()
    for count_series in series:
        facts = algorithms.get(count_series.algorithm)
        if facts is not None and facts.kind == "mac":
            found.setdefault(count_series.algorithm, []).append(count_series)
    if _CCM in found:
        found[_CCM] = [
            count_series for count_series in series if count_series.algorithm == "aes128"
        ]
    return found


def _cycles(
    protocol: Protocol, name: str, series: Sequence[Series], packet: Packet
) -> Sequence[Cycles]:
    if name == _CCM:
        return ccm_cycles(series, packet, protocol.macs)
    return [
        cycles
        for each in series
        if (cycles := cycles_of(each, packet.mac_input_bytes, protocol.macs))
    ]


def _tag_for(
    protocol: Protocol, question: Question, name: str, lengths: Sequence[int]
) -> tuple[str, int | None]:
    """The tag of an algorithm in bytes, or why it has none."""
    facts = every_algorithm().get(name)
    strength = _CONSTRUCTION_BITS if facts is None else facts.security_bits
    if strength < question.security_bits:
        return f"claims fewer than {question.security_bits} bits of security", None
    if facts is not None and name not in protocol.algorithms:
        if facts.one_time_key:
            return "takes a new key for each message", None
        if facts.one_length:
            return "takes messages of one length alone", None
    output = 1 << 10 if facts is None else facts.output_bytes
    fitting = [length for length in lengths if length <= output]
    if not fitting:
        return f"its tag has {8 * output} bits, which is too short", None
    return "", fitting[0]


def _fitting(protocol: Protocol, parts: Parts, question: Question, tag_bytes: int) -> Packet:
    """The packet, if it fits."""
    payload = question.packet_payload_bytes
    packet = packet_of(protocol, parts.inputs, payload, tag_bytes)
    cut = protocol.layer != "link"
    limit = None if cut else parts.inputs.whole(parts.radio, "frame_limit", parts.radio.frame_limit)
    if not fits(protocol, parts.inputs, packet, limit):
        most = payload_most(protocol, parts.inputs, tag_bytes, limit)
        raise PayloadError(payload, most, protocol, tag_bytes)
    return packet


class PayloadError(UsageError):
    """A payload is longer than a packet takes."""

    def __init__(self, payload: int, most: int | None, protocol: Protocol, tag_bytes: int) -> None:
        tag = f"a tag of {tag_bytes} bytes"
        if most is None:
            super().__init__(
                f"{protocol.id} with {tag} is longer than a frame, whatever the payload; take a "
                "shorter tag or another radio"
            )
        else:
            super().__init__(
                f"a payload of {payload} bytes is longer than the {most} bytes that {protocol.id} "
                f"takes with {tag}; send less, or in more packets"
            )
