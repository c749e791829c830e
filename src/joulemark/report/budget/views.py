# SPDX-License-Identifier: Apache-2.0
"""Each question of a planner as a view: a sentence that answers it, and the table behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from joulemark.budget.changes import Flip, WhatIf, chance_cheaper
from joulemark.budget.engines import EngineRow, GapRow
from joulemark.budget.exchange import WORTH, Exchange
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.key_states import KeyState
from joulemark.budget.lifetime import YEAR_S
from joulemark.budget.plan import Budget, Candidate
from joulemark.budget.staircase import Crossing, Stair, Staircase
from joulemark.budget.tags import TagLength, attempts_per_s_of
from joulemark.report.budget.words import (
    MISSING,
    count_text,
    forgery_text,
    joules,
    per_cent,
    short,
    years,
)
from joulemark.units import format_joules, format_percent, format_seconds, format_si

__all__ = [
    "View",
    "ViewName",
    "answer_view",
    "battery_view",
    "changes_view",
    "engine_view",
    "exchange_view",
    "keys_view",
    "payloads_view",
    "tag_view",
]

_ROWS = 10


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


@dataclass(frozen=True, slots=True)
class View:
    """Ready to be shown."""

    answer: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: tuple[int, ...] = ()
    """Columns of numbers."""
    notes: list[str] = field(default_factory=list)


def _nobody(budget: Budget) -> str:
    """What is known where no count of core cycles is."""
    core = budget.parts.microcontroller.core
    names = ", ".join(budget.protocol.algorithms)
    return (
        f"no core cycles of {names} on {core} are known; the bytes of security take "
        f"{joules(budget.air_only.air_j + budget.air_only.wake_j)} a packet on the air "
        f"('joulemark bench ALGORITHM --target mcu:{core}' counts core cycles)"
    )


def _evidence(one: Candidate) -> str:
    return str(one.cycles.evidence)


def _day(budget: Budget, packet_j: Number) -> str:
    return format_joules(nominal(packet_j) * budget.packets_per_day)


def _percent(share: Number) -> str:
    return format_percent(nominal(share))


def answer_view(budget: Budget) -> View:
    """Which MAC and implementation cost least, and by how much over the next."""
    best = budget.best
    if best is None:
        return View(_nobody(budget), (), [])
    day_j = best.packet_j * budget.packets_per_day
    rest = budget.contenders[1:]
    over = ""
    if rest:
        ratio = nominal(rest[0].packet_j) / nominal(best.packet_j)
        sure = chance_cheaper(best, rest[0])
        over = (
            f"; {rest[0].implementation} takes {ratio:.2f} times as much"
            + (f" (with a chance of {format_percent(sure)})" if sure < 0.999 else "")
        )  # fmt: skip
    answer = (
        f"use {best.implementation}: {joules(best.packet_j)} a packet for authentication, "
        f"{joules(day_j)} a day{over}"
    )
    rows = [
        (
            one.implementation,
            "yes" if one.allowed else "no",
            count_text(nominal(one.cycles.number)),
            _evidence(one),
            short(one.packet_j),
            format_joules(nominal(one.packet_j) * budget.packets_per_day),
            f"{nominal(one.packet_j) / nominal(best.packet_j):.2f}×",
        )
        for one in budget.ranking
    ]
    headings = ("implementation", "standard", "core cycles", "evidence", "a packet", "a day",
                "times")  # fmt: skip
    notes = [_outsider(budget, best)] if not best.allowed or budget.ranking[0] is not best else []
    return View(answer, headings, rows[:_ROWS], right=(2, 4, 5, 6), notes=notes)


def _outsider(budget: Budget, best: Candidate) -> str:
    if best.allowed or budget.question.any_mac:
        first = budget.ranking[0]
        if first is best:
            return "The winner is not in the protocol's standard."
        saved = 1 - nominal(first.packet_j) / nominal(best.packet_j)
        return (
            f"Outside the standard {first.implementation} would take {format_percent(saved)} less "
            "for authentication."
        )
    return "The winner is not in the protocol's standard."


def battery_view(budget: Budget) -> View:
    """Years of battery with and without, and where the energy of authentication goes."""
    best = budget.best
    costs = budget.air_only if best is None else best.costs
    packet_j = costs.sender_j if best is None else best.packet_j
    with_j, without = budget.years(packet_j), budget.years(0)
    title = budget.parts.battery.title
    answer = (
        f"{title}: {years(with_j)} with authentication, {years(without)} without; it takes "
        f"{per_cent(budget.share(packet_j))} of the node's energy"
    )
    if best is None:
        answer += ", core cycles not counted"
    received = budget.question.received_per_sent
    parts: list[tuple[str, Number]] = [
        ("compute", costs.compute_j),
        ("tag on the air", costs.tag_air_j),
        ("other bytes of security on the air", costs.other_air_j),
        ("extra wake time", costs.wake_j),
    ]
    if received:
        parts.append((f"verification of {received:g} packets", received * costs.verification_j))
    rows = [
        (name, short(each), _day(budget, each), _percent(budget.share(each)))
        for name, each in parts
    ]
    rows.append(
        ("authentication", short(packet_j), _day(budget, packet_j),
         _percent(budget.share(packet_j)))
    )  # fmt: skip
    period = budget.question.packet_period_s
    for name, each in (("packet without it", budget.plain_packet_j),
                       ("sleep and base", budget.sleep_w * period)):  # fmt: skip
        whole = each / (budget.power_w(packet_j) * period)
        rows.append((name, short(each), _day(budget, each), _percent(whole)))
    notes = [
        f"A receiver of the same kind takes {joules(costs.verification_j)} to verify a packet: "
        "core cycles, radio and processor for the bytes of security."
    ]
    return View(answer, ("part", "a packet", "a day", "share"), rows, right=(1, 2, 3), notes=notes)


def payloads_view(
    stairs: Sequence[Staircase], found: Sequence[tuple[str, str, Sequence[Crossing]]]
) -> View:
    """The cross-over of two MACs, and the payloads at which each staircase rises."""
    lines = [_crossing_words(*one) for one in found]
    last_payload = max((one.stairs[-1].payload_bytes for one in stairs), default=0)
    rows = []
    for one in stairs:
        steps = ", ".join(map(str, one.boundaries)) or "none"
        first, last = one.stairs[0], one.stairs[-1]
        rows.append(
            (one.implementation, _at(first, 0), _at(last, last_payload), steps)
        )  # fmt: skip
    headings = ("implementation", "at 0 bytes", f"at {last_payload} bytes", "rises at payloads of")
    notes = [
        "A rise is a payload that takes a call of the primitive more: a block, or the padding of a "
        "hash, does not fit any more."
    ]
    return View("; ".join(lines) or "there are not two MACs to compare", headings, rows,
                right=(1, 2), notes=notes)  # fmt: skip


def _at(stair: Stair, wanted: int) -> str:
    """An energy, with its payload where that is not the wanted one."""
    where = "" if stair.payload_bytes == wanted else f" at {stair.payload_bytes}"
    return format_joules(nominal(stair.packet_j)) + where


def _crossing_words(first: str, second: str, found: Sequence[Crossing]) -> str:
    if not found:
        return f"{first} and {second} cross at no payload"
    parts = [
        f"from {one.payload_bytes} bytes on {one.cheaper} takes less "
        f"({format_joules(one.cheaper_j)} against {format_joules(one.dearer_j)})"
        for one in found
    ]
    return f"{first} and {second}: " + ", ".join(parts)


def tag_view(budget: Budget, tags: Sequence[TagLength]) -> View:
    """What a tag byte more or less costs, and the chance of a forgery that it buys."""
    used = next(one for one in tags if one.used)
    more = next((one for one in tags if one.tag_bytes == used.tag_bytes + 1), None)
    attempts = attempts_per_s_of(budget)
    chance = forgery_text(used.forgery_per_year)
    answer = f"a tag of {used.tag_bits} bits is forged within a year with a chance of {chance}"
    if more is not None:
        cost = "is free" if more.free else f"costs {joules(more.more_j)} a packet"
        answer += (
            f"; a byte more {cost} and makes it {forgery_text(more.forgery_per_year)}"
        )
    rows = [
        (
            str(one.tag_bytes),
            str(one.tag_bits),
            "yes" if one.allowed else "no",
            "used" if one.used else ("free" if one.free else short(one.more_j)),
            MISSING if one.used or one.free else format_joules(nominal(one.more_j_per_year)),
            forgery_text(one.forgery_per_year),
        )
        for one in tags
    ]
    asked = budget.question.attempts_per_s is not None
    whose = "as asked" if asked else "as many as the channel carries"
    notes = [f"{attempts:.3g} forged packets a second ({whose}), for a year of "
             f"{YEAR_S / 86_400:g} days."]  # fmt: skip
    headings = ("bytes", "bits", "standard", "more a packet", "more a year", "forgery in a year")
    return View(answer, headings, rows, right=(0, 1, 3, 4, 5), notes=notes)


def exchange_view(budget: Budget, rate: Exchange) -> View:
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
            (f"compute of {best.implementation} in bytes on the air",
             f"{nominal(best.costs.compute_j) / nominal(rate.byte_j):.2g}")
        )  # fmt: skip
    return View(answer, ("of", "energy"), rows, right=(1,))


def keys_view(budget: Budget, states: Sequence[KeyState]) -> View:
    """Whether precomputation pays."""
    best = budget.best
    own = next(
        (one for one in states if best and one.implementation == best.implementation), None
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
        (one.implementation, str(one.state_bytes), count_text(one.set_up_core_cycles),
         short(one.packet_j), format_joules(nominal(one.year_j)), _percent(one.more))
        for one in states
    ]  # fmt: skip
    headings = ("implementation", "bytes kept", "core cycles of the set-up", "more a packet",
                "more a year", "over authentication")  # fmt: skip
    notes = ["Memory that sleeps with its contents takes the sleep current of the file already."]
    return View(answer, headings, rows, right=(1, 2, 3, 4, 5), notes=notes)


def engine_view(
    budget: Budget, rows: Sequence[EngineRow], gap: tuple[Number, Sequence[GapRow]] | None
) -> View:
    """Engine or software, and whether a tag is ready within the gap between frames."""
    best = budget.best
    own = next((one for one in rows if best and one.implementation == best.implementation), None)
    chip = budget.parts.microcontroller.id
    if not rows:
        answer = f"{chip} has no engine in its file for these MACs: software computes them"
    else:
        one = own or rows[0]
        wins = nominal(one.engine_j) < nominal(one.software_j)
        answer = f"{one.implementation}: {joules(one.software_j)} in software, " + (
            f"{joules(one.engine_j)} in the engine, which takes less while its driver takes fewer "
            f"than {count_text(one.driver_core_cycles)} core cycles" if wins
            else f"{joules(one.engine_j)} in the engine: software takes less"
        )  # fmt: skip
        if one.break_even_bytes is not None:
            answer += f"; with the driver given it pays from {one.break_even_bytes} bytes on"
    fits = {}
    if gap is not None:
        fits = {one.implementation: one for one in gap[1]}
        if best is not None:
            here = fits[best.implementation]
            words = "fits" if here.fits else "does not fit"
            answer += (
                f"; {best.implementation} takes {format_seconds(nominal(here.seconds))} in "
                f"software, which {words} the gap of {format_seconds(nominal(gap[0]))}"
            )
    by_name = {one.implementation: one for one in rows}
    table = []
    for candidate in budget.ranking[:_ROWS]:
        name = candidate.implementation
        engine = by_name.get(name)
        seconds = candidate.cycles.number / budget.parts.clock_hz
        table.append(
            (
                name,
                format_seconds(nominal(seconds)),
                MISSING if name not in fits else ("yes" if fits[name].fits else "no"),
                short(candidate.costs.compute_j),
                MISSING if engine is None else short(engine.engine_j),
                MISSING if engine is None else format_seconds(nominal(engine.engine_s)),
                MISSING if engine is None else count_text(nominal(engine.driver_core_cycles)),
            )
        )
    headings = ("implementation", "software", "in the gap", "energy", "engine", "its time",
                "driver at most")  # fmt: skip
    return View(answer, headings, table, right=(1, 3, 4, 5, 6))


def changes_view(budget: Budget, flips: Sequence[Flip], ways: Sequence[WhatIf]) -> View:
    """What would change the winner, and what another protocol, node or batch would change."""
    best = budget.best
    if best is None:
        answer = _nobody(budget)
    elif not flips:
        answer = (
            f"the standard leaves no choice but {best.implementation}; --any-mac compares it with "
            "others"
        )
    else:
        first = flips[0]
        answer = (
            f"{best.implementation} would lose to {first.winner} if {first.assumption} "
            f"{first.change}"
        )
    rows = []
    for one in ways:
        winner = one.budget.best
        reading = one.reading_j
        rows.append(
            (
                one.change,
                MISSING if winner is None else winner.implementation,
                MISSING if winner is None else _evidence(winner),
                MISSING if reading is None else short(reading),
                years(nominal(one.years)),
                format_si(nominal(one.budget.power_w(
                    one.budget.air_only.sender_j if winner is None else winner.packet_j
                )), "W"),
            )
        )  # fmt: skip
    notes = [f"{one.winner} would win if {one.assumption} {one.change}." for one in flips]
    headings = ("change", "winner", "evidence", "authentication of a reading", "battery",
                "mean power")  # fmt: skip
    return View(answer, headings, rows, right=(3, 4, 5), notes=notes)
