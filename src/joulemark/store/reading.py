# SPDX-License-Identifier: Apache-2.0
"""A store as a whole: open for reading alone, and its upkeep."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Engine, Select, Text, cast, event, func, select, text
from sqlalchemy.orm import Session

from joulemark.environment.facts import facts_and_digest, told_apart
from joulemark.errors import StoreAwayError, StoreError
from joulemark.records.trial import Cache, KeySetup, Mode, Trial, Workload
from joulemark.store import (
    Base,
    Cells,
    ClockCountRow,
    EnergyWindowRow,
    FailureRow,
    FirmwareCountRow,
    PublishedRow,
    RunRow,
    SampleRow,
    TrialRow,
    rows,
)
from joulemark.store.address import StoreAddress, engine_for
from joulemark.store.merging import content_of
from joulemark.store.repository import RunRecord, Store
from joulemark.store.rows import IN_TIME, EnvironmentFields, PublishedFields

# A store that is open for reading alone: the database itself refuses every write.
#
# Commands that end soon open a store with `Store.open(..., reading=True)`, whose connection can
# write if the file can be written. A server stays open beside commands that measure, so its
# connection must be unable to write.

# Outlines of the runs of a store, without samples: few queries, however many runs there are.
#
# Each outline has a fingerprint of the content of its run. Figures that were computed from the run
# hold as long as the fingerprint stays the same.

Grouped = dict[int, list[tuple[Any, ...]]]
"""Number of a run -> its rows."""

_AT_ONCE: Final = 500
"""Most runs of one query: databases limit the number of its values."""
_PRIME: Final = 1_000_000_007
"""Sums of remainders by it stay below 2^63 for nine thousand million samples."""
_SUMMARISED: Final = {"run", "trial", "sample", "energy_window"}
"""Tables that are not read whole: two are large, and on two all others depend."""
_NUMBERS: Final = {"id", "run_id", "trial_id"}
"""Columns whose numbers hold within one store only."""
_SUMMED: Final = ("messages", "wall_ns", "thread_cpu_ns", "tsc_ticks", "perf_core_cycles")


@dataclass(frozen=True, slots=True)
class RunOutline:
    """One run without its samples."""

    id: int
    started_at: datetime
    finished_at: datetime | None
    """End of the run; None while it goes on, or if it was killed."""
    joulemark_version: str
    environment: Mapping[str, Any]
    trials: tuple[Trial, ...]
    """Trials with samples, counts or energy windows, in the order they were first observed; of a
    published run the trials of the results in its file."""
    algorithms: tuple[str, ...]
    """Algorithms of these trials, in alphabetical order."""
    samples: int
    simulated: int
    """Number of trials whose clocks or core cycles a simulation counted."""
    failures: int
    """Number of implementations or lengths without a figure, the merely unavailable included."""
    content: str
    """Fingerprint, 64 hexadecimal digits, of all facts of the run, and of number and sums of its
    counters, trial by trial."""
    published: bool = False
    """Whether the figures came in a file without samples, so that nothing was observed here."""


class OutlineStore(Store):
    """A store that outlines all its runs at once; the promises are those of `Store`."""

    def run_states(self) -> dict[int, bool]:
        """Number of each run -> whether it is finished."""
        with self.reading() as session:
            states = session.execute(select(RunRow.id, RunRow.finished_at.is_not(None)))
            return {number: bool(finished) for number, finished in states}

    def outlines(self, numbers: Iterable[int]) -> list[RunOutline]:
        """Outlines of those of these runs that exist, the one begun first at the front."""
        wanted = sorted(numbers)
        outlines: list[RunOutline] = []
        with self.reading() as session:
            for first in range(0, len(wanted), _AT_ONCE):
                outlines += _outlines(session, wanted[first : first + _AT_ONCE])
        return sorted(outlines, key=IN_TIME)


def _outlines(session: Session, numbers: Sequence[int]) -> Iterator[RunOutline]:
    texts = [
        cast(getattr(RunRow, name), Text)
        for name in ("study", "environment", "loop", "meter", "conditions")
    ]
    facts = _by_run(
        session, select(RunRow.id, RunRow.seed, RunRow.rounds, *texts), RunRow.id, numbers
    )
    windows, sampled = _window_sums(session, numbers), _sample_sums(session, numbers)
    of_runs, of_trials = _whole_tables(session, numbers)
    published, trials = _published(session, numbers), _trials(session, numbers)
    for row in session.scalars(select(RunRow).where(RunRow.id.in_(numbers)).order_by(RunRow.id)):
        number = row.id
        cells = Cells(row, "run")
        own = trials.get(number, [])
        # A copy of a run has other numbers of trials, so their order stands for the numbers.
        order = {key: index for index, (key, _) in enumerate(own)}
        observed = [
            sorted((order[key], *rest) for key, *rest in grouped.get(number, ()))
            for grouped in (sampled, *of_trials.values())
        ]
        named = tuple(trial for _, trial in own) or published.get(number, ())
        whole = {
            name: sorted(grouped.get(number, ()), key=repr) for name, grouped in of_runs.items()
        }
        yield RunOutline(
            id=number,
            started_at=cells.moment("started_at"),
            finished_at=cells.optional(cells.moment, "finished_at"),
            joulemark_version=cells.text("joulemark_version"),
            environment=cells.checked_json(EnvironmentFields, "environment"),
            trials=named,
            algorithms=tuple(sorted({trial.algorithm for trial in named})),
            samples=sum(cell[1] for cell in observed[0]),
            simulated=sum(
                len(of_trials[table.__tablename__].get(number, ()))
                for table in (ClockCountRow, FirmwareCountRow)
            ),
            failures=len(of_runs[FailureRow.__tablename__].get(number, ())),
            content=_fingerprint(
                [row.started_at, row.finished_at, row.joulemark_version],
                facts.get(number),
                windows.get(number),
                whole,
                observed,
                [rows.trial_values(trial) for _, trial in own],
            ),
            published=number in published and not own,
        )


def _window_sums(session: Session, numbers: Sequence[int]) -> Grouped:
    """Number and total length of each run's energy windows."""
    length = func.sum(func.length(cast(EnergyWindowRow.window, Text)))
    query = select(EnergyWindowRow.run_id, func.count(), length).group_by(EnergyWindowRow.run_id)
    return _by_run(session, query, EnergyWindowRow.run_id, numbers)


def _sample_sums(session: Session, numbers: Sequence[int]) -> Grouped:
    """Number of each trial's samples, and sums of their counters."""
    sums = [func.sum(getattr(SampleRow, name) % _PRIME) for name in _SUMMED]
    query = (
        select(TrialRow.run_id, TrialRow.id, func.count(), *sums)
        .join(TrialRow, TrialRow.id == SampleRow.trial_id)
        .group_by(TrialRow.run_id, TrialRow.id)
    )
    return _by_run(session, query, TrialRow.run_id, numbers)


def _trials(session: Session, numbers: Sequence[int]) -> dict[int, list[tuple[int, Trial]]]:
    """Trials of each run with the numbers of their rows, in the order of these numbers."""
    by_run: dict[int, list[tuple[int, Trial]]] = {}
    query = select(TrialRow).where(TrialRow.run_id.in_(numbers)).order_by(TrialRow.id)
    for row in session.scalars(query):
        by_run.setdefault(row.run_id, []).append((row.id, rows.trial_of(row)))
    return by_run


def _published(session: Session, numbers: Sequence[int]) -> dict[int, tuple[Trial, ...]]:
    """Trials of the results that came in a file, by run."""
    query = select(PublishedRow).where(PublishedRow.run_id.in_(numbers))
    by_run: dict[int, tuple[Trial, ...]] = {}
    for row in session.scalars(query):
        published = Cells(row, "published", "run_id").checked_json(PublishedFields, "results")
        by_run[row.run_id] = tuple(
            Trial(
                result["implementation"],
                Workload(
                    result["size_bytes"],
                    Mode(result["mode"]),
                    Cache(result["cache"]),
                    KeySetup(result["key_setup"]),
                    result["batch"],
                    result.get("mix", ""),
                ),
                result["target"],
            )
            for result in published.get("results", ())
        )
    return by_run


def _whole_tables(
    session: Session, numbers: Sequence[int]
) -> tuple[dict[str, Grouped], dict[str, Grouped]]:
    """Rows of every other table of runs, and of every other table of trials, by name and run.

    A table that is added later becomes part of the content without a change here.
    """
    of_runs: dict[str, Grouped] = {}
    of_trials: dict[str, Grouped] = {}
    trial = TrialRow.__table__
    for name, table in sorted(Base.metadata.tables.items()):
        if name in _SUMMARISED:
            continue
        texts = [cast(column, Text) for column in table.columns if column.name not in _NUMBERS]
        if "run_id" in table.columns:
            of = table.columns["run_id"]
            of_runs[name] = _by_run(session, select(of, *texts), of, numbers)
        elif "trial_id" in table.columns:
            query = select(trial.c.run_id, trial.c.id, *texts).join(
                table, trial.c.id == table.columns["trial_id"]
            )
            of_trials[name] = _by_run(session, query, trial.c.run_id, numbers)
    return of_runs, of_trials


def _by_run(
    session: Session,
    query: Select[Any, *tuple[Any, ...]],
    of: ColumnElement[int] | Any,
    numbers: Sequence[int],
) -> Grouped:
    """Rows of these runs by number of the run, which is their first column and left out."""
    by_run: Grouped = {}
    for number, *rest in session.execute(query.where(of.in_(numbers))):
        by_run.setdefault(number, []).append(tuple(rest))
    return by_run


def _fingerprint(*parts: Any) -> str:
    text = json.dumps(parts, default=str, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_PATIENCE_S: Final = 10.0


def open_for_reading(location: str) -> OutlineStore:
    """An existing store in the present schema; a call that writes ends in a StoreError.

    An older store is first brought to the present schema, as by each command that opens it. A file
    that this user may not write is read as a copy in memory, as the file is at this moment.
    """
    store = OutlineStore.existing(location)
    address = StoreAddress.of(location)
    if address.only_readable:
        return store
    store.close()
    return OutlineStore(_reading_engine(address), address)


def _reading_engine(address: StoreAddress) -> Engine:
    engine = engine_for(address, patience_s=_PATIENCE_S)
    if address.path is None:
        return engine.execution_options(postgresql_readonly=True)

    def connect(*_: Any) -> sqlite3.Connection:
        return sqlite3.connect(
            address.reading_uri,
            uri=True,
            timeout=_PATIENCE_S,
            isolation_level=None,
            check_same_thread=False,
        )

    event.listen(engine, "do_connect", connect)
    return engine


# Upkeep: the size of a store, its damages, and the runs that could be deleted.


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table."""

    name: str
    rows: int
    size_bytes: int | None
    """Size with its indexes; None on SQLite, which does not tell it."""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """A whole store."""

    size_bytes: int
    tables: tuple[TableSize, ...]


def size_of(store: Store) -> StoreSize:
    """Size of a store and of each of its tables."""
    tables = []
    with store.reading() as session:
        on_server = session.get_bind().dialect.name == "postgresql"
        for table in Base.metadata.sorted_tables:
            size_bytes = None
            if on_server:
                size_bytes = session.scalar(
                    text("SELECT pg_total_relation_size(CAST(:name AS regclass))"),
                    {"name": table.name},
                )
            counted = session.scalar(select(func.count()).select_from(table)) or 0
            tables.append(TableSize(table.name, counted, size_bytes))
        if on_server:
            total = sum(table.size_bytes or 0 for table in tables)
        else:
            pages = session.scalar(text("PRAGMA page_count")) or 0
            total = pages * (session.scalar(text("PRAGMA page_size")) or 0)
    return StoreSize(total, tuple(tables))


def damages(store: Store, progress: Callable[[int, int], None]) -> Iterator[str]:
    """Checks the database itself and reads every run; yields a sentence for each damage."""
    damage = store.integrity()
    if damage != "ok":
        yield damage
    with store.reading() as session:
        numbers = session.scalars(text("SELECT id FROM run ORDER BY id")).all()
    parts: list[tuple[str, Callable[[], object]]] = [
        (f"run {number}", partial(content_of, store, number)) for number in numbers
    ]
    parts += [("reports of cores", store.core_reports), ("points of sessions", store.all_sessions)]
    for done, (title, read) in enumerate(parts):
        progress(min(done, len(numbers)), len(numbers))
        try:
            read()
        except StoreAwayError:
            raise
        except StoreError as error:
            yield f"{title}: {error}"


def superfluous(store: Store, keep: int) -> list[RunRecord]:
    """Runs that have at least `keep` newer finished ones of the same study on the same machine."""
    newer: Counter[tuple[str, str]] = Counter()
    superfluous_runs = []
    runs = store.runs()[::-1]
    machines = told_apart(facts_and_digest(run.environment) for run in runs)
    for run, machine in zip(runs, machines, strict=True):
        key = (run.study_digest, machine)
        if newer[key] >= keep:
            superfluous_runs.append(run)
        newer[key] += run.finished_at is not None
    return superfluous_runs[::-1]
