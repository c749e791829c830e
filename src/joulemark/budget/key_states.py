# SPDX-License-Identifier: Apache-2.0
"""What it costs to set up a key again for each packet instead of keeping its state."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.inputs import Number
from joulemark.budget.lifetime import YEAR_S
from joulemark.budget.plan import Budget

__all__ = ["KeyState", "key_states_of"]


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
