# SPDX-License-Identifier: Apache-2.0
"""Prices: a tag byte more or less, and core cycles for a byte on the air."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.budget.changes import Crossing, Stair, Staircase
from joulemark.budget.inputs import YEAR_S, nominal
from joulemark.budget.plan import Budget
from joulemark.budget.planner import WORTH, Exchange, TagLength, attempts_per_s_of
from joulemark.report.budget.view import MISSING, count_text, forgery_text, joules, short
from joulemark.report.sheet import Table, text_table
from joulemark.units import format_joules, format_percent

# Energy over payload in words: cross-overs, and where each staircase rises.


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
        "A rise is a payload that takes a call of the primitive more: a block, or the padding of a "
        "hash, does not fit any more."
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
        return f"{first} and {second} cross at no payload"
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
    answer = f"a tag of {used.tag_bits} bits is forged within a year with a chance of {chance}"
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
    why = (
        f"{attempts:.3g} forged packets a second ({whose}), for a year of {YEAR_S / 86_400:g} days."
    )
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
                f"{nominal(best.costs.compute_j) / nominal(rate.byte_j):.2g}",
            )
        )
    return text_table(answer, ("of", "energy"), rows, numbers=(1,))
