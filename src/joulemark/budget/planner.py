# SPDX-License-Identifier: Apache-2.0
"""A planner's questions from Python: it takes names or files, and gives the figures of each view.

planner = Planner.of("tinysec_auth", "mica2", Question(payload_bytes=24, period_s=10))
best = planner.budget.best
print(best.implementation, planner.budget.years(best.packet_j).bounds)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from joulemark.budget.changes import (
    Crossing,
    Flip,
    Neighbour,
    Staircase,
    WhatIf,
    batches_of,
    cheaper_neighbours,
    crossings,
    flips_of,
    staircase_of,
)
from joulemark.budget.cores import CoreBlock, CoreRow, core_blocks, cores_of
from joulemark.budget.counts import FirmwareStore, Series, known_series
from joulemark.budget.engines import EngineRow, GapRow, KeyState, engines_of, gaps_of, key_states_of
from joulemark.budget.inputs import Inputs, Number
from joulemark.budget.parts import Parts, assemble
from joulemark.budget.plan import Budget, PayloadError, Question, budget_of
from joulemark.budget.tags import Exchange, TagLength, exchange_of, tags_of
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.catalogue.planning.shelf import sheet, sheet_path
from joulemark.errors import UsageError
from joulemark.foreign.toml import line_of, read_text

_RUNNERS_UP: Final = 3
"""Implementations that the winner is compared with if no pair is named."""


@dataclass(frozen=True)
class Planner:
    """One question with all that is known for its answer."""

    protocol: Protocol
    protocol_name: str
    parts: Parts
    question: Question
    series: tuple[Series, ...]
    core_blocks: tuple[CoreBlock, ...] = ()
    """Hardware cores of the store."""

    @classmethod
    def of(
        cls,
        protocol: str,
        node: str,
        question: Question,
        *,
        store: FirmwareStore | None = None,
        microcontroller: str | None = None,
        radio: str | None = None,
        battery: str | None = None,
        mode: str | None = None,
    ) -> Planner:
        """Makes a planner by names: each is one of the catalogue, or a path that ends with `.toml`.

        Parts that are named stand in place of the node's. The store is open; its counts of firmware
        come before those that are shipped.
        """
        parts = assemble(
            node, Inputs(), microcontroller=microcontroller, radio=radio, battery=battery, mode=mode
        )
        series = tuple(known_series(parts.microcontroller.core, store))
        cores = tuple(core_blocks(store))
        return cls(sheet(Protocol, protocol), protocol, parts, question, series, cores)

    @cached_property
    def budget(self) -> Budget:
        """The answer to the question."""
        try:
            return budget_of(self.protocol, self.parts, self.question, self.series)
        except PayloadError as error:
            raise UsageError(f"{self._limit_place}: {error}") from None

    @property
    def _limit_place(self) -> str:
        """File, line and key of the limit that the payload breaks."""
        path = sheet_path(Protocol, self.protocol_name)
        text = read_text(path)
        for key in ("payload_limit", "frame_limit", "tag"):
            line = line_of(text, (key,))
            if line is not None and getattr(self.protocol, key) is not None:
                return f"{path.name}, line {line}, {key}"
        return path.name

    @cached_property
    def staircase(self) -> list[Staircase]:
        """The staircase of every implementation; all take a second."""
        return staircase_of(self.protocol, self.parts, self.question, self.series)

    def cheapest_stairs(self, most: int) -> list[Staircase]:
        """Returns the staircases of at most so many contenders, the cheapest first."""
        ranked = [contender.implementation for contender in self.budget.contenders[:most]]
        used = [series for series in self.series if any(series.serves(name) for name in ranked)]
        staircases = staircase_of(self.protocol, self.parts, self.question, used)
        by_name = {staircase.implementation: staircase for staircase in staircases}
        return [by_name[name] for name in ranked]

    def crossings_of(self, pair: Sequence[str] = ()) -> list[tuple[str, str, Sequence[Crossing]]]:
        """Returns two implementations, and the payloads at which the cheaper of them changes.

        Args:
            pair: two algorithms or implementations; else the winner is paired with runners-up.
        """
        by_name = {staircase.implementation: staircase for staircase in self.staircase}
        if pair:
            names = [self._named(name, by_name) for name in pair]
            return [(names[0], names[1], crossings(by_name[names[0]], by_name[names[1]]))]
        best = self.budget.best
        if best is None:
            return []
        first = best.implementation
        ranked = (candidate.implementation for candidate in self.budget.ranking)
        others = [name for name in ranked if name != first and name in by_name]
        rivals = others[:_RUNNERS_UP]
        return [(first, name, crossings(by_name[first], by_name[name])) for name in rivals]

    def _named(self, wanted: str, known: dict[str, Staircase]) -> str:
        names = [name for name in known if wanted in {name, name.partition("/")[0]}]
        if not names:
            raise UsageError(
                f"there is no staircase of '{wanted}' here (there are {', '.join(known)})"
            )
        return names[0]

    @cached_property
    def tags(self) -> list[TagLength]:
        """Tags of usual lengths."""
        return tags_of(self.budget)

    @cached_property
    def exchange(self) -> Exchange:
        """Core cycles for the energy of a byte on the air."""
        return exchange_of(self.budget)

    @cached_property
    def key_states(self) -> list[KeyState]:
        """Cost of a key that is set up again for each packet."""
        return key_states_of(self.budget)

    def engines(self, driver_core_cycles: int | None = None) -> list[EngineRow]:
        """Compares engines of the chip with software; `driver_core_cycles` as for `engines_of`."""
        return engines_of(self.budget, driver_core_cycles)

    @cached_property
    def cores(self) -> list[CoreRow]:
        """Hardware cores of the store beside software."""
        return cores_of(self.budget, self.core_blocks)

    @cached_property
    def gap(self) -> tuple[Number, list[GapRow]] | None:
        """The gap between two frames, and which tags are ready within it; None without a gap."""
        return gaps_of(self.budget)

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """Payloads a few bytes shorter or longer that take much less for authentication."""
        return cheaper_neighbours(self.budget, self.series)

    @cached_property
    def flips(self) -> list[Flip]:
        """Changes that make another implementation win."""
        return flips_of(self.budget, self.series)

    def ways(
        self,
        protocols: Sequence[str] = (),
        nodes: Sequence[str] = (),
        store: FirmwareStore | None = None,
    ) -> list[WhatIf]:
        """Returns the budgets of batches of readings, of other protocols and of other nodes.

        Args:
            protocols: names or files.
            nodes: names or files.
            store: as for `of`.
        """
        budgets = batches_of(self.budget, self.series)
        for name in protocols:
            other = sheet(Protocol, name)
            budget = budget_of(other, self.parts, self.question, self.series)
            budgets.append(WhatIf(f"protocol {other.id}", budget))
        for name in nodes:
            parts = assemble(name, self.parts.inputs)
            series = known_series(parts.microcontroller.core, store)
            budget = budget_of(self.protocol, parts, self.question, series)
            budgets.append(WhatIf(f"node {parts.name}", budget))
        return budgets
