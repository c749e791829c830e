# SPDX-License-Identifier: Apache-2.0
"""The chip's circuit or software, and whether a tag is ready within the gap between frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.budget.calls import calls, ccm_calls, step_bytes
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.plan import Budget, Candidate
from joulemark.catalogue.planning.nodes import Engine

__all__ = ["PRIMITIVES", "EngineRow", "GapRow", "blocks_of", "engines_of", "gaps_of"]

PRIMITIVES: Final = {
    "cmac-aes128": "aes128", "cbc-mac-aes128": "aes128", "xcbc-aes128": "aes128",
    "ccm-aes128": "aes128", "hmac-sha256": "sha256", "hmac-sha1": "sha1",
}  # fmt: skip
"""MAC -> what an engine computes of it."""
_MOST_BYTES: Final = 4096
"""The longest message that a break-even is looked for at."""


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One implementation in software beside the engine."""

    implementation: str
    blocks: int
    software_j: Number
    engine_j: Number
    """Blocks of the engine while the processor waits, without the driver."""
    software_s: Number
    engine_s: Number
    driver_core_cycles: Number
    """The engine takes less while its driver and its wake-up take fewer core cycles than this."""
    break_even_bytes: int | None
    """Shortest message for which the engine takes less with the driver asked about; None where
    none up to 4096 bytes does, or no driver was asked about."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """One implementation and the gap."""

    implementation: str
    seconds: Number
    fits: bool


def _engine_of(budget: Budget, candidate: Candidate) -> tuple[int, Engine] | None:
    primitive = PRIMITIVES.get(candidate.cycles.algorithm)
    for place, engine in enumerate(budget.parts.microcontroller.engine):
        if engine.algorithm == primitive:
            return place, engine
    return None


def engines_of(budget: Budget, driver_core_cycles: int | None = None) -> list[EngineRow]:
    """Every implementation whose primitive the chip has an engine for.

    Args:
        budget: with its ranking.
        driver_core_cycles: of starting the engine and fetching its result, for one tag; None where
            nobody knows, and only the most that they may be is told.
    """
    found = []
    for candidate in budget.ranking:
        engine = _engine_of(budget, candidate)
        if engine is None:
            continue
        blocks = blocks_of(candidate)
        block_j, block_s, start_j = _block(budget, *engine)
        software_j = candidate.costs.compute_j
        engine_j = start_j + blocks * block_j
        found.append(
            EngineRow(
                implementation=candidate.implementation,
                blocks=blocks,
                software_j=software_j,
                engine_j=engine_j,
                software_s=candidate.cycles.number / budget.parts.clock_hz,
                engine_s=blocks * block_s,
                driver_core_cycles=(software_j - engine_j) / budget.parts.cycle_j,
                break_even_bytes=None if driver_core_cycles is None else _break_even(
                    budget, candidate, block_j, start_j + driver_core_cycles * budget.parts.cycle_j
                ),
            )
        )  # fmt: skip
    return found


def blocks_of(candidate: Candidate) -> int:
    """Calls of the primitive for the tag of a packet."""
    algorithm, packet = candidate.cycles.algorithm, candidate.packet
    if algorithm == "ccm-aes128":
        return ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    return calls(algorithm, packet.mac_input_bytes) or 1


def _block(budget: Budget, place: int, engine: Engine) -> tuple[Number, Number, Number]:
    """Joules and seconds of a block, and joules of waking the engine."""
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
    budget: Budget, candidate: Candidate, block_j: Number, fixed_j: Number
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
    """The gap between two frames, and which tags are ready within it; None where there is none."""
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
