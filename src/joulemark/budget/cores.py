# SPDX-License-Identifier: Apache-2.0
"""Hardware cores of the store beside software: blocks by the energy of a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from joulemark.budget.engines import PRIMITIVES, blocks_of
from joulemark.budget.inputs import Number
from joulemark.budget.plan import Budget
from joulemark.store.cores import StoredCoreReport


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """The energy of a block in a core in cells, by the newest report of the core."""

    core: str
    algorithm: str
    block_j: float
    where: str
    """Cell library and clock of the report."""


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One MAC in software, and its primitive in a core."""

    implementation: str
    core: CoreBlock
    blocks: int
    software_j: Number
    core_j: float
    """Joules of the blocks alone, without those for moving the message to the core and back."""


@runtime_checkable
class CoreStore(Protocol):
    """A store that keeps reports of cores."""

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, the newest last."""
        ...


def core_blocks(store: object) -> list[CoreBlock]:
    """Returns the energy of a block of each core in cells.

    Args:
        store: an open store; None, or a store that keeps no reports, has no cores.
    """
    if not isinstance(store, CoreStore):
        return []
    by_core: dict[str, CoreBlock] = {}
    for stored in store.core_reports():
        report = stored.report
        energy = report.figures.get("energy_per_block_j")
        if report.target == "asic" and isinstance(energy, int | float) and energy > 0:
            clock = report.settings.get("clock_hz")
            where = f"{report.settings.get('device', 'a library')} at {clock:g} Hz" if clock else ""
            by_core[report.core] = CoreBlock(report.core, report.algorithm, float(energy), where)
    return [*by_core.values()]


def cores_of(budget: Budget, cores: Sequence[CoreBlock]) -> list[CoreRow]:
    """Compares implementations whose primitive a core computes with the core that takes least."""
    rows = []
    for candidate in budget.ranking:
        primitive = PRIMITIVES.get(candidate.cycles.algorithm)
        fitting = [core for core in cores if core.algorithm == primitive]
        if fitting:
            best = min(fitting, key=lambda core: core.block_j)
            blocks, software_j = blocks_of(candidate), candidate.costs.compute_j
            core_j = blocks * best.block_j
            rows.append(CoreRow(candidate.implementation, best, blocks, software_j, core_j))
    return rows
