# SPDX-License-Identifier: Apache-2.0
"""The rows of trials: made with a trial's first observation, found again for each later one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, bindparam, insert, select
from sqlalchemy.dialects import postgresql

from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.access import Access
from joulemark.store.address import StoreAddress
from joulemark.store.models import TrialRow

__all__ = ["TrialAccess"]

_RUN_OF = select(TrialRow.run_id).where(TrialRow.id == bindparam("trial_id"))


class TrialAccess(Access):
    """A database that is open, and the numbers of the trials that were observed in it."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """For `open` alone."""
        super().__init__(engine, address)
        self._trial_ids: dict[tuple[int, Trial], int] = {}

    @contextmanager
    def _writing_of(
        self, run_id: int, trial: Trial | None
    ) -> Iterator[tuple[Connection, int | None]]:
        """One transaction about a trial, with the trial's number, or None for no trial.

        The caller holds the guard. The number is kept once the transaction is committed, and only
        then: had it failed, the trial would not exist, and another one would get its number.
        """
        with self._writer.begin() as connection:
            trial_id = None if trial is None else self._trial_id(connection, run_id, trial)
            yield connection, trial_id
        if trial is not None and trial_id is not None:
            self._trial_ids[run_id, trial] = trial_id

    def _trial_id(self, connection: Connection, run_id: int, trial: Trial) -> int:
        """Find or make the trial, in the caller's transaction."""
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
        key = connection.execute(insert(TrialRow).values(**values)).inserted_primary_key
        assert key is not None
        return int(key[0])
