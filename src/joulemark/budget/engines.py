# SPDX-License-Identifier: Apache-2.0
"""The chip's circuit or software, the gap between frames, and the tags of a harvester's power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from joulemark.budget import YEAR_S, Number, nominal
from joulemark.budget.counts import packet_calls
from joulemark.budget.plan import Budget, PacketCandidate
from joulemark.catalogue.nodes import Engine
from joulemark.catalogue.vectors import blocks_of_message, calls, ccm_calls, step_bytes
from joulemark.records.core_report import StoredCoreReport

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
        packet_j = series.key_core_cycles * budget.parts.cycle_j
        states.append(
            KeyState(
                implementation=candidate.implementation,
                state_bytes=series.key_state_bytes,
                set_up_core_cycles=series.key_core_cycles,
                packet_j=packet_j,
                year_j=packet_j * per_year,
                more=packet_j / candidate.packet_j,
            )
        )
    return states


PRIMITIVES: Final = {
    "cmac-aes128": "aes128",
    "cbc-mac-aes128": "aes128",
    "xcbc-aes128": "aes128",
    "ccm-aes128": "aes128",
    "hmac-sha256": "sha256",
    "hmac-sha1": "sha1",
}
"""MAC -> the primitive of it, which an engine may compute."""
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
    """The engine takes less than software if its driver takes fewer core cycles than this."""
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
        blocks = blocks_of(candidate)
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
                driver_core_cycles=(software_j - engine_j) / budget.parts.cycle_j,
                break_even_bytes=None
                if driver_core_cycles is None
                else _break_even(
                    budget, candidate, block_j, start_j + driver_core_cycles * budget.parts.cycle_j
                ),
            )
        )
    return rows


def blocks_of(candidate: PacketCandidate) -> int:
    """Returns the calls of the primitive for the tag of a candidate's packet."""
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
    step, length = series.step, step_bytes(algorithm) or 16
    if step is None:
        return None
    blocks = blocks_of(candidate)
    for size in range(0, _MOST_BYTES + 1, length):
        wanted = calls(algorithm, size) or ccm_calls(size, 0)
        cycles = nominal(candidate.cycles.number) + (wanted - blocks) * step
        software = cycles * nominal(budget.parts.cycle_j)
        if nominal(fixed_j) + wanted * nominal(block_j) < software:
            return max(size - length + 1, 0)
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


# Hardware cores of the store beside software: blocks by the energy of a block.


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """The energy of a block in a core in cells, by the newest report of the core."""

    core: str
    algorithm: str
    block_j: float
    where: str
    """Cell library and clock of the report."""
    workload: Mapping[str, int | None]
    """Messages of the report."""


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One MAC in software, and a core of the MAC, or of its primitive if there is no such core."""

    implementation: str
    core: CoreBlock
    blocks: int
    software_j: Number
    core_j: float
    """Joules of the blocks alone, without those for moving the message to the core and back."""


@runtime_checkable
class CoreStore(Protocol):
    """A store that keeps reports of cores."""

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, the newest last."""
        ...


def core_blocks(store: object) -> list[CoreBlock]:
    """Returns the energy of a block of each core in cells; none if the store keeps no reports.

    Of each core the newest report for each length of messages counts. A core with a memory outside
    it is left out: its figures lack the energy of the memory.
    """
    if not isinstance(store, CoreStore):
        return []
    by_core: dict[tuple[str, int | None], CoreBlock] = {}
    for report in store.core_reports():
        energy = report.figures.get("energy_per_block_j")
        if "outside_memory" in report.settings:
            continue
        if report.target == "asic" and energy is not None and energy > 0:
            clock = report.settings.get("clock_hz")
            where = f"{report.device or 'a library'} at {clock:g} Hz" if clock else ""
            workload = report.settings.get("workload", {})
            by_core[report.core, report.message_bytes] = CoreBlock(
                report.core, report.algorithm, float(energy), where, workload
            )
    return [*by_core.values()]


def cores_of(budget: Budget, cores: Sequence[CoreBlock]) -> list[CoreRow]:
    """Compares implementations with the core of their MAC, or primitive, that takes least.

    Cores of the primitive serve only where the store has none of the MAC, since they neither pad
    nor keep the key.
    """
    rows = []
    for candidate in budget.ranking:
        mac = candidate.cycles.algorithm
        own, bare = (
            [core for core in cores if core.algorithm == name]
            for name in (mac, PRIMITIVES.get(mac))
        )
        software_j = candidate.costs.compute_j
        wanted = candidate.packet.mac_input_bytes
        choices = [
            (found[1], core, found[0])
            for core, found in ((core, _in_core(core, own, mac, wanted)) for core in own)
            if found is not None
        ]
        if not own:
            blocks = blocks_of(candidate)
            choices = [(blocks * core.block_j, core, blocks) for core in bare]
        if choices:
            core_j, best, blocks = min(choices, key=lambda choice: choice[0])
            row = CoreRow(candidate.implementation, best, blocks, software_j, core_j)
            rows.append(row)
    return rows


def _in_core(
    core: CoreBlock, own: Sequence[CoreBlock], mac: str, message_bytes: int
) -> tuple[int, float] | None:
    """Blocks and joules of a message in a core of its MAC, by all reports of that core."""
    costs: dict[int | None, tuple[int, float]] = {}
    for report in own:
        if report.core == core.core:
            blocks = report.workload.get("blocks_per_message") or 1
            costs[report.workload.get("message_bytes")] = (blocks, blocks * report.block_j)
    return cost_of_message(mac, message_bytes, costs)


_EVEN: Final = ("hmac-", "cmac-", "cbc-mac-", "xcbc-")
"""Begins of the names of MACs whose blocks all take the same; others begin or end a message with
work that is no block."""


def cost_of_message(
    mac: str, message_bytes: int, costs: Mapping[int | None, tuple[int, float]]
) -> tuple[int, float] | None:
    """Blocks and cost of a message in a core; None if the known costs do not tell.

    A message of the same length tells. Where all blocks take the same, a message of any length
    does; otherwise two messages with different numbers of blocks do, on a line.

    Args:
        mac: the algorithm of the core.
        message_bytes: length of the message; 0 or more.
        costs: bytes of a message (None: unknown) -> its blocks, at least 1, and its cost in any
            unit, such as joules or clocks.
    """
    if message_bytes in costs:
        return costs[message_bytes]
    wanted: dict[int, int] = {}
    for known, (blocks, _) in costs.items():
        workload = {"message_bytes": known, "blocks_per_message": blocks}
        found = blocks_of_message(mac, message_bytes, workload)
        if known is None and mac.startswith(_EVEN):
            found = calls(mac, message_bytes)
        if found is not None:
            wanted[blocks] = found
    by_blocks = dict(costs.values())
    if wanted and mac.startswith(_EVEN):
        blocks, asked = next(iter(wanted.items()))
        return asked, by_blocks[blocks] / blocks * asked
    if len(wanted) < 2:
        return None
    fewest, most = min(wanted), max(wanted)
    slope = (by_blocks[most] - by_blocks[fewest]) / (most - fewest)
    asked = wanted[fewest]
    return asked, by_blocks[fewest] + slope * (asked - fewest)


# A harvester in place of a battery: how many messages a second its power pays for.


@dataclass(frozen=True, slots=True)
class HarvestRow:
    """One way to compute the tag of a packet, paid for by the harvester."""

    name: str
    """The implementation, or the MAC and the core."""
    core: CoreBlock | None
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
    # By the name that is shown: the candidate whose packet it is, the core, and joules of the tag.
    ways: dict[str, tuple[PacketCandidate, CoreBlock | None, Number]] = {
        name: (candidate, None, candidate.costs.compute_j) for name, candidate in candidates.items()
    }
    for row in cores:
        candidate = candidates[row.implementation]
        name = f"{candidate.cycles.algorithm} in {row.core.core}"
        ways.setdefault(name, (candidate, row.core, row.core_j))
    rows = []
    for name, (candidate, core, tag_j) in ways.items():
        packets = budget.packets_per_s(
            supply_w, candidate.packet_j - candidate.costs.compute_j + tag_j
        )
        rows.append(
            HarvestRow(
                name=name,
                core=core,
                tag_j=tag_j,
                tags_per_s=supply_w / tag_j,
                packets_per_s=packets if nominal(packets) > 0 else 0.0,
                share=tag_j / budget.question.packet_period_s / supply_w,
            )
        )
    return rows
