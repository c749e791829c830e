# SPDX-License-Identifier: Apache-2.0
"""The form of a view, and the words that several views share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from joulemark.budget.counts import target_of
from joulemark.budget.plan import Budget
from joulemark.budget.wanted import counted_algorithms
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.catalogue.planning.shelf import names
from joulemark.report.budget.words import joules

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


@dataclass(frozen=True, slots=True)
class View:
    """The answer to one question about a budget, with its table."""

    answer: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    right: tuple[int, ...] = ()
    """Places of the columns of numbers, which are aligned to the right."""
    notes: list[str] = field(default_factory=list)


def nobody(budget: Budget) -> str:
    """The answer where no core cycles are known: the cost on the air alone."""
    protocol, core = budget.protocol, budget.parts.microcontroller.core
    mac_names = ", ".join(protocol.algorithms)
    air = joules(budget.air_only.air_j + budget.air_only.wake_j)
    answer = (
        f"no core cycles of {mac_names} on {core} are known; the bytes of security take {air} a "
        "packet on the air"
    )
    ours = counted_algorithms(protocol, core)
    if not ours:
        return f"{answer} (no kernel of firmware computes {mac_names})"
    if protocol.id in names(Protocol):
        what = f"--for {protocol.id} --payload {budget.packet.payload_bytes}"
    else:
        what = f"{' '.join(ours)} --size {budget.packet.mac_input_bytes}"
    return f"{answer} ('joulemark bench {what} --target {target_of(core)}' counts core cycles)"
