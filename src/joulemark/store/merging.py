# SPDX-License-Identifier: Apache-2.0
"""Whole runs into and out of a store, for copies, imports, and runs that other machines send."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, text

from joulemark.records import Failure, ImplementationFacts, JsonObject
from joulemark.records.energy_window import MeterRecord
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import (
    ClockCountRow,
    EnergyWindowRow,
    FailureRow,
    FirmwareCountRow,
    ImplementationRow,
    PublishedRow,
    RunRow,
    SampleRow,
    TrialRow,
    rows,
)
from joulemark.store.observations import (
    StoredWindow,
    inserted_number,
    window_as_json,
    window_values,
)
from joulemark.store.repository import Store
from joulemark.store.rows import RunFacts, counter_values, trial_values

# The content of a run, which is all of it but its number, to be copied, imported and sent.
#
# Two runs are the same if start, seed, machine and all observations agree. The other facts of a run
# (its plan, the loop's cost, failures, its end) tell no runs apart, since older files lack some.


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContent(RunFacts):
    """A run; each field holds the value that the method of `Store` with its name returns."""

    meter: MeterRecord | None = None
    implementations: Mapping[str, ImplementationFacts] = field(default_factory=dict)
    samples: Mapping[Trial, Sequence[RawSample]] = field(default_factory=dict)
    clock_counts: Mapping[Trial, ClockCount] = field(default_factory=dict)
    firmware_counts: Mapping[Trial, FirmwareCount] = field(default_factory=dict)
    energy_windows: Sequence[StoredWindow] = ()
    failures: Sequence[Failure] = ()
    published: Mapping[str, Any] | None = None
    """Results of a file without the samples to compute them from."""

    @property
    def observations(self) -> int:
        """Number of samples, counts of cores and of firmware, and energy windows."""
        samples = sum(len(taken) for taken in self.samples.values())
        counts = len(self.clock_counts) + len(self.firmware_counts)
        return samples + counts + len(self.energy_windows)

    def is_part_of(self, other: RunContent) -> bool:
        """Whether another run began as this one did and has each of its observations."""
        begun = ("seed", "started_at", "joulemark_version", "environment", "published")
        windows, mine, there = list(self.energy_windows), self.samples, other.samples
        return (
            all(getattr(self, name) == getattr(other, name) for name in begun)
            and all(set(taken) <= set(there.get(trial, ())) for trial, taken in mine.items())
            and self.clock_counts.items() <= other.clock_counts.items()
            and self.firmware_counts.items() <= other.firmware_counts.items()
            and windows == list(other.energy_windows[: len(windows)])
        )

    def digest(self) -> str:
        """SHA-256 of all that tells runs apart, in hexadecimal digits."""
        parts = {
            "seed": self.seed,
            "started_at": self.started_at.astimezone(UTC).isoformat(),
            "joulemark_version": self.joulemark_version,
            "environment": self.environment,
            "samples": [
                [trial_values(trial), [counter_values(sample) for sample in samples]]
                for trial, samples in sorted(self.samples.items(), key=itemgetter(0))
                if samples
            ],
            "clock_counts": _by_trial(self.clock_counts),
            "firmware_counts": _by_trial(self.firmware_counts),
            "energy_windows": sorted(
                json.dumps(
                    [
                        energy_window.trial and trial_values(energy_window.trial),
                        window_as_json(energy_window.window),
                        energy_window.void,
                    ],
                    sort_keys=True,
                )
                for energy_window in self.energy_windows
            ),
            "published": self.published,
        }
        text = json.dumps(parts, sort_keys=True, allow_nan=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _by_trial(counts: Mapping[Trial, ClockCount] | Mapping[Trial, FirmwareCount]) -> list[Any]:
    return [[trial_values(trial), counts[trial].as_dict()] for trial in sorted(counts)]


# Inserts a whole run into the tables of a store, with the statements of one transaction.

_AT_ONCE: Final = 5_000
"""Samples in one statement."""
NUMBERS: Final = "pg_get_serial_sequence('run', 'id')"
"""The sequence that gives numbers to runs on PostgreSQL."""


def insert_content(connection: Connection, content: RunContent, number: int | None) -> int:
    """Inserts a run with all that belongs to it; returns the run's number."""
    run_id = _insert_run(connection, content, number)
    _insert_all(
        connection,
        ImplementationRow,
        (
            {"run_id": run_id, "id": name, "facts": rows.plain(facts.as_dict())}
            for name, facts in content.implementations.items()
        ),
    )
    _insert_observations(connection, content, run_id)
    _insert_all(
        connection,
        FailureRow,
        ({"run_id": run_id, **rows.failure_values(failure)} for failure in content.failures),
    )
    if content.published is not None:
        connection.execute(
            insert(PublishedRow).values(run_id=run_id, results=rows.plain(content.published))
        )
    return run_id


def _insert_run(connection: Connection, content: RunContent, number: int | None) -> int:
    facts = {field.name: getattr(content, field.name) for field in fields(rows.RunFacts)}
    facts["meter"] = content.meter and content.meter.as_dict()
    values = {
        name: rows.plain(fact) if isinstance(fact, Mapping) else fact
        for name, fact in facts.items()
    }
    if number is None:
        return inserted_number(connection, insert(RunRow).values(**values))
    run_id = inserted_number(connection, insert(RunRow).values(id=number, **values))
    if connection.dialect.name == "postgresql":
        # The sequence does not see a number that a statement names. It never goes back.
        behind = f"coalesce(pg_sequence_last_value(({NUMBERS})::regclass), 0) < {run_id}"
        connection.execute(text(f"SELECT setval({NUMBERS}, {run_id}) WHERE {behind}"))
    return run_id


def _insert_observations(connection: Connection, content: RunContent, run_id: int) -> None:
    """Inserts samples, counts and energy windows, with the trials that they belong to."""
    ids = _insert_trials(connection, content, run_id)
    samples = (
        {"trial_id": ids[trial], **rows.counter_values(sample)}
        for trial, taken in content.samples.items()
        for sample in taken
    )
    _insert_all(connection, SampleRow, samples)
    for table, counts in (
        (ClockCountRow, content.clock_counts),
        (FirmwareCountRow, content.firmware_counts),
    ):
        counted = ({"trial_id": ids[trial], **counts[trial].as_dict()} for trial in counts)
        _insert_all(connection, table, counted)
    _insert_all(
        connection,
        EnergyWindowRow,
        (
            {
                "run_id": run_id,
                "trial_id": energy_window.trial and ids[energy_window.trial],
                "void": energy_window.void,
                **window_values(energy_window.window),
            }
            for energy_window in content.energy_windows
        ),
    )


def _insert_trials(connection: Connection, content: RunContent, run_id: int) -> dict[Trial, int]:
    """Inserts trials in the order in which the content names them; trial -> number of its row."""
    metered = (energy_window.trial for energy_window in content.energy_windows)
    trials = dict.fromkeys(
        (
            *content.samples,
            *content.clock_counts,
            *content.firmware_counts,
            *(trial for trial in metered if trial is not None),
        )
    )
    return {
        trial: inserted_number(
            connection, insert(TrialRow).values(run_id=run_id, **rows.trial_values(trial))
        )
        for trial in trials
    }


def _insert_all(connection: Connection, kind: type[Any], values: Iterator[JsonObject]) -> None:
    batch: list[JsonObject] = []
    for row in values:
        batch.append(row)
        if len(batch) == _AT_ONCE:
            connection.execute(insert(kind), batch)
            batch = []
    if batch:
        connection.execute(insert(kind), batch)


_MERGING: Final = 0x4A4D_0002
"""First number of the lock under which a run is added whole to a server's database."""


def content_of(store: Store, run_id: int) -> RunContent:
    """Reads everything that is stored of a run."""
    run = store.run(run_id)
    return RunContent(
        **{field.name: getattr(run, field.name) for field in fields(RunFacts)},
        meter=store.meter(run_id),
        implementations=store.implementations(run_id),
        samples=store.samples(run_id),
        clock_counts=store.clock_counts(run_id),
        firmware_counts=store.firmware_counts(run_id),
        energy_windows=store.energy_windows(run_id),
        failures=store.failures(run_id),
        published=store.published(run_id),
    )


def add_content(store: Store, content: RunContent, *, number: int | None = None) -> int | None:
    """Adds a run in one transaction and returns its number; None if the store has the run.

    Results without samples also count as stored if the store has that run with its samples. They
    give way to the run with its samples, which gets another number: a finished run never changes.
    If several processes add the same run at once, one of them adds it.
    """
    digest = content.digest()

    def stands_for(less: RunContent, more: RunContent) -> bool:
        """Whether a run with samples is the one of which the other has results alone."""
        alone = not less.observations and more.observations > 0
        return alone and less.environment == more.environment

    def is_there(stored: RunContent) -> bool:
        return stored.digest() == digest or stands_for(content, stored)

    def is_earlier(stored: RunContent) -> bool:
        unfinished = content.finished_at is None and stored.finished_at is not None
        return stored.published is not None and not unfinished and stands_for(stored, content)

    run_id, added = _place(store, content, number, is_there, is_earlier)
    return run_id if added else None


def merge_content(store: Store, content: RunContent, number: int) -> int:
    """Adds a run in one transaction, in the place of an unfinished part of it if there is one.

    A run that was gone on with in two places becomes two runs. If this raised, it may be called
    again: what it has done is not done twice.

    Args:
        store: which gets the run.
        content: of the run.
        number: of the run, from `NUMBERS`; the next free one is taken if a run has it.

    Returns:
        The number of the run in the store.

    Raises:
        StoreError: the store cannot be written; nothing was changed.
    """

    def is_earlier(stored: RunContent) -> bool:
        return stored.finished_at is None and stored.is_part_of(content)

    def is_there(stored: RunContent) -> bool:
        return stored == content or (content.is_part_of(stored) and not is_earlier(stored))

    return _place(store, content, number, is_there, is_earlier)[0]


def _place(
    store: Store,
    content: RunContent,
    number: int | None,
    is_there: Callable[[RunContent], bool],
    is_earlier: Callable[[RunContent], bool],
) -> tuple[int, bool]:
    """Number of a run in a store, and whether this call has put it there."""
    alike = _query_alike(content)
    while True:
        with store.reading() as session:
            seen = session.execute(alike).all()
        earlier, free = None, number
        for run_id, _ in seen:
            stored = content_of(store, run_id)
            if is_there(stored):
                return run_id, False
            if is_earlier(stored):
                earlier, free = run_id, number if stored.finished_at else run_id
        with store.writing() as connection:
            if connection.dialect.name == "postgresql":
                # Of the same run alone: a long run holds up no other.
                run = content.seed % (1 << 31)
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MERGING}, {run})"))
            if connection.execute(alike).all() != seen:
                continue  # another process was quicker
            if earlier is not None:
                connection.execute(delete(RunRow).where(RunRow.id == earlier))
            if connection.scalar(select(RunRow.id).where(RunRow.id == free)) is not None:
                free = None
            return insert_content(connection, content, free), True


def _query_alike(content: RunContent) -> Any:
    """Numbers of the runs that may be this one, with the numbers of their observations."""
    counts = [
        select(func.count()).join_from(table, TrialRow).where(TrialRow.run_id == RunRow.id)
        for table in (SampleRow, ClockCountRow, FirmwareCountRow)
    ]
    counts.append(select(func.count()).where(EnergyWindowRow.run_id == RunRow.id))
    every = [count.correlate(RunRow).scalar_subquery() for count in counts]
    return select(RunRow.id, every[0] + every[1] + every[2] + every[3]).where(
        RunRow.started_at == content.started_at, RunRow.seed == content.seed
    )


def copy_store(
    source: Store, target: Store, progress: Callable[[int, int], None]
) -> tuple[int, int]:
    """Adds everything of one store to another; returns how many runs were added, and were there.

    Each run is one transaction, so a copy that was stopped goes on when it is begun again. Runs
    keep their numbers if the target holds nothing, or a part of this copy. Reports of cores and
    points of sessions are copied too, each once.
    """
    every = source.runs()
    numbered = {(run.id, run.started_at, run.seed) for run in every}
    keep = all((run.id, run.started_at, run.seed) in numbered for run in target.runs())
    added = 0
    for done, run in enumerate(every):
        progress(done, len(every))
        number = run.id if keep else None
        added += add_content(target, content_of(source, run.id), number=number) is not None
    copy_beside_runs(source, target)
    progress(len(every), len(every))
    return added, len(every) - added


def copy_beside_runs(source: Store, target: Store) -> None:
    """Adds to a store the reports of cores and points of sessions that it lacks."""
    for core_report in source.core_reports():
        target.add_core_report(core_report)
    for point in source.all_sessions():
        target.add_sessions(point.point, made_at=point.made_at)
