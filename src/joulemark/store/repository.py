# SPDX-License-Identifier: Apache-2.0
"""The store: every raw sample with the run, implementation and environment it stands on.

The classes below `Store` keep the observations of runs (`observations`), and what belongs to no run
(`beside_runs`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Text, cast, delete, func, select, tuple_, update

from joulemark.errors import StoreError
from joulemark.foreign import visible_values
from joulemark.records import Failure, ImplementationFacts, JsonObject
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.store import (
    Cells,
    ClockCountRow,
    FailureRow,
    FirmwareCountRow,
    ImplementationRow,
    PublishedRow,
    RunRow,
    SampleRow,
    TrialRow,
    rows,
)
from joulemark.store.beside_runs import BesideRunsAccess
from joulemark.store.rows import RunRecord

__all__ = ["RunRecord", "Store"]

_T = TypeVar("_T")
_SAMPLE_COLUMNS = [SampleRow.__table__.c[name] for name in rows.SAMPLE_FIELDS]
_NEWEST_FIRST = [column.desc() for column in rows.IN_TIME(RunRow)]


class Store(BesideRunsAccess):
    """Runs with all they observed, reports of cores, and sessions, in an SQLite file or PostgreSQL.

    Durability: each call that writes is one transaction. When it has returned, what it wrote
    survives the death of this process by any signal; after a power cut the last few samples may be
    missing, and the file is whole. A call that raised has written nothing.

    Threads: a store may be shared; calls run one after the other. A store does not survive `fork`:
    open another one in the child.

    Processes: several may write to one store. On SQLite a write waits up to `patience_s` for
    another's, which takes well under a millisecond, then raises StoreError. PostgreSQL lets them
    write side by side.

    Ownership: the caller closes the store, by `close` or by leaving its `with` block. Records that
    come out are the caller's; mappings that go in are copied.

    Errors: trouble with the database is a StoreError of one sentence. Nothing is ever deleted,
    repaired or overwritten because of an error. A run that does not exist is a StoreError too.
    """

    def begin_run(
        self,
        *,
        study: Mapping[str, Any],
        study_digest: str,
        seed: int,
        rounds: int,
        environment: Mapping[str, Any],
        joulemark_version: str,
        number: int | None = None,
    ) -> int:
        """Record a new, unfinished run and return its number.

        Args:
            study: the study, as JSON values.
            study_digest: equal for equal studies; finds a run to go on with.
            seed: of the order of trials, below 2^63.
            rounds: number of rounds that the run is meant to have.
            environment: `Environment.as_dict()`.
            joulemark_version: of the program that measures.
            number: of the run, which no run of the store may have; the next free one unless given.
        """
        row = RunRow(
            id=number,
            study=rows.plain(study),
            study_digest=study_digest,
            seed=seed,
            rounds=rounds,
            environment=rows.plain(environment),
            started_at=datetime.now(UTC),
            joulemark_version=joulemark_version,
        )
        with self._changing() as session:
            session.add(row)
            session.flush()
            return row.id

    def resumable_run(
        self, study_digest: str, environment_identity: Mapping[str, Any]
    ) -> RunRecord | None:
        """The newest unfinished run of this study in this environment, if there is one.

        Args:
            study_digest: as given to `begin_run`.
            environment_identity: keys and values that its environment must have; a key that the
                stored environment lacks does not agree, a stored None agrees with None. The digest
                of a machine agrees with None too.
        """
        wanted = rows.plain(environment_identity)
        query = (
            select(RunRow)
            .where(RunRow.study_digest == study_digest, RunRow.finished_at.is_(None))
            .order_by(*_NEWEST_FIRST)
        )
        with self.reading() as session:
            for row in session.scalars(query):
                record = rows.run_record_of(row)
                if rows.agrees(record.environment, wanted):
                    return record
        return None

    def add_implementation(self, run_id: int, facts: ImplementationFacts) -> None:
        """Record the facts of an implementation; the same facts again change nothing.

        Raises:
            StoreError: the run holds samples, clocks or energy windows of the implementation under
                other facts, as after a rebuild of its library: the two must not be mixed.
        """
        values = rows.plain(facts.as_dict())
        name = facts.implementation
        with self._changing() as session:
            self._require_run(session, run_id, for_update=True)
            row = session.get(ImplementationRow, (run_id, name))
            if row is None:
                session.add(ImplementationRow(run_id=run_id, id=name, facts=values))
            elif Cells(row, "implementation").json("facts") != visible_values(values):
                measured = select(TrialRow.id).where(
                    TrialRow.run_id == run_id, TrialRow.implementation == name
                )
                if session.scalars(measured.limit(1)).first() is not None:
                    changed = ", ".join(
                        sorted(key for key in values if values[key] != row.facts.get(key))
                    )
                    raise StoreError(
                        f"{name} is no longer what run {run_id} in {self.location} measured "
                        f"(changed: {changed}); start a new run instead of going on with this one"
                    )
                row.facts = values

    def implementations(self, run_id: int) -> dict[str, ImplementationFacts]:
        """Facts by implementation, in alphabetical order."""
        query = select(ImplementationRow).where(ImplementationRow.run_id == run_id)
        with self.reading(run_id) as session:
            ordered = session.scalars(query.order_by(ImplementationRow.id))
            return {row.id: rows.implementation_of(row) for row in ordered}

    def add_samples(self, run_id: int, trial: Trial, samples: Sequence[RawSample]) -> None:
        """Store the samples of one visit in one transaction; when this returns, they are safe.

        Args:
            run_id: the run.
            trial: the trial that was visited.
            samples: of one round, at least one.

        Raises:
            StoreError: among others, the trial already has samples of that round.
        """
        self._insert_observations(
            run_id,
            trial,
            SampleRow,
            [rows.counter_values(sample) for sample in samples],
            f"round {samples[0].round_index} of {trial.implementation} at "
            f"{trial.workload.size_bytes} bytes is",
        )

    def samples(self, run_id: int) -> dict[Trial, list[RawSample]]:
        """Every sample by trial: trials in the order of their first sample, samples by round.

        A trial that has only energy windows stands there with an empty list. A trial whose clocks
        were counted is absent: it has no samples and never will.
        """
        counted = select(ClockCountRow.trial_id).union_all(select(FirmwareCountRow.trial_id))
        trials = (
            select(TrialRow)
            .where(TrialRow.run_id == run_id, TrialRow.id.not_in(counted))
            .order_by(TrialRow.id)
        )
        query = (
            select(SampleRow.trial_id, *_SAMPLE_COLUMNS)
            .join(TrialRow, TrialRow.id == SampleRow.trial_id)
            .where(TrialRow.run_id == run_id)
            .order_by(SampleRow.trial_id, SampleRow.round_index, SampleRow.window_index)
        )
        with self.reading(run_id) as session:
            by_id: dict[int, list[RawSample]] = {}
            by_trial: dict[Trial, list[RawSample]] = {}
            for row in session.scalars(trials):
                by_trial[rows.trial_of(row)] = by_id[row.id] = []
            for trial_id, *values in session.execute(query):
                # A trial of counted clocks has no samples, unless somebody put them there.
                if trial_id in by_id:
                    by_id[trial_id].append(rows.sample_of(trial_id, values))
            return by_trial

    def sample_counts(self, run_id: int) -> dict[Trial, int]:
        """Number of samples of each trial; trials without samples are absent."""
        query = (
            select(TrialRow, func.count())
            .join(SampleRow, SampleRow.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .group_by(TrialRow.id)
            .order_by(TrialRow.id)
        )
        with self.reading(run_id) as session:
            return {rows.trial_of(row): count for row, count in session.execute(query)}

    def add_failure(self, run_id: int, failure: Failure) -> None:
        """Record that an implementation, or one size of it, has no figure."""
        row = FailureRow(run_id=run_id, **rows.failure_values(failure))
        with self._changing() as session:
            self._require_run(session, run_id)
            session.add(row)

    def failures(self, run_id: int) -> list[Failure]:
        """Failures in the order they were recorded."""
        query = select(FailureRow).where(FailureRow.run_id == run_id).order_by(FailureRow.id)
        with self.reading(run_id) as session:
            return [rows.failure_of(row) for row in session.scalars(query)]

    def clear_failures(self, run_id: int) -> None:
        """Forget the failures of a run, so that going on with it tries them again."""
        with self._changing() as session:
            self._require_run(session, run_id)
            session.execute(delete(FailureRow).where(FailureRow.run_id == run_id))

    def set_loop_cost(self, run_id: int, loop: Mapping[str, Any]) -> None:
        """Record the harness's own cost; a later record replaces it."""
        self._update_run(run_id, loop=rows.plain(loop))

    def set_conditions(self, run_id: int, conditions: Mapping[str, Any]) -> None:
        """Record under which conditions a run begins or goes on; later ones replace them."""
        self._update_run(run_id, conditions=rows.plain(conditions))

    def finish_run(self, run_id: int) -> None:
        """Mark a run as complete now, so that no command goes on with it."""
        self._update_run(run_id, finished_at=datetime.now(UTC))

    def published(self, run_id: int) -> JsonObject | None:
        """Results of a run that came in a file without their samples; None if it has none.

        They have the form that `joulemark export` writes.
        """
        with self.reading(run_id) as session:
            row = session.get(PublishedRow, run_id)
            return None if row is None else Cells(row, "published", "run_id").json("results")

    def runs(self) -> list[RunRecord]:
        """Every run, the one begun first at the front."""
        with self.reading() as session:
            records = [rows.run_record_of(row) for row in session.scalars(select(RunRow))]
        return sorted(records, key=rows.IN_TIME)

    def run(self, run_id: int) -> RunRecord:
        """One run by its number.

        Raises:
            StoreError: there is no run of that number.
        """
        with self.reading() as session:
            return rows.run_record_of(self._require_run(session, run_id))

    def latest_run(self) -> RunRecord | None:
        """The run begun last, finished or not; None in an empty store."""
        last = select(RunRow.id).order_by(*_NEWEST_FIRST).limit(1).scalar_subquery()
        with self.reading() as session:
            row = session.scalars(select(RunRow).where(RunRow.id == last)).first()
            return None if row is None else rows.run_record_of(row)

    def run_or_latest(self, number: int | None) -> RunRecord:
        """The run of that number; without a number the latest, which must be there."""
        found = self.latest_run() if number is None else self.run(number)
        if found is None:
            raise StoreError(
                f"{self.location} holds no run; measure something with 'joulemark bench'"
            )
        return found

    def earlier_runs(self, run_id: int, environment_identity: Mapping[str, Any]) -> list[int]:
        """Numbers of finished runs that began before a run and agree in these facts, newest first.

        Thousands of runs have some dozens of environments: each is read once.

        Args:
            run_id: of the run.
            environment_identity: as for `resumable_run`, but a missing key agrees with None.
        """
        wanted = visible_values(rows.plain(environment_identity))
        query = (
            select(RunRow.id, cast(RunRow.environment, Text))
            .where(RunRow.finished_at.is_not(None))
            .order_by(*_NEWEST_FIRST)
        )
        agrees: dict[str, bool] = {}
        numbers = []
        with self.reading() as session:
            begun = rows.IN_TIME(rows.run_record_of(self._require_run(session, run_id)))
            for number, written in session.execute(
                query.where(tuple_(*rows.IN_TIME(RunRow)) < begun)
            ):
                if written not in agrees:
                    agrees[written] = rows.environment_agrees(written, wanted)
                if agrees[written]:
                    numbers.append(number)
        return numbers

    def delete_run(self, run_id: int) -> None:
        """Delete a run with all that it observed; its number is not used again."""
        with self._changing() as session:
            self._require_run(session, run_id)
            session.execute(delete(RunRow).where(RunRow.id == run_id))

    def settle(self, read: Callable[[Store], _T]) -> _T:
        """Returns what `read` reads in the database that has all that was added: this one here.

        Raises:
            StoreAwayError: of a store that is merged into a server's, if the server stays away.
        """
        return read(self)

    def keep(self) -> str:
        """Brings all that was added to its place, if it can; returns how sentences name the place.

        In this class it is there already.
        """
        return self.location

    def _update_run(self, run_id: int, **values: object) -> None:
        with self._changing() as session:
            self._require_run(session, run_id)
            session.execute(update(RunRow).where(RunRow.id == run_id).values(**values))
