# SPDX-License-Identifier: Apache-2.0
"""Whether to keep what the set-up of a key makes, or to make it again for each packet."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.inputs import Number
from joulemark.budget.lifetime import YEAR_S
from joulemark.budget.plan import Budget

__all__ = ["KeyState", "key_states_of"]


@dataclass(frozen=True, slots=True)
class KeyState:
    """One implementation, its key kept ready or not."""

    implementation: str
    state_bytes: int
    """Of memory that keeping takes."""
    set_up_core_cycles: int
    packet_j: Number
    """That a set-up takes more in each packet."""
    year_j: Number
    more: Number
    """Over the energy of authentication with a kept key."""


def key_states_of(budget: Budget) -> list[KeyState]:
    """Of every implementation whose set-up was counted, in the order of the ranking."""
    per_year = YEAR_S / budget.question.packet_period_s
    found = []
    for candidate in budget.ranking:
        series = candidate.cycles.series
        if series.key_core_cycles is None or series.key_state_bytes is None:
            continue
        packet_j = series.key_core_cycles * budget.parts.cycle_j
        found.append(
            KeyState(
                implementation=candidate.implementation,
                state_bytes=series.key_state_bytes,
                set_up_core_cycles=series.key_core_cycles,
                packet_j=packet_j,
                year_j=packet_j * per_year,
                more=packet_j / candidate.packet_j,
            )
        )
    return found
