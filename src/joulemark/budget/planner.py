# SPDX-License-Identifier: Apache-2.0
"""A planner's questions from Python: it takes names or files, and gives the figures of each view.

planner = Planner.of("tinysec_auth", "mica2", Question(payload_bytes=24, period_s=10))
best = planner.budget.best
print(best.implementation, planner.budget.years(best.packet_j).bounds)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from joulemark.budget import Inputs, Number
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
from joulemark.budget.packets import fits, packet_of, payload_most
from joulemark.budget.parts import Parts, assemble
from joulemark.budget.plan import Budget, PayloadError, Question, budget_of
from joulemark.budget.tag_bytes import Exchange, TagLength, exchange_of, tag_lengths_of
from joulemark.catalogue import every_algorithm
from joulemark.catalogue.protocols import PacketProtocol, sheet, sheet_path
from joulemark.errors import UsageError
from joulemark.foreign.records import line_of, read_text

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
    """Hardware cores of the store, and netlists of CPUs."""
    engine: str | None = None
    """The core or netlist that makes tags, as `core:siphash` or `gate:serv`; None: the core that
    takes least."""

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
        engine: str | None = None,
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
        packets = sheet(PacketProtocol, protocol)
        return cls(packets, protocol, parts, question, series, cores, engine)

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
        return tag_lengths_of(self.budget)

    @cached_property
    def exchange(self) -> Exchange:
        """Core cycles for a byte on the air."""
        return exchange_of(self.budget)

    @cached_property
    def key_states(self) -> list[KeyState]:
        """Cost of a key that is set up again for each packet."""
        return key_states_of(self.budget)

    def engines(self, driver_core_cycles: int | None = None) -> list[EngineRow]:
        """Compares engines of the chip with software; `driver_core_cycles` as for `engines_of`."""
        return engines_of(self.budget, driver_core_cycles)

    @cached_property
    def cores(self) -> list[CoreRow]:
        """Hardware cores of the store beside software.

        An engine that is named and that no report tells of is a `UsageError`.
        """
        rows = cores_of(self.budget, self.known_cores, self.engine)
        if self.engine is not None and not rows:
            raise UsageError(self._unknown_engine(self.engine))
        return rows

    def _unknown_engine(self, engine: str) -> str:
        """What is missing for an engine, and the command that makes it."""
        size = self.budget.packet.mac_input_bytes
        macs = ", ".join(dict.fromkeys(row.cycles.algorithm for row in self.budget.ranking))
        kind, _, name = engine.partition(":")
        command = (
            f"joulemark bench MAC --target {engine} --size {size} --liberty FILE"
            if kind == "gate"
            else f"joulemark core report {name} --message {size} --target asic --liberty FILE"
        )
        known = ", ".join(dict.fromkeys(core.target for core in self.known_cores)) or "none"
        return (
            f"--engine {engine}: no report in the store tells of a tag of {macs or 'this packet'} "
            f"over {size} bytes there (reports: {known}); {command} makes one"
        )

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
