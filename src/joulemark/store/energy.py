# SPDX-License-Identifier: Apache-2.0
"""The meter of a run, and every energy window that was taken, the void windows too.

A window is kept whole, as the JSON of its fields: traces have as many points as the meter gave.
Columns beside it repeat its place in the run, so that no window is stored twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

from sqlalchemy import select

from joulemark.errors import StoreError
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.database.cells import Cells
from joulemark.store.models import EnergyWindowRow, TrialRow
from joulemark.store.trials import TrialAccess

_INSTRUMENT = ("meter", "evidence", "method", "domains", "headline")
"""Fields of `MeterRecord` that say what a stored count means."""


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """One window as stored."""

    trial: Trial | None
    """None for a baseline, which belongs to the whole round."""
    window: EnergyWindow
    void: str | None
    """Why the window was taken again; None if it was accepted."""


class EnergyAccess(TrialAccess):
    """The part of the store about energy; the promises are those of `Store`."""

    def set_meter(self, run_id: int, meter: MeterRecord) -> None:
        """Record what is metered in a run and how; a later record replaces it."""
        values = rows.plain(meter.as_dict())
        with self._changing() as session:
            row = self._require_run(session, run_id, for_update=True)
            if row.meter is not None:
                recorded = Cells(row, "run").json("meter")
                changed = [name for name in _INSTRUMENT if values[name] != recorded.get(name)]
                taken = select(EnergyWindowRow.id).where(EnergyWindowRow.run_id == run_id)
                if changed and session.scalars(taken.limit(1)).first() is not None:
                    raise StoreError(
                        f"the meter is no longer what run {run_id} in {self.location} was metered "
                        f"with (changed: {', '.join(changed)}); start a new run instead of going "
                        "on with this one"
                    )
            row.meter = values

    def meter(self, run_id: int) -> MeterRecord | None:
        """The record of the meter of a run; None if nothing was metered."""
        with self.reading() as session:
            row = self._require_run(session, run_id)
            return None if row.meter is None else Cells(row, "run").record(MeterRecord, "meter")

    def add_energy_window(
        self, run_id: int, trial: Trial | None, window: EnergyWindow, void: str | None = None
    ) -> None:
        """Store one window in a separate transaction; when this returns, it is safe.

        Args:
            run_id: of a run whose meter is recorded by `set_meter`.
            trial: what was done in the window; None for a baseline.
            window: accepted or void.
            void: why the window is void and is taken again; None if it is accepted.
        """
        self._insert_observations(
            run_id,
            trial,
            EnergyWindowRow,
            [{"run_id": run_id, "void": void, **window_values(window)}],
            f"attempt {window.attempt} at place {window.position} of round {window.round_index} is",
        )

    def energy_windows(self, run_id: int) -> list[StoredWindow]:
        """Every window of a run, the void ones too, in the order they were added."""
        trials = select(TrialRow).where(TrialRow.run_id == run_id)
        query = (
            select(EnergyWindowRow)
            .where(EnergyWindowRow.run_id == run_id)
            .order_by(EnergyWindowRow.id)
        )
        with self.reading(run_id) as session:
            by_id = {row.id: rows.trial_of(row) for row in session.scalars(trials)}
            return [_window_of(row, by_id) for row in session.scalars(query)]


def _window_of(row: EnergyWindowRow, trials: Mapping[int, Trial]) -> StoredWindow:
    cells = Cells(row, "energy_window")
    number = cells.optional(cells.whole, "trial_id")
    if number is not None and number not in trials:
        raise cells.damaged("trial_id", f"its run has no trial {number}")
    window = cells.record(EnergyWindow, "window")
    # A window that its meter ended at once has neither messages nor time.
    if window.messages < 0 or window.messages > 0 >= window.wall_ns:
        raise cells.damaged("window", "messages without time")
    trial = None if number is None else trials[number]
    return StoredWindow(trial, window, cells.optional(cells.text, "void"))


def window_values(window: EnergyWindow) -> dict[str, Any]:
    """Columns of a window."""
    fields = window_as_json(window)
    names = ("kind", "round_index", "position", "attempt", "generation")
    return {**{name: fields[name] for name in names}, "window": fields}


def window_as_json(window: EnergyWindow) -> dict[str, Any]:
    """Converts all fields of a window to JSON values."""
    fields: dict[str, Any] = _whole(window.as_dict())
    return fields


def _whole(value: Any) -> Any:
    """Converts a value to JSON values; its numbers may be NumPy's, and each must be whole.

    Python's JSON keeps every bit of a whole number; a float above 2^53 has lost some.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _whole(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return index(value)
