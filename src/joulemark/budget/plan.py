# SPDX-License-Identifier: Apache-2.0
"""The planner: which MAC costs a node least with a protocol, and what the battery says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from joulemark.budget import Life, Number, nominal, years_of
from joulemark.budget.counts import CCM, CountSeries, Cycles, ccm_cycles, cycles_of
from joulemark.budget.packets import (
    BusyError,
    Costs,
    Duties,
    Packet,
    costs_of,
    duties_of,
    fits,
    packet_of,
    payload_most,
    plain_j,
    work_of,
)
from joulemark.budget.parts import Parts
from joulemark.catalogue import every_algorithm
from joulemark.catalogue.protocols import PacketProtocol
from joulemark.errors import UsageError
from joulemark.units import format_duration

MOST_PAYLOAD_BYTES: Final = 1 << 16
MOST_BATCH: Final = 1024
MOST_BITS: Final = 512
"""The longest tag, and the greatest strength, that a question may ask for."""
MOST_RECEIVED: Final = 1e6
"""The most packets that a node may receive for each that it sends."""
MOST_ATTEMPTS: Final = 1e12
"""The most forged packets in a second."""

_CONSTRUCTION_BITS: Final = 128
"""Strength of every construction over AES-128 and its like."""
_DAY_S: Final = 86_400.0
UNCOUNTED: Final = "no count of core cycles"
"""Begin of the reason for which a MAC is left out that would do."""
CCM_TAG_BYTES: Final = range(4, 17, 2)
"""Lengths of the tag of CCM (NIST SP 800-38C, appendix A.1)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A node's task, and the demands on its tags."""

    payload_bytes: int
    """Length of one reading, 0 or more."""
    period_s: float
    """Time from one reading to the next, above 0."""
    tag_bits: int = 0
    """Shortest tag that will do; with 0 the protocol's usual tag is taken."""
    security_bits: int = 0
    """Least strength that the algorithm must claim."""
    any_mac: bool = False
    """Whether MACs and tag lengths that the standard lacks count too."""
    received_per_sent: float = 0.0
    """Packets that the node receives and verifies for each that it sends."""
    attempts_per_s: float | None = None
    """Forged packets in a second; None for as many as the channel carries."""
    batch: int = 1
    """Readings in a packet."""
    base_w: float = 0.0
    """Power that the node takes all the time beside its sleep, such as that of a sensor."""

    @property
    def packet_payload_bytes(self) -> int:
        """Length of all readings in a packet."""
        return self.payload_bytes * self.batch

    @property
    def packet_period_s(self) -> float:
        """Time from one packet to the next."""
        return self.period_s * self.batch


USUAL: Final = Question(payload_bytes=24, period_s=10.0)
"""The question of commands and views if the user says no more."""


@dataclass(frozen=True, slots=True)
class PacketCandidate:
    """One implementation of a MAC, with the joules that a packet of it takes."""

    cycles: Cycles
    packet: Packet
    costs: Costs
    allowed: bool
    """Whether the protocol's standard has this MAC with this length of the tag."""
    packet_j: Number
    """Joules for authentication of a packet sent, with its share of packets received and of
    acknowledgements."""
    acknowledgement_j: Number
    """Joules for verifying the tags of acknowledgements, for a packet sent."""
    computed_j: Number
    """Joules of core cycles for all tags: of a packet sent, of packets received and of
    acknowledgements."""

    @property
    def implementation(self) -> str:
        """`algorithm/variant`."""
        return self.cycles.implementation


@dataclass(frozen=True, slots=True)
class Budget:
    """The answer to a question."""

    question: Question
    protocol: PacketProtocol
    parts: Parts
    ranking: tuple[PacketCandidate, ...]
    """Candidates that the question takes, then, marked, those that the standard lacks; the
    cheapest of either kind is first."""
    left_out: dict[str, list[str]]
    """Reason -> algorithms or implementations that are in no ranking."""
    packet: Packet
    """The packet with the tag of the winner, or with the protocol's tag if there is no winner."""
    air_only: Costs
    """Costs of that packet without core cycles."""
    plain_packet_j: Number
    """Joules of that packet without authentication, with its share of packets received."""
    sleep_w: Number
    """Power of the sleeping node, base power included."""
    duties: Duties
    """What the protocol makes the node do beside its packets."""

    @property
    def contenders(self) -> list[PacketCandidate]:
        """Candidates that the question takes, the cheapest first."""
        return [
            candidate for candidate in self.ranking if candidate.allowed or self.question.any_mac
        ]

    @property
    def best(self) -> PacketCandidate | None:
        """The winner; None if no core cycles are known of any MAC that the question takes."""
        return next(iter(self.contenders), None)

    @property
    def packets_per_day(self) -> float:
        """Packets that the node sends in a day."""
        return _DAY_S / self.question.packet_period_s

    def power_w(self, packet_j: Number) -> Number:
        """Returns the mean power of the node if a packet takes so much more than a plain one."""
        duties = self.duties
        each_j = self.plain_packet_j + duties.windows_j + duties.acknowledgements_j + packet_j
        return self.sleep_w + duties.joins_w + each_j / self.question.packet_period_s

    def packets_per_s(self, supply_w: Number, packet_j: Number) -> Number:
        """Returns the packets a second that a supply pays for; below 0 if sleep takes more."""
        rest_w = self.sleep_w + self.duties.joins_w
        each_j = (self.power_w(packet_j) - rest_w) * self.question.packet_period_s
        return (supply_w - rest_w) / each_j

    def years(self, packet_j: Number) -> Life:
        """Returns the years of battery at that power."""
        parts = self.parts
        energy = years_of(parts.battery_j, self.power_w(packet_j), parts.self_discharge_per_year)
        return Life(energy, parts.shelf_life_years)

    def share(self, packet_j: Number) -> Number:
        """Returns the share of the node's energy that so many joules in a packet are."""
        return packet_j / self.question.packet_period_s / self.power_w(packet_j)


def tag_bits_of(protocol: PacketProtocol, tag_bytes: int) -> int:
    """Returns how many bits of a tag of that many bytes authenticate."""
    stated = protocol.tag_bits if tag_bytes in protocol.tag.value else None
    return 8 * tag_bytes if stated is None else stated


def _tag_lengths(protocol: PacketProtocol, question: Question) -> list[int]:
    """Returns the lengths of tags, in bytes, that the question takes, the one to use first."""
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
    protocol: PacketProtocol, parts: Parts, question: Question, series: Sequence[CountSeries]
) -> Budget:
    """Ranks the MACs by the energy of a packet, between nodes of equal parts.

    Those that the question takes come first. MACs with which the node is not ready with a packet
    when the next one is due are left out.

    Raises:
        BusyError: that holds for every MAC that the question takes, or for the packet without one.
    """
    parts = parts.carrying(protocol)
    lengths = _tag_lengths(protocol, question)
    left_out: dict[str, list[str]] = {}
    ranking: list[PacketCandidate] = []
    received, period_s = question.received_per_sent, question.packet_period_s
    too_slow: list[dict[str, float]] = []
    duties_for = cache(partial(duties_of, protocol, parts))
    by_algorithm = _by_algorithm(protocol, series)
    _require_strength(protocol, question, by_algorithm)
    for name, counted in by_algorithm.items():
        tag_bytes = _tag_for(protocol, question, name, lengths)
        if isinstance(tag_bytes, str):
            left_out.setdefault(tag_bytes, []).append(name)
            continue
        packet = _fitting(protocol, parts, question, tag_bytes)
        duties = duties_for(tag_bytes)
        known = _cycles(protocol, name, counted, packet)
        answers: dict[str, Number] = {
            cycles.implementation: cycles.number
            for cycles in _cycles(protocol, name, counted, duties.acknowledgement)
            if duties.acknowledged
        }
        if not known:
            why = f"{UNCOUNTED} on {parts.microcontroller.core}"
            why += f" for {packet.mac_input_bytes} bytes" if counted else ""
            left_out.setdefault(why, []).append(name)
        for cycles in known:
            costs = costs_of(parts, packet, cycles.number, duties.transmissions)
            each = costs.sender_j + received * costs.verification_j
            # A shorter message takes no more core cycles than the packet.
            number: Number = answers.get(cycles.implementation, cycles.number)
            answer_j: Number = 0.0
            if duties.acknowledged:
                answer_j = duties.acknowledged * number * parts.cycle_j
                each += answer_j
            allowed = name in protocol.algorithms and tag_bytes in protocol.tag.value
            both = nominal(cycles.number), nominal(number)
            work = work_of(parts, packet, duties, received, both)
            if sum(work.values()) > period_s:
                late = f"not ready when the next packet is due, after {format_duration(period_s)}"
                left_out.setdefault(late, []).append(cycles.implementation)
                if allowed or question.any_mac:
                    too_slow.append(work)
                continue
            computed_j = (1 + received) * costs.compute_j + answer_j
            ranking.append(
                PacketCandidate(cycles, packet, costs, allowed, each, answer_j, computed_j)
            )
    ranking.sort(
        key=lambda candidate: (
            not (candidate.allowed or question.any_mac),
            nominal(candidate.packet_j),
            candidate.implementation,
        )
    )
    taken = (candidate.packet for candidate in ranking if candidate.allowed or question.any_mac)
    packet_of_mac = next(taken, None)
    packet = packet_of_mac or _fitting(protocol, parts, question, lengths[0])
    duties = duties_for(packet.tag_bytes)
    # Where no MAC is in time, the fastest one tells by how much; where none is known, the radio.
    without = work_of(parts, packet, duties, received)
    least = min(too_slow or [without], key=lambda work: sum(work.values()))
    if packet_of_mac is None and sum(least.values()) > period_s:
        raise BusyError(parts, protocol, least, period_s)
    return Budget(
        question=question,
        protocol=protocol,
        parts=parts,
        ranking=tuple(ranking),
        left_out=left_out,
        packet=packet,
        air_only=costs_of(parts, packet, 0, duties.transmissions),
        plain_packet_j=plain_j(parts, packet, received, duties.transmissions),
        sleep_w=parts.sleep_w + question.base_w,
        duties=duties,
    )


def _by_algorithm(
    protocol: PacketProtocol, series: Sequence[CountSeries]
) -> dict[str, list[CountSeries]]:
    """Returns the series of every MAC; an algorithm of the protocol may have none."""
    by_algorithm: dict[str, list[CountSeries]] = {name: [] for name in protocol.algorithms}
    algorithms = every_algorithm()
    for count_series in series:
        facts = algorithms.get(count_series.algorithm)
        if facts is not None and facts.kind == "mac":
            by_algorithm.setdefault(count_series.algorithm, []).append(count_series)
    if CCM in by_algorithm:
        by_algorithm[CCM] = [aes for aes in series if aes.algorithm == "aes128"]
    return by_algorithm


def _cycles(
    protocol: PacketProtocol, name: str, series: Sequence[CountSeries], packet: Packet
) -> list[Cycles]:
    if name == CCM:
        return ccm_cycles(series, packet, protocol.macs)
    known = (cycles_of(each, packet.mac_input_bytes, protocol.macs) for each in series)
    return [cycles for cycles in known if cycles is not None]


def _strength_bits(name: str) -> int:
    """The strength that an algorithm claims."""
    facts = every_algorithm().get(name)
    return _CONSTRUCTION_BITS if facts is None else facts.security_bits


def _require_strength(protocol: PacketProtocol, question: Question, macs: Iterable[str]) -> None:
    """Refuses a strength that no MAC claims which the question takes."""
    taken = macs if question.any_mac else protocol.algorithms
    most = max(map(_strength_bits, taken))
    if most < question.security_bits:
        remedy = "" if question.any_mac else "; take another protocol, or --any-algorithm"
        raise UsageError(
            f"{'all known MACs' if question.any_mac else f'the MACs of {protocol.id}'} claim at "
            f"most {most} bits of security, and --security-bits asks for {question.security_bits}"
            f"{remedy}"
        )


def _tag_for(
    protocol: PacketProtocol, question: Question, name: str, lengths: Sequence[int]
) -> int | str:
    """Returns the length of an algorithm's tag in bytes, or why it has no tag that will do."""
    facts = every_algorithm().get(name)
    if _strength_bits(name) < question.security_bits:
        return f"claims fewer than {question.security_bits} bits of security"
    if facts is not None and name not in protocol.algorithms:
        if facts.one_time_key:
            return "takes a new key for each message"
        if facts.one_length:
            return "takes messages of one length alone"
    if name == CCM:
        found = next((length for length in lengths if length in CCM_TAG_BYTES), None)
        return found or "its tag has 32 to 128 bits, in steps of 16"
    output = 1 << 10 if facts is None else facts.output_bytes
    too_short = f"its tag has {8 * output} bits, which is too short"
    return next((length for length in lengths if length <= output), too_short)


def _fitting(protocol: PacketProtocol, parts: Parts, question: Question, tag_bytes: int) -> Packet:
    """Returns the packet."""
    payload = question.packet_payload_bytes
    packet = packet_of(protocol, parts.inputs, payload, tag_bytes)
    in_frames = protocol.layer != "link"
    limit = None if in_frames else parts.frame_limit_bytes
    if not fits(protocol, parts.inputs, packet, limit):
        most = payload_most(protocol, parts.inputs, tag_bytes, limit)
        raise PayloadError(payload, most, protocol, tag_bytes)
    return packet


class PayloadError(UsageError):
    """A payload that is longer than a packet takes."""

    def __init__(
        self, payload: int, most: int | None, protocol: PacketProtocol, tag_bytes: int
    ) -> None:
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
