# SPDX-License-Identifier: Apache-2.0
"""The answer: which MAC costs least, how long the battery lasts, and where the energy goes."""

from __future__ import annotations

from joulemark.budget.changes import chance_cheaper
from joulemark.budget.inputs import Number, nominal
from joulemark.budget.plan import Budget, Candidate
from joulemark.report.budget.view import ROWS, TIMES, View, nobody
from joulemark.report.budget.words import count_text, joules, per_cent, short, years
from joulemark.units import format_joules, format_percent

__all__ = ["answer_view", "battery_view"]


def answer_view(budget: Budget) -> View:
    """Which MAC and implementation cost least, and by how much over the next."""
    best = budget.best
    if best is None:
        return View(nobody(budget), (), [])
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
    headings = ("implementation", "standard", "core cycles", "evidence", "a packet", "a day",
                "times")  # fmt: skip
    notes = [_outsider(budget, best)] if not best.allowed or budget.ranking[0] is not best else []
    return View(answer, headings, rows[:ROWS], right=(2, 4, 5, 6), notes=notes)


def _outsider(budget: Budget, best: Candidate) -> str:
    first = budget.ranking[0]
    if first is best or not (best.allowed or budget.question.any_mac):
        return "The winner is not in the protocol's standard."
    saved = 1 - nominal(first.packet_j) / nominal(best.packet_j)
    return (
        f"Outside the standard {first.implementation} would take {format_percent(saved)} less "
        "for authentication."
    )


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
    parts.append(("authentication", packet_j))
    shares = [(name, part_j, budget.share(part_j)) for name, part_j in parts]
    period = budget.question.packet_period_s
    all_j = budget.power_w(packet_j) * period
    for name, part_j in (("packet without it", budget.plain_packet_j),
                         ("sleep and base", budget.sleep_w * period)):  # fmt: skip
        shares.append((name, part_j, part_j / all_j))
    rows = []
    for name, part_j, share in shares:
        day = format_joules(nominal(part_j) * budget.packets_per_day)
        rows.append((name, short(part_j), day, format_percent(nominal(share))))
    why = (
        f"A receiver of the same kind takes {joules(costs.verification_j)} to verify a packet: "
        "core cycles, radio and processor for the bytes of security."
    )
    return View(answer, ("part", "a packet", "a day", "share"), rows, right=(1, 2, 3), notes=[why])
