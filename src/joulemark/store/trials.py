# SPDX-License-Identifier: Apache-2.0
"""Rows of trials, made with a trial's first observation, and the counts that belong to trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, bindparam, insert, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from joulemark.errors import StoreError
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.access import Access
from joulemark.store.database.address import StoreAddress
from joulemark.store.models import ClockCountRow, FirmwareCountRow, TrialRow

__all__ = ["TrialAccess", "inserted_number"]

_RUN_OF = select(TrialRow.run_id).where(TrialRow.id == bindparam("trial_id"))

Count = TypeVar("Count")


class TrialAccess(Access):
    """The part of the store about trials; the promises are those of `Store`."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """As `Access`."""
        super().__init__(engine, address)
        self._trial_ids: dict[tuple[int, Trial], int] = {}

    def _insert_observations(
        self, run_id: int, trial: Trial | None, statement: Any,
        rows_of_trial: Sequence[Mapping[str, Any]], title: str,
    ) -> None:  # fmt: skip
        """Inserts rows about a trial, and the trial if it is new, in one transaction.

        Args:
            run_id: the run.
            trial: what was observed; None for an observation that belongs to no trial.
            statement: inserts the rows.
            rows_of_trial: their columns without `trial_id`.
            title: what they are, for the sentence that refuses them, as `the clocks of X are`.

        Raises:
            StoreError: among others, the run has such rows already.
        """
        with self._guard():
            try:
                with self._writer.begin() as connection:
                    trial_id = None if trial is None else self._trial_id(connection, run_id, trial)
                    named = [{"trial_id": trial_id, **row} for row in rows_of_trial]
                    connection.execute(statement, named)
            except IntegrityError as error:
                with self.reading(run_id):
                    pass  # A run that is not there has its own sentence.
                raise StoreError(
                    f"{title} already in run {run_id} of {self.location}; is another process going "
                    "on with the same run?"
                ) from error
            # Only now: had the transaction failed, another trial would get this number.
            if trial is not None and trial_id is not None:
                self._trial_ids[run_id, trial] = trial_id

    def _counts(
        self,
        run_id: int,
        table: type[ClockCountRow | FirmwareCountRow],
        read: Callable[[Any], Count],
    ) -> dict[Trial, Count]:
        """What `read` makes of the rows of a table that has at most one for each trial.

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

    def _trial_id(self, connection: Connection, run_id: int, trial: Trial) -> int:
        """Finds the row of a trial or makes it, in the caller's transaction; returns its number."""
        known = self._trial_ids.get((run_id, trial))
        # Another process may have deleted the run; SQLite then gives the number to a trial of a
        # later one. Asking is much quicker than finding the trial by all its columns.
        if known is not None and connection.scalar(_RUN_OF, {"trial_id": known}) == run_id:
            return known
        values = {"run_id": run_id, **rows.trial_values(trial)}
        by_values = select(TrialRow.id).filter_by(**values)
        found = connection.scalar(by_values)
        if found is not None:
            return found
        if self._address.on_server:
            # Another process may make the same trial now, for whose end this waits.
            made = postgresql.insert(TrialRow).values(**values).on_conflict_do_nothing()
            return (
                connection.scalar(made.returning(TrialRow.id))
                or connection.scalars(by_values).one()
            )
        return inserted_number(connection, insert(TrialRow).values(**values))


def inserted_number(connection: Connection, statement: Any) -> int:
    """Inserts one row; returns the number that it got."""
    key = connection.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])
