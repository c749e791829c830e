# SPDX-License-Identifier: Apache-2.0
"""The chip's circuit or software, the gap between frames, and the tags of a harvester's power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.budget import YEAR_S, Life, Number, nominal
from joulemark.budget.cores import BLOCK_J, PRIMITIVES, KnownCore, cores_for, engines_for
from joulemark.budget.counts import packet_calls
from joulemark.budget.packets import Packet, work_of
from joulemark.budget.plan import Budget, PacketCandidate
from joulemark.catalogue.nodes import Engine
from joulemark.catalogue.vectors import calls, ccm_calls

# What it costs to set up a key again for each packet instead of keeping its state.


@dataclass(frozen=True, slots=True)
class KeyState:
    """One implementation with its key set up for each packet instead of kept."""

    implementation: str
    state_bytes: int
    """Memory that a kept key takes."""
    set_up_core_cycles: int
    packet_j: Number
    """Joules of the set-up in a packet."""
    year_j: Number
    """Joules of the set-ups in a year."""
    more: Number
    """Energy of the set-up over that of authentication with a kept key."""


def key_states_of(budget: Budget) -> list[KeyState]:
    """Goes through the implementations whose set-up was counted, in the order of the ranking."""
    per_year = YEAR_S / budget.question.packet_period_s
    states = []
    for candidate in budget.ranking:
        series = candidate.cycles.series
        if series.key_core_cycles is None or series.key_state_bytes is None:
            continue
        # No two MACs of a packet share a key.
        keys = budget.protocol.macs
        packet_j = keys * series.key_core_cycles * budget.parts.cycle_j
        states.append(
            KeyState(
                implementation=candidate.implementation,
                state_bytes=keys * series.key_state_bytes,
                set_up_core_cycles=keys * series.key_core_cycles,
                packet_j=packet_j,
                year_j=packet_j * per_year,
                more=packet_j / candidate.packet_j,
            )
        )
    return states


_MOST_BYTES: Final = 4096
"""Length of the longest message for which the engine is compared with software."""


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One implementation in software beside the engine."""

    implementation: str
    blocks: int
    software_j: Number
    engine_j: Number
    """Joules of the wake-up and the blocks of the engine, while the processor waits; the driver is
    left out."""
    software_s: Number
    engine_s: Number
    driver_core_cycles: Number
    """The engine takes less than software if its driver takes fewer core cycles than this for one
    MAC."""
    break_even_bytes: int | None
    """Length of the shortest message for which the engine with its driver takes less; None if no
    message up to 4096 bytes is such, or if the core cycles of the driver are unknown."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """One implementation, and whether its tag is ready within the gap between two frames."""

    implementation: str
    seconds: Number
    """Time in which software makes the tag."""
    fits: bool


def _engine_of(budget: Budget, candidate: PacketCandidate) -> tuple[int, Engine] | None:
    primitive = PRIMITIVES.get(candidate.cycles.algorithm)
    for place, engine in enumerate(budget.parts.microcontroller.engine):
        if engine.algorithm == primitive:
            return place, engine
    return None


def engines_of(budget: Budget, driver_core_cycles: int | None = None) -> list[EngineRow]:
    """Compares every implementation whose primitive the chip has an engine for with that engine.

    `driver_core_cycles` are those in which the driver starts the engine and fetches its result, for
    one tag; None if they are unknown.
    """
    rows = []
    for candidate in budget.ranking:
        engine = _engine_of(budget, candidate)
        if engine is None:
            continue
        macs = budget.protocol.macs
        blocks = macs * _blocks_of_mac(candidate)
        block_j, block_s, start_j = _block(budget, *engine)
        software_j = candidate.costs.compute_j
        engine_j = start_j + blocks * block_j
        rows.append(
            EngineRow(
                implementation=candidate.implementation,
                blocks=blocks,
                software_j=software_j,
                engine_j=engine_j,
                software_s=candidate.cycles.number / budget.parts.clock_hz,
                engine_s=blocks * block_s,
                driver_core_cycles=(software_j - engine_j) / budget.parts.cycle_j / macs,
                break_even_bytes=None
                if driver_core_cycles is None
                else _break_even(
                    budget,
                    candidate,
                    block_j,
                    start_j + macs * driver_core_cycles * budget.parts.cycle_j,
                ),
            )
        )
    return rows


def _blocks_of_mac(candidate: PacketCandidate) -> int:
    """Returns the calls of the primitive for one MAC of a candidate's packet."""
    return packet_calls(candidate.cycles.algorithm, candidate.packet) or 1


def _block(budget: Budget, place: int, engine: Engine) -> tuple[Number, Number, Number]:
    """Returns joules and seconds of a block, and joules of waking the engine."""
    parts, chip = budget.parts, budget.parts.microcontroller
    path = f"engine[{place}]"
    current = parts.inputs.take(chip, f"{path}.current", engine.current)
    power = parts.inputs.take(chip, "voltage", chip.voltage) * current + parts.waiting_w
    seconds = parts.inputs.take(chip, f"{path}.block_time", engine.block_time)
    wake: Number = 0.0
    if engine.wake_up_time is not None:
        wake = power * parts.inputs.take(chip, f"{path}.wake_up_time", engine.wake_up_time)
    return seconds * power, seconds, wake


def _break_even(
    budget: Budget, candidate: PacketCandidate, block_j: Number, fixed_j: Number
) -> int | None:
    series, algorithm = candidate.cycles.series, candidate.cycles.algorithm
    if series.step is None:
        return None
    macs, blocks, before = budget.protocol.macs, _blocks_of_mac(candidate), 0
    # Padding may begin another block before the end of a block, so each length is looked at.
    for size in range(_MOST_BYTES + 1):
        wanted = calls(algorithm, size) or ccm_calls(size, 0)
        if wanted == before:
            continue
        before = wanted
        cycles = nominal(candidate.cycles.number) + macs * (wanted - blocks) * series.step
        software = cycles * nominal(budget.parts.cycle_j)
        if nominal(fixed_j) + macs * wanted * nominal(block_j) < software:
            return size
    return None


def gaps_of(budget: Budget) -> tuple[Number, list[GapRow]] | None:
    """Returns the gap between two frames, and which tags are ready within it.

    None if neither the protocol nor the radio states a gap.
    """
    parts, protocol = budget.parts, budget.protocol
    if protocol.gap is not None:
        gap = parts.inputs.take(protocol, "gap", protocol.gap)
    elif parts.radio.turnaround is not None:
        gap = parts.inputs.take(parts.radio, "turnaround", parts.radio.turnaround)
    else:
        return None
    rows = []
    for candidate in budget.ranking:
        seconds = candidate.cycles.number / parts.clock_hz
        rows.append(GapRow(candidate.implementation, seconds, nominal(seconds) <= nominal(gap)))
    return gap, rows


# Hardware cores of the store beside software: blocks by the energy of a block. The netlist of a CPU
# that ran firmware is such a core, with the memories that it needs.


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One MAC in software, and a core of the MAC, or of its primitive if there is no such core."""

    implementation: str
    core: KnownCore
    blocks: int
    software_j: Number
    core_j: float
    """Joules of the blocks, without those for moving the message to the core and back; with those
    of memories outside the netlist of a CPU."""
    computed_j: float
    """The same for all tags that the node computes for a packet sent: its own, those of packets
    received and of acknowledgements."""
    software_years: Life
    """Years of battery if software makes the tag."""
    core_years: Life
    """The same if the core does, and is switched off between packets."""
    leaking_years: Life | None
    """The same if the core leaks between packets; None if its leakage is unknown."""


def cores_of(
    budget: Budget, cores: Sequence[KnownCore], engine: str | None = None
) -> list[CoreRow]:
    """Compares implementations with the core of their MAC, or primitive, that takes least.

    Cores of the primitive serve only where the store has none of the MAC, since they neither pad
    nor keep the key. With an engine, as `core:siphash` or `gate:serv`, it alone is looked at.
    """
    rows = []
    for candidate in budget.ranking:
        choices = []
        mac = candidate.cycles.algorithm
        for core in engines_for(mac, cores, engine) if engine else cores_for(mac, cores):
            found = _cost_in(core, mac, candidate.packet, budget.protocol.macs)
            if found is not None:
                choices.append((found[1], core, found[0]))
        if choices:
            core_j, best, blocks = min(choices, key=lambda choice: choice[0])
            rows.append(_core_row(budget, candidate, best, blocks, core_j))
    return rows


def _cost_in(core: KnownCore, mac: str, packet: Packet, macs: int) -> tuple[int, float] | None:
    """Blocks and joules of a packet's tags in a core; None if its reports do not tell."""
    size = packet.mac_input_bytes
    cost, memories_j = None, 0.0
    if core.algorithm == mac:
        cost, memories_j = core.cost(mac, size, BLOCK_J), core.memories_j(mac, size)
    elif (block_j := core.of_block(BLOCK_J)) is not None:
        blocks = packet_calls(mac, packet) or 1
        cost = blocks, blocks * block_j
    return None if cost is None else (macs * cost[0], macs * (cost[1] + memories_j))


def _core_row(
    budget: Budget, candidate: PacketCandidate, core: KnownCore, blocks: int, core_j: float
) -> CoreRow:
    duties = budget.duties
    computed_j = core_j * (1 + budget.question.received_per_sent)
    if duties.acknowledged:
        # A shorter message takes no more than the packet.
        mac, macs = candidate.cycles.algorithm, budget.protocol.macs
        answer = _cost_in(core, mac, duties.acknowledgement, macs)
        computed_j += duties.acknowledged * (core_j if answer is None else answer[1])
    packet_j = candidate.packet_j - candidate.computed_j + computed_j
    leaking = None
    if core.idle_w is not None:
        leaking = budget.years(packet_j + core.idle_w * budget.question.packet_period_s)
    return CoreRow(
        implementation=candidate.implementation,
        core=core,
        blocks=blocks,
        software_j=candidate.costs.compute_j,
        core_j=core_j,
        computed_j=computed_j,
        software_years=budget.years(candidate.packet_j),
        core_years=budget.years(packet_j),
        leaking_years=leaking,
    )


# A harvester in place of a battery: how many messages a second its power pays for.


@dataclass(frozen=True, slots=True)
class HarvestRow:
    """One way to compute the tag of a packet, paid for by the harvester."""

    name: str
    """The implementation, or the MAC and the core."""
    core: KnownCore | None
    """The hardware core; None for software on the node."""
    tag_j: Number
    """Joules of computing the tag."""
    tags_per_s: Number
    """Tags a second if the harvester feeds nothing else."""
    packets_per_s: Number
    """Packets with such a tag if the harvester feeds the whole node; 0 if it cannot feed sleep."""
    share: Number
    """Share of the harvester's power that the tags take at the rate of the question."""


def harvest_of(budget: Budget, cores: Sequence[CoreRow] = ()) -> list[HarvestRow]:
    """Goes through the ranking and the cores; none without a harvester."""
    supply = budget.parts.harvester
    if supply is None:
        return []
    supply_w = budget.parts.inputs.take(supply, "power", supply.power)
    candidates = {candidate.implementation: candidate for candidate in budget.ranking}
    # By the name that is shown: the candidate whose packet it is, the core, joules of the tag, and
    # of all tags for a packet sent.
    ways: dict[str, tuple[PacketCandidate, KnownCore | None, Number, Number]] = {
        name: (candidate, None, candidate.costs.compute_j, candidate.computed_j)
        for name, candidate in candidates.items()
    }
    for row in cores:
        candidate = candidates[row.implementation]
        name = f"{candidate.cycles.algorithm} in {row.core.name}"
        ways.setdefault(name, (candidate, row.core, row.core_j, row.computed_j))
    rows = []
    for name, (candidate, core, tag_j, computed_j) in ways.items():
        packet_j = candidate.packet_j - candidate.computed_j + computed_j
        cycles = 0.0 if core is not None else nominal(candidate.cycles.number)
        tags_per_s = supply_w / tag_j
        if cycles:
            tags_per_s = _at_most(tags_per_s, nominal(budget.parts.clock_hz) / cycles)
        rows.append(
            HarvestRow(
                name=name,
                core=core,
                tag_j=tag_j,
                tags_per_s=tags_per_s,
                packets_per_s=most_packets_per_s(
                    budget, supply_w, candidate.packet, packet_j, cycles
                ),
                share=computed_j / budget.question.packet_period_s / supply_w,
            )
        )
    return rows


def most_packets_per_s(
    budget: Budget,
    supply_w: Number,
    packet: Packet,
    packet_j: Number = 0.0,
    core_cycles: float = 0.0,
) -> Number:
    """Packets a second that a supply pays for and that radio and processor have time for.

    Args:
        budget: of the node.
        supply_w: power above 0.
        packet: that is sent.
        packet_j: joules of authentication for a packet sent.
        core_cycles: of the packet's tag in software, 0 if a core makes it; an acknowledgement's
            takes no more.

    Returns:
        0 if the supply does not feed the sleeping node.
    """
    by_power = budget.packets_per_s(supply_w, packet_j)
    received, both = budget.question.received_per_sent, (core_cycles, core_cycles)
    work = work_of(budget.parts, packet, budget.duties, received, both)
    return _at_most(by_power, 1 / sum(work.values())) if nominal(by_power) > 0 else 0.0


def _at_most(number: Number, most: float) -> Number:
    return number if nominal(number) <= most else most
