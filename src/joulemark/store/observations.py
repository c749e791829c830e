# SPDX-License-Identifier: Apache-2.0
"""Observations of runs: rows of trials, energy windows, and counts of simulations.

The row of a trial is made with its first observation. An energy window is kept whole, as the JSON
of its fields: traces have as many points as the meter gave. Columns beside it repeat its place in
the run, so that no window is stored twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import index
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Insert, bindparam, insert, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from joulemark.errors import StoreError
from joulemark.records import JsonObject
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from joulemark.records.sample import ClockCount, FirmwareCount
from joulemark.records.trial import Trial
from joulemark.store import (
    Base,
    Cells,
    ClockCountRow,
    EnergyWindowRow,
    FirmwareCountRow,
    TrialRow,
    rows,
)
from joulemark.store.access import Access
from joulemark.store.address import StoreAddress

_RUN_OF = select(TrialRow.run_id).where(TrialRow.id == bindparam("trial_id"))


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


Count = TypeVar("Count", ClockCount, FirmwareCount)


class ObservationAccess(Access):
    """The part of the store about observations of runs; the promises are those of `Store`."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """As `Access`."""
        super().__init__(engine, address)
        self._trial_ids: dict[tuple[int, Trial], int] = {}

    def _insert_observations(
        self,
        run_id: int,
        trial: Trial | None,
        table: type[Base],
        values: Sequence[Mapping[str, Any]],
        title: str,
    ) -> None:
        """Inserts rows about a trial, and the trial if it is new, in one transaction.

        Args:
            run_id: the run.
            trial: the trial that was observed; None for rows that belong to no trial.
            table: gets the rows.
            values: the columns of each row, without `trial_id`.
            title: subject and verb of the message that refuses the rows: `the clocks of X are`.
        """
        with self._guard():
            try:
                with self._writer.begin() as connection:
                    trial_id = None if trial is None else self._trial_id(connection, run_id, trial)
                    named = [{"trial_id": trial_id, **row} for row in values]
                    connection.execute(_insert_into(table), named)
            except IntegrityError as error:
                with self.reading(run_id):
                    pass  # A run that is not there has its own sentence.
                raise StoreError(
                    f"{title} already in run {run_id} of {self.location}; is another process going "
                    "on with the same run?"
                ) from error
            # After the transaction: had it failed, another trial would get this number.
            if trial is not None and trial_id is not None:
                self._trial_ids[run_id, trial] = trial_id

    def _trial_id(self, connection: Connection, run_id: int, trial: Trial) -> int:
        """Finds the row of a trial or makes it, in the caller's transaction; returns its number."""
        cached = self._trial_ids.get((run_id, trial))
        # Another process may have deleted the run; SQLite then gives the number to a trial of a
        # later run. This query is much quicker than a search by all columns of the trial.
        if cached is not None and connection.scalar(_RUN_OF, {"trial_id": cached}) == run_id:
            return cached
        values = {"run_id": run_id, **rows.trial_values(trial)}
        by_values = select(TrialRow.id).filter_by(**values)
        stored = connection.scalar(by_values)
        if stored is not None:
            return stored
        if self._address.on_server:
            # Another process may make the same trial now; the insertion waits for its end.
            insertion = postgresql.insert(TrialRow).values(**values).on_conflict_do_nothing()
            return (
                connection.scalar(insertion.returning(TrialRow.id))
                or connection.scalars(by_values).one()
            )
        return inserted_number(connection, insert(TrialRow).values(**values))

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

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """Store what a simulation counted, in a separate transaction."""
        self._insert_observations(
            run_id,
            trial,
            ClockCountRow,
            [rows.counter_values(count)],
            f"the clocks of {trial.implementation} at {trial.workload.size_bytes} bytes are",
        )

    def clock_counts(self, run_id: int) -> dict[Trial, ClockCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, ClockCountRow, rows.clock_count_of)

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """Store the count of a trial, in a separate transaction."""
        self._insert_observations(
            run_id,
            trial,
            FirmwareCountRow,
            [count.as_dict()],
            f"the core cycles of {trial.implementation} on {trial.target} at "
            f"{trial.workload.size_bytes} bytes are",
        )

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, FirmwareCountRow, _firmware_count_of)

    def _counts(
        self,
        run_id: int,
        table: type[ClockCountRow | FirmwareCountRow],
        read: Callable[[Any], Count],
    ) -> dict[Trial, Count]:
        """Reads the counts of a table that has at most one row for each trial.

        Trials stand in the order in which they were first simulated.
        """
        query = (
            select(TrialRow, table)
            .join(table, table.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .order_by(TrialRow.id)
        )
        with self.reading(run_id) as session:
            return {rows.trial_of(row): read(count) for row, count in session.execute(query)}


@cache
def _insert_into(table: type[Base]) -> Insert:
    """The statement for a table, made once, so that SQLAlchemy knows it again quickly."""
    return insert(table)


def inserted_number(connection: Connection, statement: Any) -> int:
    """Inserts one row; returns the number that it got."""
    key = connection.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])


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


def window_values(window: EnergyWindow) -> JsonObject:
    """Columns of a window."""
    fields = window_as_json(window)
    names = ("kind", "round_index", "position", "attempt", "generation")
    return {**{name: fields[name] for name in names}, "window": fields}


def window_as_json(window: EnergyWindow) -> JsonObject:
    """Converts all fields of a window to JSON values."""
    fields: JsonObject = _whole(window.as_dict())
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


def _firmware_count_of(row: FirmwareCountRow) -> FirmwareCount:
    """Read a count."""
    cells = Cells(row, "firmware_count", "trial_id")
    evidence = cells.text("evidence")
    if evidence not in ("simulated", "modelled"):
        raise cells.damaged("evidence", "it is neither simulated nor modelled")
    return FirmwareCount(
        core_cycles=cells.whole("core_cycles", least=1),
        instructions=cells.whole("instructions", least=1),
        key_core_cycles=cells.optional(cells.whole, "key_core_cycles"),
        code_bytes=cells.whole("code_bytes"),
        constant_bytes=cells.whole("constant_bytes"),
        static_ram_bytes=cells.whole("static_ram_bytes"),
        state_bytes=cells.optional(cells.whole, "state_bytes"),
        stack_bytes=cells.whole("stack_bytes"),
        evidence=evidence,
        compiler=cells.text("compiler"),
        flags=cells.text("flags"),
        simulator=cells.text("simulator"),
    )
