# SPDX-License-Identifier: Apache-2.0
"""The answer: which MAC costs least, how long the battery lasts, and where the energy goes."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.budget import Number, interval, nominal
from joulemark.budget.changes import Neighbour, chance_cheaper
from joulemark.budget.plan import Budget, PacketCandidate
from joulemark.report import Table, text_table
from joulemark.report.budget import (
    ROWS,
    TIMES,
    count_text,
    joules,
    nobody,
    per_cent,
    short,
    years,
)
from joulemark.units import format_joules, format_percent

_HALF = (0.45, 0.55)
"""Ratios that are called half."""
_SURE = 0.995
"""Chance that is not worth a word."""
_TENTH_MORE = 1.1
"""Ratio from which an energy is so many times another, and not so many percent more."""
_NOTHING = 0.01
"""Ratio below which a payload costs next to nothing."""
_EQUAL = 0.001
"""Difference of two energies that is not worth a word."""


def answer_view(budget: Budget, neighbours: Sequence[Neighbour] = ()) -> Table:
    """Which MAC and implementation cost least, and by how much over the next.

    Args:
        budget: the answer.
        neighbours: payloads near the question's that cost much less.
    """
    best = budget.best
    if best is None:
        return text_table(nobody(budget), (), [])
    day_j = best.packet_j * budget.packets_per_day
    rest = budget.contenders[1:]
    over = ""
    if rest:
        ratio = nominal(rest[0].packet_j) / nominal(best.packet_j)
        sure = chance_cheaper(best, rest[0])
        over = f"; next is {rest[0].implementation}, which takes {_more(ratio)}" + (
            f" ({format_percent(sure)} sure)" if sure < _SURE else ""
        )
    answer = (
        f"use {best.implementation}: {joules(best.packet_j)} a packet for authentication, "
        f"{joules(day_j)} a day{over}{_cheaper(neighbours)}"
    )
    rows = [
        (
            candidate.implementation,
            "yes" if candidate.allowed else "no",
            count_text(nominal(candidate.cycles.number)),
            str(candidate.cycles.evidence),
            short(candidate.packet_j),
            format_joules(nominal(candidate.packet_j) * budget.packets_per_day),
            f"{nominal(candidate.packet_j) / nominal(best.packet_j):.2f}{TIMES}",
        )
        for candidate in budget.ranking
    ]
    headings = (
        "implementation",
        "standard",
        "core cycles",
        "evidence",
        "a packet",
        "a day",
        "times",
    )
    notes = [*_spike(budget, neighbours), *_outsiders(budget, best)]
    return text_table(answer, headings, rows[:ROWS], numbers=(2, 4, 5, 6), notes=notes)


def _more(ratio: float) -> str:
    """An energy over that of the best, as in "0.4 % more" or "2.31 times as much"."""
    return (
        f"{ratio:.2f} times as much"
        if ratio >= _TENTH_MORE
        else f"{format_percent(ratio - 1)} more"
    )


def _cheaper(neighbours: Sequence[Neighbour]) -> str:
    """The payloads that cost less, as in "; a payload of 23 or 25 bytes costs half (...)"."""
    if not neighbours:
        return ""
    if all(_HALF[0] <= neighbour.ratio <= _HALF[1] for neighbour in neighbours):
        lengths = " or ".join(str(neighbour.payload_bytes) for neighbour in neighbours)
        energies = " or ".join(
            format_joules(nominal(neighbour.packet_j)) for neighbour in neighbours
        )
        return f"; a payload of {lengths} bytes costs half ({energies} a packet)"
    return "".join(
        f"; a payload of {neighbour.payload_bytes} bytes costs "
        + (
            "next to nothing"
            if neighbour.ratio < _NOTHING
            else f"{format_percent(1 - neighbour.ratio)} less"
        )
        + f" ({format_joules(nominal(neighbour.packet_j))} a packet)"
        for neighbour in neighbours
    )


def _spike(budget: Budget, neighbours: Sequence[Neighbour]) -> list[str]:
    """What the cheaper payloads do to the whole packet, as authentication is a part of it."""
    if not neighbours:
        return []
    here = budget.question.packet_payload_bytes
    wholes = [
        f"{_against_one(neighbour.whole_ratio)} with {neighbour.payload_bytes} bytes"
        for neighbour in neighbours
    ]
    words = (
        f"A payload of {here} bytes lies on a spike: its tag just begins another step of the radio "
        f"or of the MAC. The whole packet takes {' and '.join(wholes)}."
    )
    return [words]


def _against_one(ratio: float) -> str:
    """A ratio in words, as in "6.2 % less"."""
    if abs(1 - ratio) < _EQUAL:
        return "as much"
    return f"{format_percent(abs(1 - ratio))} {'less' if ratio < 1 else 'more'}"


def _outsiders(budget: Budget, best: PacketCandidate) -> list[str]:
    """What MACs outside the standard would save."""
    if not best.allowed:
        return ["The winner is not in the protocol's standard."]
    if budget.question.any_mac:
        return []
    outside = [candidate for candidate in budget.ranking if not candidate.allowed]
    if not outside or nominal(outside[0].packet_j) >= nominal(best.packet_j):
        return []
    saved = 1 - nominal(outside[0].packet_j) / nominal(best.packet_j)
    words = (
        f"Outside the standard {outside[0].implementation} would take {format_percent(saved)} "
        "less for authentication."
    )
    return [words]


def battery_view(budget: Budget) -> Table:
    """Years of battery with and without, and where the energy of authentication goes."""
    best = budget.best
    costs = budget.air_only if best is None else best.costs
    packet_j = costs.sender_j if best is None else best.packet_j
    life, without = budget.years(packet_j), budget.years(0)
    title = budget.parts.battery.title
    if life.is_shelf:
        answer = (
            f"{title}: {years(life.bounds)}, its shelf life; its energy would last "
            f"{years(interval(life.by_energy))} with authentication, "
            f"{years(interval(without.by_energy))} without"
        )
    else:
        answer = (
            f"{title}: {years(life.bounds)} with authentication, {years(without.bounds)} without"
        )
    answer += f"; authentication takes {per_cent(budget.share(packet_j))} of the node's energy"
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
    if best is not None and budget.duties.acknowledged:
        parts.append(("verification of acknowledgements", best.acknowledgement_j))
    parts.append(("authentication", packet_j))
    period = budget.question.packet_period_s
    parts += [
        ("packet without it", budget.plain_packet_j),
        *_duties(budget),
        ("sleep and base", budget.sleep_w * period),
    ]
    # Each share is of the same whole, so that parts add up.
    all_j = nominal(budget.power_w(packet_j)) * period
    rows = []
    for name, part_j in parts:
        day = format_joules(nominal(part_j) * budget.packets_per_day)
        rows.append((name, short(part_j), day, format_percent(nominal(part_j) / all_j)))
    why = (
        f"A receiver of the same kind takes {joules(costs.verification_j)} to verify a packet: "
        "core cycles, radio and processor for the bytes of security."
    )
    notes = [why]
    if budget.duties.transmissions > 1:
        notes.append(f"Each packet is sent {budget.duties.transmissions:g} times.")
    if life.shelf is None:
        notes.append("The battery's file states no shelf life, so that energy alone bounds it.")
    return text_table(
        answer, ("part", "a packet", "a day", "share"), rows, numbers=(1, 2, 3), notes=notes
    )


def _duties(budget: Budget) -> list[tuple[str, Number]]:
    """Parts of the node's energy that the protocol adds to packets, for a packet."""
    duties, protocol = budget.duties, budget.protocol
    counted = [
        window.name for window in protocol.window if window.name not in duties.uncounted_windows
    ]
    parts: list[tuple[str, Number]] = []
    if counted:
        parts.append((f"receive windows {', '.join(counted)}", duties.windows_j))
    if duties.acknowledged:
        parts.append(("acknowledgements received", duties.acknowledgements_j))
    if protocol.join is not None:
        parts.append(("joins", duties.joins_w * budget.question.packet_period_s))
    return parts
