# SPDX-License-Identifier: Apache-2.0
"""Core cycles on a core: from the store where firmware was run, else from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from joulemark.budget.cycles import Series, series_of_sheet
from joulemark.catalogue.planning.core_cycles import CoreCycles
from joulemark.catalogue.planning.shelf import names, sheet
from joulemark.records.evidence import Evidence
from joulemark.records.trial import KeySetup, Trial

__all__ = ["FirmwareStore", "known_series", "shipped_cores", "shipped_series", "stored_series",
           "target_of"]  # fmt: skip

_USUAL_SPREAD: Final = 0.0


class CountedMessage(Protocol):
    """What a simulation of firmware counted for one trial (`records/firmware.py`)."""

    @property
    def core_cycles(self) -> int: ...
    @property
    def key_core_cycles(self) -> int | None: ...
    @property
    def state_bytes(self) -> int | None: ...
    @property
    def evidence(self) -> str: ...
    @property
    def compiler(self) -> str: ...
    @property
    def simulator(self) -> str: ...


class NumberedRun(Protocol):
    """A run as far as it is needed here."""

    @property
    def id(self) -> int: ...


class FirmwareStore(Protocol):
    """A store that keeps counts of firmware."""

    def runs(self) -> Sequence[NumberedRun]:
        """Every run, oldest first."""
        ...

    def firmware_counts(self, run_id: int) -> Mapping[Trial, CountedMessage]:
        """What was counted, by trial."""
        ...


def target_of(core: str) -> str:
    """The target of `joulemark bench` that runs firmware on a core."""
    return f"mcu:{core}"


def stored_series(store: FirmwareStore, core: str) -> list[Series]:
    """Counts of the newest runs with this core, an entry for each implementation.

    Args:
        store: which is read.
        core: the name of a target without `mcu:`.
    """
    spread = sheet(CoreCycles, core).spread if core in names(CoreCycles) else _USUAL_SPREAD
    found: dict[str, dict[int, tuple[int, CountedMessage]]] = {}
    for run in store.runs():
        for trial, count in store.firmware_counts(run.id).items():
            workload = trial.workload
            if trial.target != target_of(core) or workload.key_setup is not KeySetup.KEPT:
                continue
            found.setdefault(trial.implementation, {})[workload.size_bytes] = (run.id, count)
    return [_series(name, by_size, spread) for name, by_size in sorted(found.items())]


def _series(name: str, by_size: Mapping[int, tuple[int, CountedMessage]], spread: float) -> Series:
    run, newest = max(by_size.values(), key=lambda size_and_count: size_and_count[0])
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
    """All that is known of a core.

    Counts of an algorithm in the store take the place of those that are shipped; published counts
    are of other people's code and stay beside them.

    Args:
        core: the name of a file in `catalogue/core_cycles`, or of a target without `mcu:`.
        store: an open store, or None.
    """
    stored = stored_series(store, core) if store is not None else []
    there = {series.algorithm for series in stored}
    return stored + [
        series for series in shipped_series(core)
        if series.algorithm not in there or series.evidence is Evidence.PUBLISHED
    ]  # fmt: skip


def shipped_cores() -> Sequence[str]:
    """Cores that the catalogue has counts of."""
    return names(CoreCycles)


def shipped_series(core: str) -> list[Series]:
    """Counts of the catalogue; none for a core that it lacks."""
    return series_of_sheet(sheet(CoreCycles, core)) if core in names(CoreCycles) else []
