# SPDX-License-Identifier: Apache-2.0
"""A node's energy budget made visible: the answer, a view for each question, a chart, JSON.

Here are the words that the views share, and all figures for programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Final

from joulemark.budget import BoundedFigure, Number, UsedValue, interval, nominal, spread_of
from joulemark.budget.changes import Staircase, WhatIf
from joulemark.budget.counts import target_of
from joulemark.budget.engines import CoreRow, EngineRow, GapRow, HarvestRow, KeyState
from joulemark.budget.parts import Parts
from joulemark.budget.plan import UNCOUNTED, Budget, PacketCandidate, tag_bits_of
from joulemark.budget.planner import Planner, counted_algorithms
from joulemark.budget.tag_bytes import Exchange, TagLength
from joulemark.catalogue.nodes import ValueOrigin
from joulemark.catalogue.protocols import PacketProtocol, names
from joulemark.report import JsonObject
from joulemark.units import (
    format_duration,
    format_joules,
    format_percent,
    format_seconds,
    format_si,
)

# Figures of a budget as words: a number with its interval, and what it rests on.

MISSING = "-"
_FEW_YEARS, _DAYS = 0.5, 365.25
_MUCH_AIR = 0.01


def _within(bounds: BoundedFigure, text: Callable[[float], str]) -> str:
    value, low, high = (text(bound) for bound in (bounds.value, bounds.low, bounds.high))
    return value if low == high else f"{value} [{low}, {high}]"


def joules(number: Number) -> str:
    """An energy with its interval, as in "68.9 µJ [60 µJ, 78 µJ]"."""
    return joules_of(interval(number))


def joules_of(bounds: BoundedFigure) -> str:
    """An energy whose interval is known already; `joules` spends most of its time on it."""
    return _within(bounds, lambda value: format_joules(value, digits=3))


def short(number: Number) -> str:
    """An energy with half of its interval, as in "68.9 µJ ±11 %"."""
    spread = spread_of(number)
    half = f" ±{100 * spread:.2g} %" if spread else ""
    return format_joules(interval(number).value) + half


def per_cent(number: Number) -> str:
    """A share with its interval."""
    return _within(interval(number), lambda value: format_percent(value, digits=2))


def years(bounds: BoundedFigure) -> str:
    """A number of years with its interval."""
    few = bounds.value < _FEW_YEARS
    unit = _DAYS if few else 1.0
    return _within(bounds, lambda value: f"{value * unit:.3g}") + (" days" if few else " years")


def count_text(number: Number) -> str:
    """A count with its interval, as in "41 200 [40 900, 41 500]"."""

    def text(value: float) -> str:
        digits = max(0, math.floor(math.log10(abs(value))) - 2) if abs(value) >= 1 else 0
        return f"{round(value, -digits):,.0f}".replace(",", " ")

    bounds = interval(number)
    if bounds.low == bounds.high:
        return f"{bounds.value:,.0f}".replace(",", " ")
    return f"{text(bounds.value)} [{text(bounds.low)}, {text(bounds.high)}]"


def forgery_text(chance: float) -> str:
    """A chance, as in "25 %" or "1 in 2^40"."""
    if chance >= 0.001:
        return format_percent(chance)
    return "0" if chance == 0 else f"1 in 2^{-math.log2(chance):.0f}"


def question_text(budget: Budget) -> str:
    """The question, as in "TinySec-Auth on MICA2: 24 bytes every 10 s, a tag of 32 bits"."""
    question = budget.question
    bits = tag_bits_of(budget.protocol, budget.packet.tag_bytes)
    batch = f", {question.batch} readings a packet" if question.batch > 1 else ""
    received = (
        f", {question.received_per_sent:g} packets received for each one sent"
        if question.received_per_sent
        else ""
    )
    base = f", {format_si(question.base_w, 'W')} beside" if question.base_w else ""
    any_mac = ", any MAC" if question.any_mac else ""
    return (
        f"{budget.protocol.title} on {budget.parts.title}: {question.payload_bytes} bytes every "
        f"{format_duration(question.period_s)}{batch}, a tag of {bits} bits{any_mac}{received}"
        f"{base}"
    )


def remembered(budget: Budget) -> list[str]:
    """Values that nobody has checked in their document, each with the document."""
    used = [value for value in budget.parts.inputs.used if value.state is ValueOrigin.REMEMBERED]
    used.sort(key=lambda value: value.text.endswith(" byte"))  # sizes are the surest
    return [_with_document(value) for value in used]


def documents(budget: Budget) -> list[str]:
    """Values that were read in their document, each with the document."""
    used = budget.parts.inputs.used
    return [_with_document(value) for value in used if value.state is ValueOrigin.READ]


def _with_document(value: UsedValue) -> str:
    return f"{value.path} = {value.text} ({value.document}, {value.place})"


def caveats(budget: Budget) -> Iterator[str]:
    """Caveats that every reader of a figure must know, as sentences."""
    layer, radio = budget.protocol.layer, budget.parts.radio
    yield f"Left out: {budget.protocol.left_out}."
    if budget.duties.uncounted_windows:
        yield (
            f"Left out, too: the receive windows {', '.join(budget.duties.uncounted_windows)}; "
            f"{radio.id} has no symbols of LoRa."
        )
    if layer != "link":
        around = "" if radio.carrier is None else f"but for {radio.carrier.text}s a frame "
        yield (
            f"{budget.protocol.id} is of the {layer} layer: what lower layers put around its "
            f"packets is not counted, {around}".rstrip(", ")
            + "."
        )
    sent_s = budget.duties.transmissions * nominal(
        budget.parts.airtime_s(budget.packet.secure_bytes)
    )
    share = sent_s / budget.question.packet_period_s
    limit = radio.sending_share
    if limit is not None and share > limit.si:
        yield (
            f"The node sends for {format_percent(share)} of the time, more than the "
            f"{format_percent(limit.si)} that the band of {radio.id} allows "
            f"({radio.documents[limit.document]}, {limit.state}): a packet every "
            f"{format_seconds(sent_s / limit.si)} is the most."
        )
    elif share > _MUCH_AIR:
        yield f"The node sends for {format_percent(share)} of the time."
    if budget.parts.microcontroller.sleep is None:
        yield f"The sleep of {budget.parts.microcontroller.id} has no figure and is not counted."
    for sheet in (budget.protocol, *budget.parts.sheets):
        yield from sheet.notes


ROWS: Final = 10
"""Rows of the ranking that are shown."""
TIMES: Final = "\u00d7"


class ViewName(StrEnum):
    """Views of `joulemark budget --show`, by the question of a planner that each answers."""

    ANSWER = "answer"
    PAYLOADS = "payloads"
    BATTERY = "battery"
    TAG = "tag"
    EXCHANGE = "exchange"
    KEYS = "keys"
    ENGINE = "engine"
    CHANGES = "changes"
    HARVEST = "harvest"


def nobody(budget: Budget) -> str:
    """The answer where no MAC will do or no core cycles are known: the cost on the air alone."""
    protocol, core = budget.protocol, budget.parts.microcontroller.core
    mac_names = ", ".join(protocol.algorithms)
    air = joules(budget.air_only.air_j + budget.air_only.wake_j)
    on_air = f"the bytes of security take {air} a packet on the air"
    unfit = [
        f"{mac}: {why}"
        for mac in protocol.algorithms
        for why, left_out in budget.left_out.items()
        if mac in left_out and not why.startswith(UNCOUNTED)
    ]
    if len(unfit) == len(protocol.algorithms):
        return f"no MAC of {protocol.id} will do ({', '.join(unfit)}); {on_air}"
    answer = f"no core cycles of {mac_names} on {core} are known; {on_air}"
    ours = counted_algorithms(protocol, core)
    if not ours:
        return f"{answer} (no kernel of firmware computes {mac_names})"
    if protocol.id in names(PacketProtocol):
        what = f"--for {protocol.id} --payload {budget.packet.payload_bytes}"
    else:
        what = f"{' '.join(ours)} --size {budget.packet.mac_input_bytes}"
    return f"{answer} ('joulemark bench {what} --target {target_of(core)}' counts core cycles)"


# A node's energy budget for programs: every figure with its bounds, and all that it rests on.
#
# `BUDGET_VERSION` history:
#     1  first version.
#     2  `ranking` has the MACs that the question takes first; `years_with`, `years_without` and
#        `years` end at the battery's shelf life, and `battery` has the years of its energy, the
#        shelf life, receive windows, acknowledgements and joins; `cheaper_payloads`.
#     3  `node.harvester` and `harvest`, the messages a second that its power pays for.

BUDGET_VERSION: Final = 3


def _figure(number: Number) -> dict[str, float]:
    return asdict(interval(number))


def as_json(
    planner: Planner, ways: Sequence[WhatIf], driver_core_cycles: int | None = None
) -> JsonObject:
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
        "harvest": [_harvest(harvest) for harvest in planner.harvest],
        "gap": None if gap is None else _gap(*gap),
        "flips": [asdict(flip) for flip in planner.flips],
        "ways": [_way(way) for way in ways],
        "values": [asdict(used_input) for used_input in budget.parts.inputs.used],
        "caveats": [*caveats(budget)],
    }


def _node(parts: Parts) -> dict[str, str | None]:
    return {
        "id": parts.name,
        "microcontroller": parts.microcontroller.id,
        "mode": parts.mode,
        "radio": parts.radio.id,
        "battery": parts.battery.id,
        "harvester": None if parts.harvester is None else parts.harvester.id,
    }


def _values(row: object, *names: str) -> JsonObject:
    """Attributes of a row as they are, by name."""
    return {name: getattr(row, name) for name in names}


def _figures(row: object, *names: str) -> dict[str, dict[str, float]]:
    """Attributes of a row with their bounds, by name."""
    return {name: _figure(getattr(row, name)) for name in names}


def _candidate(budget: Budget, candidate: PacketCandidate) -> JsonObject:
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


def _battery(budget: Budget) -> JsonObject:
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


def _staircase(staircase: Staircase) -> JsonObject:
    return {
        "implementation": staircase.implementation,
        "standard": staircase.allowed,
        "boundaries_bytes": staircase.boundaries,
        "packet_j": [interval(stair.packet_j).value for stair in staircase.stairs],
    }


def _tag(tag: TagLength) -> JsonObject:
    return {
        **_values(tag, "tag_bytes", "tag_bits"),
        "standard": tag.allowed,
        "used": tag.used,
        "more_j": _figure(tag.more_j),
        **_values(tag, "free", "forgery_per_year"),
    }


def _exchange(rate: Exchange) -> JsonObject:
    return {
        **_figures(rate, "cycle_j", "byte_j"),
        "core_cycles_per_byte": _figure(rate.cycles_per_byte),
        **_figures(rate, "next_byte_j", "mattering_core_cycles"),
    }


def _key_state(state: KeyState) -> JsonObject:
    names = ("implementation", "state_bytes", "set_up_core_cycles")
    return {**_values(state, *names), "packet_j": _figure(state.packet_j)}


def _engine(engine: EngineRow) -> JsonObject:
    return {
        **_values(engine, "implementation", "blocks"),
        **_figures(engine, "software_j", "engine_j", "driver_core_cycles"),
        "break_even_bytes": engine.break_even_bytes,
    }


def _core(core: CoreRow) -> JsonObject:
    return {
        "implementation": core.implementation,
        "core": core.core.name,
        "where": core.core.where,
        "blocks": core.blocks,
        "software_j": _figure(core.software_j),
        "core_j": core.core_j,
        "software_years": asdict(core.software_years.bounds),
        "core_years": asdict(core.core_years.bounds),
        "leaking_years": None if core.leaking_years is None else asdict(core.leaking_years.bounds),
    }


def _harvest(harvest: HarvestRow) -> JsonObject:
    return {
        "name": harvest.name,
        "core": None if harvest.core is None else harvest.core.name,
        **_figures(harvest, "tag_j", "tags_per_s", "packets_per_s", "share"),
    }


def _gap(seconds: Number, rows: Sequence[GapRow]) -> JsonObject:
    return {"seconds": _figure(seconds), "fits": {row.implementation: row.fits for row in rows}}


def _way(what_if: WhatIf) -> JsonObject:
    reading, best = what_if.reading_j, what_if.budget.best
    return {
        "change": what_if.change,
        "winner": None if best is None else best.implementation,
        "reading_j": None if reading is None else _figure(reading),
        "years": asdict(what_if.years.bounds),
    }
