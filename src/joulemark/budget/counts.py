# SPDX-License-Identifier: Apache-2.0
"""Core cycles on a core: from the store where firmware was run, else from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from joulemark.budget.cycles import Series, series_of_sheet
from joulemark.catalogue.planning.core_cycles import CoreCycles
from joulemark.catalogue.planning.shelf import names, sheet
from joulemark.records.evidence import Evidence
from joulemark.records.firmware import FirmwareCount
from joulemark.records.trial import KeySetup, Trial

__all__ = ["FirmwareStore", "known_series", "shipped_cores", "shipped_series", "stored_series",
           "target_of"]  # fmt: skip


class NumberedRun(Protocol):
    """A run of a store, of which the number alone is needed here."""

    @property
    def id(self) -> int: ...


class FirmwareStore(Protocol):
    """A store that keeps counts of firmware."""

    def runs(self) -> Sequence[NumberedRun]:
        """Every run, oldest first."""
        ...

    def firmware_counts(self, run_id: int) -> Mapping[Trial, FirmwareCount]:
        """The counts of a run by trial."""
        ...


def target_of(core: str) -> str:
    """Returns the target of `joulemark bench` that runs firmware on a core."""
    return f"mcu:{core}"


def stored_series(store: FirmwareStore, core: str) -> list[Series]:
    """Returns the counts of a core from the newest runs, a series for each implementation.

    Args:
        store: the store that is read.
        core: the name of a target without `mcu:`.
    """
    spread = sheet(CoreCycles, core).spread if core in names(CoreCycles) else 0.0
    by_name: dict[str, dict[int, tuple[int, FirmwareCount]]] = {}
    for run in store.runs():
        for trial, count in store.firmware_counts(run.id).items():
            workload = trial.workload
            if trial.target == target_of(core) and workload.key_setup is KeySetup.KEPT:
                by_size = by_name.setdefault(trial.implementation, {})
                by_size[workload.size_bytes] = (run.id, count)
    return [_series(name, by_size, spread) for name, by_size in sorted(by_name.items())]


def _series(name: str, by_size: Mapping[int, tuple[int, FirmwareCount]], spread: float) -> Series:
    run, newest = max(by_size.values(), key=lambda run_and_count: run_and_count[0])
    return Series(
        implementation=name,
        counts={size: count.core_cycles for size, (_, count) in by_size.items()},
        step_core_cycles=None,
        evidence=Evidence(newest.evidence),
        source=f"run {run} of the store: {newest.simulator}, {newest.compiler}",
        spread=spread,
        key_core_cycles=newest.key_core_cycles,
        key_state_bytes=newest.state_bytes,
        run=run,
    )


def known_series(core: str, store: FirmwareStore | None = None) -> list[Series]:
    """Returns all counts that are known of a core.

    The catalogue fills what the store lacks: an implementation without counts in the store has the
    shipped ones, and an implementation with counts has the shipped ones for lengths that its own do
    not tell.

    Args:
        core: the name of a file in `catalogue/core_cycles`, or of a target without `mcu:`.
        store: an open store, or None.
    """
    shipped = {series.implementation: series for series in shipped_series(core)}
    stored = stored_series(store, core) if store is not None else []
    filled = [replace(series, shipped=shipped.pop(series.implementation, None))
              for series in stored]  # fmt: skip
    return [*filled, *shipped.values()]


def shipped_cores() -> Sequence[str]:
    """Returns the cores that the catalogue has counts of."""
    return names(CoreCycles)


def shipped_series(core: str) -> list[Series]:
    """Returns the counts of the catalogue; none for a core that the catalogue lacks."""
    return series_of_sheet(sheet(CoreCycles, core)) if core in names(CoreCycles) else []
