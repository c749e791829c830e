# SPDX-License-Identifier: Apache-2.0
"""A planner's questions from Python: names or files in, every view's figures out.

planner = Planner.of("tinysec_auth", "mica2", Question(payload_bytes=24, period_s=10))
print(planner.budget.best.implementation, planner.budget.years(planner.budget.best.packet_j))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from joulemark.budget.changes import Flip, WhatIf, batches_of, flips_of, what_if
from joulemark.budget.cores import CoreBlock, CoreRow, core_blocks, cores_of
from joulemark.budget.counts import FirmwareStore, known_series
from joulemark.budget.cycles import Series
from joulemark.budget.engines import EngineRow, GapRow, engines_of, gaps_of
from joulemark.budget.exchange import Exchange, exchange_of
from joulemark.budget.inputs import Inputs, Number
from joulemark.budget.key_states import KeyState, key_states_of
from joulemark.budget.parts import Parts, assembled
from joulemark.budget.plan import Budget, PayloadError, Question, budget_of
from joulemark.budget.staircase import Crossing, Staircase, crossings, staircase_of
from joulemark.budget.tags import TagLength, tags_of
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.catalogue.planning.shelf import sheet, sheet_path
from joulemark.errors import UsageError
from joulemark.foreign.toml import line_of, read_text

__all__ = ["Planner"]

_PAIRS = 3
"""Runners-up that the winner is compared with, where no pair is named."""


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
        cls, protocol: str, node: str, question: Question, *, store: FirmwareStore | None = None,
        microcontroller: str | None = None, radio: str | None = None, battery: str | None = None,
        mode: str | None = None,
    ) -> Planner:  # fmt: skip
        """A planner with parts by name.

        Args:
            protocol: a name of the catalogue, or a path that ends with `.toml`; and so below.
            node: microcontroller, radio and battery together.
            question: what the node does.
            store: an open store, whose counts of firmware come before those that are shipped.
            microcontroller: in place of the node's; and so below.
            radio: of the node.
            battery: of the node.
            mode: of the microcontroller.

        Raises:
            UsageError: a name is unknown, or a file is wrong.
        """
        parts = assembled(
            node, Inputs(), microcontroller=microcontroller, radio=radio, battery=battery, mode=mode
        )
        series = tuple(known_series(parts.microcontroller.core, store))
        cores = tuple(core_blocks(store))
        return cls(sheet(Protocol, protocol), protocol, parts, question, series, cores)

    @cached_property
    def budget(self) -> Budget:
        """The answer.

        Raises:
            UsageError: the payload or the tag does not fit; the message names file, line and key.
        """
        try:
            return budget_of(self.protocol, self.parts, self.question, self.series)
        except PayloadError as error:
            raise UsageError(f"{self._limit_place}: {error}") from None

    @property
    def _limit_place(self) -> str:
        """File, line and key of the limit of the payload."""
        path = sheet_path(Protocol, self.protocol_name)
        text = read_text(path)
        for key in ("payload_limit", "frame_limit", "tag"):
            line = line_of(text, (key,))
            if line is not None and getattr(self.protocol, key) is not None:
                return f"{path.name}, line {line}, {key}"
        return path.name

    @cached_property
    def staircase(self) -> list[Staircase]:
        """Of every implementation."""
        return staircase_of(self.protocol, self.parts, self.question, self.series)

    def cheapest_stairs(self, most: int) -> list[Staircase]:
        """Of the cheapest implementations that the question takes, in their order.

        The staircases of all take a second.

        Args:
            most: how many.
        """
        ranked = [contender.implementation for contender in self.budget.contenders[:most]]
        used = [series for series in self.series if any(series.serves(name) for name in ranked)]
        found = staircase_of(self.protocol, self.parts, self.question, used)
        by_name = {staircase.implementation: staircase for staircase in found}
        return [by_name[name] for name in ranked]

    def crossings_of(self, pair: Sequence[str] = ()) -> list[tuple[str, str, Sequence[Crossing]]]:
        """Payloads at which the cheaper of two changes.

        Args:
            pair: two algorithms or implementations; the winner and the next ones unless given.

        Raises:
            UsageError: one of the pair has no staircase.
        """
        by_name = {staircase.implementation: staircase for staircase in self.staircase}
        if pair:
            names = [self._named(name, by_name) for name in pair]
            return [(names[0], names[1], crossings(by_name[names[0]], by_name[names[1]]))]
        ranked = [candidate.implementation for candidate in self.budget.ranking]
        best = self.budget.best
        if best is None:
            return []
        others = [name for name in ranked if name != best.implementation and name in by_name]
        first = best.implementation
        return [(first, name, crossings(by_name[first], by_name[name])) for name in others[:_PAIRS]]

    def _named(self, wanted: str, known: dict[str, Staircase]) -> str:
        found = [name for name in known if wanted in {name, name.partition("/")[0]}]
        if not found:
            raise UsageError(
                f"there is no staircase of '{wanted}' here (there are {', '.join(known)})"
            )
        return found[0]

    @cached_property
    def tags(self) -> list[TagLength]:
        """Of usual lengths."""
        return tags_of(self.budget)

    @cached_property
    def exchange(self) -> Exchange:
        """Core cycles for a byte."""
        return exchange_of(self.budget)

    @cached_property
    def key_states(self) -> list[KeyState]:
        """Kept or made again."""
        return key_states_of(self.budget)

    def engines(self, driver_core_cycles: int | None = None) -> list[EngineRow]:
        """Engine or software."""
        return engines_of(self.budget, driver_core_cycles)

    @cached_property
    def cores(self) -> list[CoreRow]:
        """Hardware core of the store or software."""
        return cores_of(self.budget, [*self.core_blocks])

    @cached_property
    def gap(self) -> tuple[Number, list[GapRow]] | None:
        """Whether tags are ready between two frames."""
        return gaps_of(self.budget)

    @cached_property
    def flips(self) -> list[Flip]:
        """What would change the winner."""
        return flips_of(self.budget, self.series)

    def ways(
        self,
        protocols: Sequence[str] = (),
        nodes: Sequence[str] = (),
        store: FirmwareStore | None = None,
    ) -> list[WhatIf]:
        """Batches of readings, other protocols, other nodes.

        Args:
            protocols: names or files.
            nodes: names or files.
            store: as for `of`.

        Raises:
            UsageError: a name is unknown, or a packet does not fit.
        """
        found = batches_of(self.budget, self.series)
        for name in protocols:
            other = sheet(Protocol, name)
            found.append(
                what_if(f"protocol {other.id}", other, self.parts, self.question, self.series)
            )
        for name in nodes:
            parts = assembled(name, self.parts.inputs)
            series = known_series(parts.microcontroller.core, store)
            found.append(what_if(f"node {parts.name}", self.protocol, parts, self.question, series))
        return found
