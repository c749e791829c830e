# SPDX-License-Identifier: Apache-2.0
"""A node's energy budget for programs: every figure with its bounds, and all that it rests on.

`BUDGET_VERSION` history:
    1  first version.
    2  `ranking` has the MACs that the question takes first; `years_with`, `years_without` and
       `years` end at the battery's shelf life, and `battery` has the years of its energy, the shelf
       life, receive windows, acknowledgements and joins; `cheaper_payloads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from joulemark.budget.changes import Staircase, WhatIf
from joulemark.budget.engines import CoreRow, EngineRow, GapRow, KeyState
from joulemark.budget.inputs import Number, interval
from joulemark.budget.parts import Parts
from joulemark.budget.plan import Budget, PacketCandidate, tag_bits_of
from joulemark.budget.planner import Exchange, Planner, TagLength
from joulemark.report.budget.view import caveats

BUDGET_VERSION: Final = 2


def _figure(number: Number) -> dict[str, float]:
    return asdict(interval(number))


def as_json(
    planner: Planner, ways: Sequence[WhatIf], driver_core_cycles: int | None = None
) -> dict[str, Any]:
    """The figures that answer every question, in SI units.

    Args:
        planner: of the budget.
        ways: other protocols, nodes and batches, with what they would change.
        driver_core_cycles: core cycles of an engine's driver for one tag, if they are known.
    """
    budget = planner.budget
    best = budget.best
    # Before the rest: `values` has the inputs in the order in which they were first used.
    exchange, gap = planner.exchange, planner.gap
    return {
        "schema_version": BUDGET_VERSION,
        "question": asdict(budget.question),
        "protocol": budget.protocol.id,
        "node": _node(budget.parts),
        "packet": {**asdict(budget.packet), "mac_input_bytes": budget.packet.mac_input_bytes},
        "tag_bits": tag_bits_of(budget.protocol, budget.packet.tag_bytes),
        "winner": None if best is None else best.implementation,
        "ranking": [_candidate(budget, candidate) for candidate in budget.ranking],
        "left_out": budget.left_out,
        "cheaper_payloads": [
            {"payload_bytes": near.payload_bytes, "packet_j": _figure(near.packet_j)}
            for near in planner.neighbours
        ],
        "battery": _battery(budget),
        "staircase": [_staircase(staircase) for staircase in planner.staircase],
        "crossings": [
            {"first": first, "second": second, "at": [asdict(crossing) for crossing in crossings]}
            for first, second, crossings in planner.crossings_of()
        ],
        "tags": [_tag(tag) for tag in planner.tags],
        "exchange": _exchange(exchange),
        "key_states": [_key_state(key_state) for key_state in planner.key_states],
        "engines": [_engine(engine) for engine in planner.engines(driver_core_cycles)],
        "cores": [_core(core) for core in planner.cores],
        "gap": None if gap is None else _gap(*gap),
        "flips": [asdict(flip) for flip in planner.flips],
        "ways": [_way(way) for way in ways],
        "values": [asdict(used_input) for used_input in budget.parts.inputs.used],
        "caveats": [*caveats(budget)],
    }


def _node(parts: Parts) -> dict[str, str]:
    return {
        "id": parts.name,
        "microcontroller": parts.microcontroller.id,
        "mode": parts.mode,
        "radio": parts.radio.id,
        "battery": parts.battery.id,
    }


def _values(row: object, *names: str) -> dict[str, Any]:
    """Attributes of a row as they are, by name."""
    return {name: getattr(row, name) for name in names}


def _figures(row: object, *names: str) -> dict[str, dict[str, float]]:
    """Attributes of a row with their bounds, by name."""
    return {name: _figure(getattr(row, name)) for name in names}


def _candidate(budget: Budget, candidate: PacketCandidate) -> dict[str, Any]:
    costs = ("compute_j", "tag_air_j", "other_air_j", "wake_j", "verification_j")
    return {
        "implementation": candidate.implementation,
        "standard": candidate.allowed,
        "core_cycles": _figure(candidate.cycles.number),
        "evidence": str(candidate.cycles.evidence),
        "source": candidate.cycles.source,
        "tag_bytes": candidate.packet.tag_bytes,
        **_figures(candidate.costs, *costs),
        "packet_j": _figure(candidate.packet_j),
        "day_j": _figure(candidate.packet_j * budget.packets_per_day),
    }


def _battery(budget: Budget) -> dict[str, Any]:
    """Its life with authentication and without; the tag alone counts where no MAC is known."""
    packet_j = budget.air_only.sender_j if budget.best is None else budget.best.packet_j
    life, without = budget.years(packet_j), budget.years(0)
    return {
        "years_with": asdict(life.bounds),
        "years_without": asdict(without.bounds),
        "energy_years_with": _figure(life.by_energy),
        "energy_years_without": _figure(without.by_energy),
        "shelf_life_years": life.shelf,
        "share": _figure(budget.share(packet_j)),
        **_figures(budget, "plain_packet_j", "sleep_w"),
        **_figures(budget.duties, "windows_j", "acknowledgements_j", "joins_w"),
        "transmissions": budget.duties.transmissions,
    }


def _staircase(staircase: Staircase) -> dict[str, Any]:
    return {
        "implementation": staircase.implementation,
        "standard": staircase.allowed,
        "boundaries_bytes": staircase.boundaries,
        "packet_j": [interval(stair.packet_j).value for stair in staircase.stairs],
    }


def _tag(tag: TagLength) -> dict[str, Any]:
    return {
        **_values(tag, "tag_bytes", "tag_bits"),
        "standard": tag.allowed,
        "used": tag.used,
        "more_j": _figure(tag.more_j),
        **_values(tag, "free", "forgery_per_year"),
    }


def _exchange(rate: Exchange) -> dict[str, Any]:
    return {
        **_figures(rate, "cycle_j", "byte_j"),
        "core_cycles_per_byte": _figure(rate.cycles_per_byte),
        **_figures(rate, "next_byte_j", "mattering_core_cycles"),
    }


def _key_state(state: KeyState) -> dict[str, Any]:
    names = ("implementation", "state_bytes", "set_up_core_cycles")
    return {**_values(state, *names), "packet_j": _figure(state.packet_j)}


def _engine(engine: EngineRow) -> dict[str, Any]:
    return {
        **_values(engine, "implementation", "blocks"),
        **_figures(engine, "software_j", "engine_j", "driver_core_cycles"),
        "break_even_bytes": engine.break_even_bytes,
    }


def _core(core: CoreRow) -> dict[str, Any]:
    return {
        "implementation": core.implementation,
        "core": core.core.core,
        "where": core.core.where,
        "blocks": core.blocks,
        "software_j": _figure(core.software_j),
        "core_j": core.core_j,
    }


def _gap(seconds: Number, rows: Sequence[GapRow]) -> dict[str, Any]:
    return {
        "seconds": _figure(seconds),
        "fits": {row.implementation: row.fits for row in rows},
    }


def _way(what_if: WhatIf) -> dict[str, Any]:
    reading, best = what_if.reading_j, what_if.budget.best
    return {
        "change": what_if.change,
        "winner": None if best is None else best.implementation,
        "reading_j": None if reading is None else _figure(reading),
        "years": asdict(what_if.years.bounds),
    }
