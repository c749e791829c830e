# SPDX-License-Identifier: Apache-2.0
"""Rows of trials, made with a trial's first observation, and rows of observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, Insert, bindparam, insert, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from joulemark.errors import StoreError
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.access import Access
from joulemark.store.database.address import StoreAddress
from joulemark.store.models import Base, TrialRow

_RUN_OF = select(TrialRow.run_id).where(TrialRow.id == bindparam("trial_id"))


class TrialAccess(Access):
    """The part of the store about trials; the promises are those of `Store`."""

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


@cache
def _insert_into(table: type[Base]) -> Insert:
    """The statement for a table, made once, so that SQLAlchemy knows it again quickly."""
    return insert(table)


def inserted_number(connection: Connection, statement: Any) -> int:
    """Inserts one row; returns the number that it got."""
    key = connection.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])
