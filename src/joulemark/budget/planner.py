# SPDX-License-Identifier: Apache-2.0
"""A planner's questions from Python: it takes names or files, and gives the figures of each view.

planner = Planner.of("tinysec_auth", "mica2", Question(payload_bytes=24, period_s=10))
best = planner.budget.best
print(best.implementation, planner.budget.years(best.packet_j).bounds)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from joulemark.budget import YEAR_S, Inputs, Number, nominal
from joulemark.budget.changes import (
    Crossing,
    Flip,
    Neighbour,
    Staircase,
    WhatIf,
    batches_of,
    cheaper_neighbours,
    crossings,
    flips_of,
    staircase_of,
)
from joulemark.budget.cores import KnownCore, stored_cores
from joulemark.budget.counts import (
    CCM,
    CCM_CIPHER,
    CIPHER_BLOCK_BYTES,
    CountSeries,
    FirmwareStore,
    known_series,
    shipped_series,
    target_of,
)
from joulemark.budget.engines import (
    CoreRow,
    EngineRow,
    GapRow,
    HarvestRow,
    KeyState,
    cores_of,
    engines_of,
    gaps_of,
    harvest_of,
    key_states_of,
)
from joulemark.budget.packets import costs_of, duties_of, fits, packet_of, payload_most
from joulemark.budget.parts import Parts, assemble, whole_step_bytes
from joulemark.budget.plan import Budget, PayloadError, Question, budget_of, tag_bits_of
from joulemark.catalogue import every_algorithm
from joulemark.catalogue.protocols import PacketProtocol, sheet, sheet_path
from joulemark.errors import UsageError
from joulemark.foreign.records import line_of, read_text

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


_RUNNERS_UP: Final = 3
"""Implementations that the winner is compared with if no pair is named."""


@dataclass(frozen=True)
class Planner:
    """One question with all that is known for its answer."""

    protocol: PacketProtocol
    protocol_name: str
    parts: Parts
    question: Question
    series: tuple[CountSeries, ...]
    known_cores: tuple[KnownCore, ...] = ()
    """Hardware cores of the store."""

    @classmethod
    def of(
        cls,
        protocol: str,
        node: str,
        question: Question,
        *,
        store: FirmwareStore | None = None,
        microcontroller: str | None = None,
        radio: str | None = None,
        battery: str | None = None,
        harvester: str | None = None,
        mode: str | None = None,
    ) -> Planner:
        """Makes a planner by names: each is one of the catalogue, or a path that ends with `.toml`.

        Parts that are named stand in place of the node's. The store is open; its counts of firmware
        come before those that are shipped.
        """
        parts = assemble(
            node,
            Inputs(),
            microcontroller=microcontroller,
            radio=radio,
            battery=battery,
            harvester=harvester,
            mode=mode,
        )
        series = tuple(known_series(parts.microcontroller.core, store))
        cores = tuple(stored_cores(store))
        return cls(sheet(PacketProtocol, protocol), protocol, parts, question, series, cores)

    @cached_property
    def budget(self) -> Budget:
        """The answer to the question."""
        try:
            return budget_of(self.protocol, self.parts, self.question, self.series)
        except PayloadError as error:
            raise UsageError(f"{self._limit_place}: {error}") from None

    @property
    def _limit_place(self) -> str:
        """File, line and key of the limit that the payload breaks."""
        path = sheet_path(PacketProtocol, self.protocol_name)
        text = read_text(path)
        for key in ("payload_limit", "frame_limit", "tag"):
            line = line_of(text, (key,))
            if line is not None and getattr(self.protocol, key) is not None:
                return f"{path.name}, line {line}, {key}"
        return path.name

    @cached_property
    def staircase(self) -> list[Staircase]:
        """The staircase of every implementation; all take a second."""
        return staircase_of(self.protocol, self.parts, self.question, self.series)

    def cheapest_stairs(self, most: int) -> list[Staircase]:
        """Returns the staircases of at most so many contenders, the cheapest first."""
        ranked = [contender.implementation for contender in self.budget.contenders[:most]]
        used = [series for series in self.series if any(series.serves(name) for name in ranked)]
        staircases = staircase_of(self.protocol, self.parts, self.question, used)
        by_name = {staircase.implementation: staircase for staircase in staircases}
        return [by_name[name] for name in ranked]

    def crossings_of(self, pair: Sequence[str] = ()) -> list[tuple[str, str, Sequence[Crossing]]]:
        """Returns two implementations, and the payloads at which the cheaper of them changes.

        Without a pair of algorithms or implementations, the winner is paired with runners-up.
        """
        by_name = {staircase.implementation: staircase for staircase in self.staircase}
        if pair:
            names = [self._named(name, by_name) for name in pair]
            return [(names[0], names[1], crossings(by_name[names[0]], by_name[names[1]]))]
        best = self.budget.best
        if best is None:
            return []
        first = best.implementation
        ranked = (candidate.implementation for candidate in self.budget.ranking)
        others = [name for name in ranked if name != first and name in by_name]
        rivals = others[:_RUNNERS_UP]
        return [(first, name, crossings(by_name[first], by_name[name])) for name in rivals]

    def _named(self, wanted: str, known: dict[str, Staircase]) -> str:
        for name in known:
            if wanted in {name, name.partition("/")[0]}:
                return name
        raise UsageError(f"there is no staircase of '{wanted}' here (there are {', '.join(known)})")

    @cached_property
    def tags(self) -> list[TagLength]:
        """The used tag, a byte less, a byte more, and usual lengths, the shortest first."""
        budget = self.budget
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

    @cached_property
    def exchange(self) -> Exchange:
        """Powers of the radio over those of the processor, whose waiting is not counted."""
        budget = self.budget
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

    @cached_property
    def key_states(self) -> list[KeyState]:
        """Cost of a key that is set up again for each packet."""
        return key_states_of(self.budget)

    def engines(self, driver_core_cycles: int | None = None) -> list[EngineRow]:
        """Compares engines of the chip with software; `driver_core_cycles` as for `engines_of`."""
        return engines_of(self.budget, driver_core_cycles)

    @cached_property
    def cores(self) -> list[CoreRow]:
        """Hardware cores of the store beside software."""
        return cores_of(self.budget, self.known_cores)

    @cached_property
    def harvest(self) -> list[HarvestRow]:
        """Messages a second by the node's harvester; none without one."""
        return harvest_of(self.budget, self.cores)

    @cached_property
    def gap(self) -> tuple[Number, list[GapRow]] | None:
        """The gap between two frames, and which tags are ready within it; None without a gap."""
        return gaps_of(self.budget)

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """Payloads a few bytes shorter or longer that take much less for authentication."""
        return cheaper_neighbours(self.budget, self.series)

    @cached_property
    def flips(self) -> list[Flip]:
        """Changes that make another implementation win."""
        return flips_of(self.budget, self.series)

    def ways(
        self,
        protocols: Sequence[str] = (),
        nodes: Sequence[str] = (),
        store: FirmwareStore | None = None,
    ) -> list[WhatIf]:
        """Returns the budgets of batches of readings, and of other protocols and nodes.

        These are names of the catalogue or files, and are shown as they are given.
        """
        budgets = batches_of(self.budget, self.series)
        for name in protocols:
            other = sheet(PacketProtocol, name)
            budget = budget_of(other, self.parts, self.question, self.series)
            budgets.append(WhatIf(f"protocol {name}", budget))
        for name in nodes:
            parts = assemble(name, self.parts.inputs)
            series = known_series(parts.microcontroller.core, store)
            budget = budget_of(self.protocol, parts, self.question, series)
            budgets.append(WhatIf(f"node {name}", budget))
        return budgets


# Which counts of firmware a packet's budget rests on: target, algorithms and lengths.


@dataclass(frozen=True, slots=True)
class WantedCounts:
    """What `joulemark bench` counts for a packet."""

    target: str
    algorithms: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    """Lengths of what the MAC reads, which is not the payload alone."""


def counted_algorithms(protocol: PacketProtocol, core: str) -> list[str]:
    """Returns what is counted on a core for the MACs of a protocol, as far as we have kernels.

    On a core without counts in the catalogue every algorithm of the catalogue counts as ours.
    """
    ours = {series.algorithm for series in shipped_series(core)} or set(every_algorithm())
    names = (CCM_CIPHER if name == CCM else name for name in protocol.algorithms)
    return [name for name in dict.fromkeys(names) if name in ours]


def counts_wanted(
    protocol_name: str, node: str, payload_bytes: int, named: Sequence[str] = ()
) -> WantedCounts:
    """Returns the counts that tell what authentication of such a packet costs.

    Protocol and node are of the catalogue, or paths that end with `.toml`; the target is the core
    of the node's processor. Algorithms that are named stand in place of the protocol's.
    """
    protocol, inputs = sheet(PacketProtocol, protocol_name), Inputs()
    core = assemble(node, inputs).microcontroller.core
    algorithms = tuple(named) or tuple(counted_algorithms(protocol, core))
    if not algorithms:
        raise UsageError(
            f"no kernel of firmware computes {', '.join(protocol.algorithms)}, which {protocol.id} "
            "has; name the algorithms that are counted"
        )
    tag_bytes = protocol.tag.value[0]
    packet = packet_of(protocol, inputs, payload_bytes, tag_bytes)
    if not fits(protocol, inputs, packet, None):
        most = payload_most(protocol, inputs, tag_bytes, None)
        raise PayloadError(payload_bytes, most, protocol, tag_bytes)
    sizes = {packet.mac_input_bytes}
    if protocol.acknowledged is not None and protocol.acknowledged.value:
        sizes.add(packet_of(protocol, inputs, 0, tag_bytes).mac_input_bytes)
    if CCM in protocol.algorithms:
        sizes.add(CIPHER_BLOCK_BYTES)
    return WantedCounts(target_of(core), algorithms, tuple(sorted(sizes)))
