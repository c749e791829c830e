# SPDX-License-Identifier: Apache-2.0
"""Hardware cores of the store beside software: blocks by the energy of a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from joulemark.budget.engines import PRIMITIVES, blocks_of
from joulemark.budget.inputs import Number
from joulemark.budget.plan import Budget
from joulemark.store.cores import StoredCoreReport

__all__ = ["CoreBlock", "CoreRow", "CoreStore", "core_blocks", "cores_of"]


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """A core in cells, by its newest report."""

    core: str
    algorithm: str
    block_j: float
    where: str
    """Library and clock."""


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One MAC in software, and its primitive in a core."""

    implementation: str
    core: CoreBlock
    blocks: int
    software_j: Number
    core_j: float
    """Blocks alone: moving the message to the core and back is not in it."""


@runtime_checkable
class CoreStore(Protocol):
    """A store that keeps reports of cores."""

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, in the order they were added."""
        ...


def core_blocks(store: object) -> list[CoreBlock]:
    """Cores with the energy of a block, in cells, each by its newest report.

    Args:
        store: an open store; one that keeps no reports, or None, has none.
    """
    if not isinstance(store, CoreStore):
        return []
    found: dict[str, CoreBlock] = {}
    for stored in store.core_reports():
        report = stored.report
        energy = report.figures.get("energy_per_block_j")
        if report.target == "asic" and isinstance(energy, int | float) and energy > 0:
            clock = report.settings.get("clock_hz")
            where = f"{report.settings.get('device', 'a library')} at {clock:g} Hz" if clock else ""
            found[report.core] = CoreBlock(report.core, report.algorithm, float(energy), where)
    return [*found.values()]


def cores_of(budget: Budget, cores: list[CoreBlock]) -> list[CoreRow]:
    """Implementations of the ranking whose primitive a core computes, each with the best core."""
    rows = []
    for candidate in budget.ranking:
        primitive = PRIMITIVES.get(candidate.cycles.algorithm)
        fitting = [core for core in cores if core.algorithm == primitive]
        if fitting:
            best = min(fitting, key=lambda core: core.block_j)
            blocks = blocks_of(candidate)
            rows.append(
                CoreRow(
                    candidate.implementation,
                    best,
                    blocks,
                    candidate.costs.compute_j,
                    blocks * best.block_j,
                )
            )
    return rows
