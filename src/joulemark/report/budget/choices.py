# SPDX-License-Identifier: Apache-2.0
"""Choices: keys, engine or software, other ways, a tag byte more or less, a byte on the air."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.budget import YEAR_S, Life, Number, interval, nominal
from joulemark.budget.changes import Crossing, Flip, Stair, Staircase, WhatIf
from joulemark.budget.engines import (
    CoreRow,
    EngineRow,
    GapRow,
    HarvestRow,
    KeyState,
    most_packets_per_s,
)
from joulemark.budget.plan import Budget
from joulemark.budget.tag_bytes import WORTH, Exchange, TagLength, attempts_per_s_of
from joulemark.catalogue.nodes import Harvester
from joulemark.catalogue.protocols import names, sheet
from joulemark.report import Table, text_table
from joulemark.report.budget import (
    MISSING,
    ROWS,
    count_text,
    forgery_text,
    joules,
    nobody,
    per_cent,
    short,
    years,
)
from joulemark.report.words import format_number
from joulemark.units import format_joules, format_percent, format_seconds, format_si


def keys_view(budget: Budget, states: Sequence[KeyState]) -> Table:
    """Whether precomputation pays."""
    best = budget.best
    own = next(
        (state for state in states if best and state.implementation == best.implementation), None
    )
    if own is None:
        answer = "no set-up of a key of the winner was counted"
    else:
        answer = (
            f"keep {own.state_bytes} bytes for the key of {own.implementation}: setting it up for "
            f"each packet takes {joules(own.packet_j)} more ({per_cent(own.more)} of "
            f"authentication), {joules(own.year_j)} a year"
        )
    rows = [
        (
            state.implementation,
            str(state.state_bytes),
            count_text(state.set_up_core_cycles),
            short(state.packet_j),
            format_joules(nominal(state.year_j)),
            format_percent(nominal(state.more)),
        )
        for state in states
    ]
    headings = (
        "implementation",
        "bytes kept",
        "core cycles of the set-up",
        "more a packet",
        "more a year",
        "over authentication",
    )
    notes = [
        (
            "Keeping bytes in memory during sleep costs nothing more here: the sleep current in "
            "the node's file includes it."
        )
    ]
    return text_table(answer, headings, rows, numbers=(1, 2, 3, 4, 5), notes=notes)


def engine_view(
    budget: Budget,
    rows: Sequence[EngineRow],
    gap: tuple[Number, Sequence[GapRow]] | None,
    cores: Sequence[CoreRow] = (),
) -> Table:
    """Engine or software, and whether a tag is ready within the gap between frames."""
    best = budget.best
    own = next((row for row in rows if best and row.implementation == best.implementation), None)
    chip = budget.parts.microcontroller.id
    if not rows:
        answer = f"{chip} has no engine in its file for these MACs: software computes them"
    else:
        first = own or rows[0]
        answer = (
            f"{first.implementation}: {joules(first.software_j)} in software, "
            f"{joules(first.engine_j)} in the engine"
        )
        if nominal(first.engine_j) < nominal(first.software_j):
            most = count_text(first.driver_core_cycles)
            answer += f", which takes less while its driver takes fewer than {most} core cycles"
        else:
            answer += ": software takes less"
        if first.break_even_bytes is not None:
            answer += f"; with the driver given it pays from {first.break_even_bytes} bytes on"
    in_gap = {row.implementation: row for row in gap[1]} if gap else {}
    if gap and best:
        here = in_gap[best.implementation]
        words = "fits" if here.fits else "does not fit"
        answer += (
            f"; {best.implementation} takes {format_seconds(nominal(here.seconds))} in "
            f"software, which {words} the gap of {format_seconds(nominal(gap[0]))}"
        )
    by_name = {row.implementation: row for row in rows}
    table = []
    for candidate in budget.ranking[:ROWS]:
        name = candidate.implementation
        engine = by_name.get(name)
        seconds = candidate.cycles.number / budget.parts.clock_hz
        table.append(
            (
                name,
                format_seconds(nominal(seconds)),
                MISSING if name not in in_gap else ("yes" if in_gap[name].fits else "no"),
                short(candidate.costs.compute_j),
                MISSING if engine is None else short(engine.engine_j),
                MISSING if engine is None else format_seconds(nominal(engine.engine_s)),
                MISSING if engine is None else count_text(nominal(engine.driver_core_cycles)),
            )
        )
    headings = (
        "implementation",
        "software",
        "in the gap",
        "energy",
        "engine",
        "its time",
        "driver at most",
    )
    # Of each MAC and core the row with the best software, which comes first.
    first_of: dict[tuple[str, str], CoreRow] = {}
    for row in cores:
        first_of.setdefault((row.implementation.partition("/")[0], row.core.name), row)
    notes = [_core_note(row) for row in first_of.values()]
    return text_table(answer, headings, table, numbers=(1, 3, 4, 5, 6), notes=notes)


def _core_note(core: CoreRow) -> str:
    """Joules of a tag in a hardware core and in software, and the years of battery with each."""
    known = core.core
    if known.firmware is None:
        name = "the core"
        text = (
            f"{core.implementation} in the core {known.name} ({known.where}): "
            f"{format_joules(core.core_j)} for {core.blocks} blocks of {known.algorithm}"
        )
    else:
        name = "the netlist"
        text = (
            f"{known.firmware} on the netlist {known.name} ({known.where}): "
            f"{format_joules(core.core_j)} with its memories"
        )
    text += (
        f", against {joules(core.software_j)} of {core.implementation} in software; moving the "
        f"message is not counted (modelled). "
        f"Battery: {years(core.software_years.bounds)} with software"
    )
    if core.software_years.is_shelf:
        return f"{text}, its shelf life, which {name} does not change."
    text += f"; {name}, switched off between packets, adds {_gain(core, core.core_years)}"
    if core.leaking_years is not None and known.idle_w is not None:
        leaks = format_si(known.idle_w, "W")
        text += f", or {_gain(core, core.leaking_years)} where it leaks {leaks} always"
    return f"{text}."


def _gain(core: CoreRow, life: Life) -> str:
    """Years that a core adds, up to the shelf life.

    They are those of one battery, so that its uncertainty counts once.
    """
    before = core.software_years.by_energy
    if life.is_shelf:
        return f"{years(interval(life.bounds.value - before))}, up to its shelf life"
    return years(interval(life.by_energy - before))


def harvest_view(budget: Budget, rows: Sequence[HarvestRow]) -> Table:
    """Messages a second by the harvester: of the whole node, and of tags alone."""
    supply = budget.parts.harvester
    if supply is None:
        known = [sheet(Harvester, name) for name in names(Harvester)]
        return text_table(
            "no harvester is named: --harvester NAME names one of these, or a file",
            ("harvester", "power", "what it is"),
            [(found.id, found.power.text, found.title) for found in known],
            numbers=(1,),
        )
    power = supply.power.text
    without = nominal(most_packets_per_s(budget, supply.power.si, budget.packet))
    answer = f"{power} ({supply.title}): "
    first = next(iter(rows), None)
    if first is None:
        answer += "no core cycles of these MACs are known"
    elif without <= 0:
        rest = format_si(nominal(budget.sleep_w), "W")
        answer += f"no packet, since the node takes {rest} asleep"
        if nominal(budget.duties.joins_w):
            answer += f" and {format_si(nominal(budget.duties.joins_w), 'W')} for joins"
    else:
        answer += (
            f"{rate_text(first.packets_per_s)} packets a second with authentication by "
            f"{first.name}, {rate_text(without)} without"
        )
    most = max(rows, key=lambda row: nominal(row.tags_per_s), default=None)
    if most is not None:
        answer += f"; for tags alone {rate_text(most.tags_per_s)} a second by {most.name}"
    in_cores = [row for row in rows if row.core is not None]
    table = [
        (
            row.name,
            short(row.tag_j),
            rate_text(row.tags_per_s),
            rate_text(row.packets_per_s),
            format_percent(nominal(row.share)),
        )
        for row in [*[row for row in rows if row.core is None][:ROWS], *in_cores]
    ]
    headings = ("computed by", "a tag", "tags/s", "packets/s", "share")
    means = (
        "Means: a store between harvester and circuit is assumed, without losses. Tags/s: the "
        "harvester feeds the computing alone. Packets/s: it feeds the whole node. Neither is more "
        "than processor and radio have time for. Share: of the harvester's "
        f"power, for the tags at one packet every {budget.question.packet_period_s:g} s."
    )
    from_store = (
        "Cores come from reports in the store and are off in between; more tags than their clock "
        "allows need a faster clock."
    )
    notes = [means, *([from_store] if in_cores else [])]
    return text_table(answer, headings, table, numbers=(1, 2, 3, 4), notes=notes)


def rate_text(per_s: Number) -> str:
    """A number of messages a second."""
    return format_number(nominal(per_s), digits=3)


def changes_view(budget: Budget, flips: Sequence[Flip], ways: Sequence[WhatIf]) -> Table:
    """What would change the winner, and what another protocol, node or batch would change."""
    best = budget.best
    if best is None:
        answer = nobody(budget)
    elif not flips:
        answer = (
            f"the standard leaves no choice but {best.implementation}; --any-algorithm compares it "
            "with others"
        )
    else:
        first = flips[0]
        answer = (
            f"{best.implementation} would lose to {first.winner} if {first.assumption} "
            f"{first.change}"
        )
    rows = []
    for way in ways:
        winner, reading = way.budget.best, way.reading_j
        packet_j = way.budget.air_only.sender_j if winner is None else winner.packet_j
        rows.append(
            (
                way.change,
                MISSING if winner is None else winner.implementation,
                MISSING if winner is None else str(winner.cycles.evidence),
                MISSING if reading is None else short(reading),
                years(interval(way.years.bounds.value)),
                format_si(nominal(way.budget.power_w(packet_j)), "W"),
            )
        )
    notes = [f"{flip.winner} would win if {flip.assumption} {flip.change}." for flip in flips]
    headings = (
        "change",
        "winner",
        "evidence",
        "authentication of a reading",
        "battery",
        "mean power",
    )
    return text_table(answer, headings, rows, numbers=(3, 4, 5), notes=notes)


# Energy over payload in words: cross-overs, and where each staircase rises.


# Prices: a tag byte more or less, and core cycles for a byte on the air.


def payloads_view(
    stairs: Sequence[Staircase], crossings: Sequence[tuple[str, str, Sequence[Crossing]]]
) -> Table:
    """The cross-over of two MACs, and the payloads at which each staircase rises."""
    lines = [_crossing_words(*crossing) for crossing in crossings]
    last_payload = max((stair.stairs[-1].payload_bytes for stair in stairs), default=0)
    rows = []
    for stair in stairs:
        steps = ", ".join(map(str, stair.boundaries)) or "none"
        first, last = stair.stairs[0], stair.stairs[-1]
        rows.append((stair.implementation, _at(first, 0), _at(last, last_payload), steps))
    headings = ("implementation", "at 0 bytes", f"at {last_payload} bytes", "rises at payloads of")
    why = (
        "The energy rises at a payload for which the primitive is called once more: the block, or "
        "the padding of a hash, no longer fits."
    )
    return text_table(
        "; ".join(lines) or "there are not two MACs to compare",
        headings,
        rows,
        numbers=(1, 2),
        notes=[why],
    )


def _at(stair: Stair, wanted: int) -> str:
    """An energy, with its payload if it differs from the wanted payload."""
    where = "" if stair.payload_bytes == wanted else f" at {stair.payload_bytes}"
    return format_joules(nominal(stair.packet_j)) + where


def _crossing_words(first: str, second: str, crossings: Sequence[Crossing]) -> str:
    if not crossings:
        return f"no payload makes {first} and {second} change places"
    parts = [
        f"from {crossing.payload_bytes} bytes on {crossing.cheaper} takes less "
        f"({format_joules(crossing.cheaper_j)} against {format_joules(crossing.dearer_j)})"
        for crossing in crossings
    ]
    return f"{first} and {second}: " + ", ".join(parts)


def tag_view(budget: Budget, tags: Sequence[TagLength]) -> Table:
    """What a tag byte more or less costs, and the chance of a forgery that it buys."""
    used = next(tag for tag in tags if tag.used)
    more = next((tag for tag in tags if tag.tag_bytes == used.tag_bytes + 1), None)
    attempts = attempts_per_s_of(budget)
    chance = forgery_text(used.forgery_per_year)
    answer = f"the chance that a tag of {used.tag_bits} bits is forged within a year is {chance}"
    if more is not None:
        cost = "is free" if more.free else f"costs {joules(more.more_j)} a packet"
        answer += f"; a byte more {cost} and makes it {forgery_text(more.forgery_per_year)}"
    rows = [
        (
            str(tag.tag_bytes),
            str(tag.tag_bits),
            "yes" if tag.allowed else "no",
            "used" if tag.used else ("free" if tag.free else short(tag.more_j)),
            MISSING if tag.used or tag.free else format_joules(nominal(tag.more_j_per_year)),
            forgery_text(tag.forgery_per_year),
        )
        for tag in tags
    ]
    is_stated = budget.question.attempts_per_s is not None
    whose = "as asked" if is_stated else "as many as the channel carries"
    rate, days = float(f"{attempts:.3g}"), YEAR_S / 86_400
    why = f"{rate:.15g} forged packets a second ({whose}), for a year of {days:g} days."
    headings = ("bytes", "bits", "standard", "more a packet", "more a year", "forgery in a year")
    return text_table(answer, headings, rows, numbers=(0, 1, 3, 4, 5), notes=[why])


def exchange_view(budget: Budget, rate: Exchange) -> Table:
    """Core cycles for a byte, and the count below which a faster MAC changes nothing."""
    free = nominal(rate.next_byte_j) == 0
    answer = (
        f"one byte on the air is worth {count_text(rate.cycles_per_byte)} core cycles; a MAC of "
        f"fewer than {count_text(rate.mattering_core_cycles)} core cycles takes less than "
        f"{format_percent(WORTH)} of the node's energy, and a faster one stops mattering"
    )
    rows = [
        ("core cycle", joules(rate.cycle_j)),
        ("byte on the air, mean", joules(rate.byte_j)),
        ("the next byte of this packet", "free" if free else joules(rate.next_byte_j)),
    ]
    best = budget.best
    if best is not None:
        rows.append(
            (
                f"compute of {best.implementation} in bytes on the air",
                f"{nominal(best.computed_j) / nominal(rate.byte_j):.2g}",
            )
        )
    return text_table(answer, ("of", "energy"), rows, numbers=(1,))
