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

from sqlalchemy import Connection, func, insert, select, text

from joulemark.records.energy_window import MeterRecord
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.energy import StoredWindow, window_as_json, window_values
from joulemark.store.models import (
    ClockCountRow,
    EnergyWindowRow,
    FailureRow,
    FirmwareCountRow,
    ImplementationRow,
    PublishedRow,
    RunRow,
    SampleRow,
    TrialRow,
)
from joulemark.store.repository import Store
from joulemark.store.rows import RunFacts, counter_values, trial_values
from joulemark.store.trials import inserted_number

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


def insert_content(connection: Connection, content: RunContent, number: int | None) -> int:
    """Inserts a run with all that belongs to it; returns the run's number.

    Args:
        connection: in a transaction.
        content: of the run.
        number: of the new run; None for the next free number.
    """
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
        _number_later_runs_higher(connection)
    return run_id


def _number_later_runs_higher(connection: Connection) -> None:
    """Moves PostgreSQL's sequence past a number that a statement named, which it does not see."""
    sequence = "pg_get_serial_sequence('run', 'id')"
    highest = connection.scalar(select(func.max(RunRow.id)))
    connection.execute(
        text(f"SELECT setval({sequence}, GREATEST(:highest, nextval({sequence}) - 1))"),
        {"highest": highest},
    )


def _insert_observations(connection: Connection, content: RunContent, run_id: int) -> None:
    """Inserts samples, counts and energy windows, with the trials that they belong to."""
    ids = _insert_trials(connection, content, run_id)
    _insert_all(
        connection,
        SampleRow,
        (
            {"trial_id": ids[trial], **rows.counter_values(sample)}
            for trial, taken in content.samples.items()
            for sample in taken
        ),
    )
    _insert_all(
        connection,
        ClockCountRow,
        (
            {"trial_id": ids[trial], **count.as_dict()}
            for trial, count in content.clock_counts.items()
        ),
    )
    _insert_all(
        connection,
        FirmwareCountRow,
        (
            {"trial_id": ids[trial], **firmware.as_dict()}
            for trial, firmware in content.firmware_counts.items()
        ),
    )
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


def _insert_all(connection: Connection, kind: type[Any], values: Iterator[dict[str, Any]]) -> None:
    batch: list[dict[str, Any]] = []
    for row in values:
        batch.append(row)
        if len(batch) == _AT_ONCE:
            connection.execute(insert(kind), batch)
            batch = []
    if batch:
        connection.execute(insert(kind), batch)


_MERGING: Final = 0x4A4D_0002
"""Number of the lock under which runs are added whole to a server's database."""


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

    Results without samples also count as stored if the store has that run with its samples.
    If several processes add the same run at once, one of them adds it.

    Args:
        store: which gets the run.
        content: of the run.
        number: of the new run, which no run of the store may have; None for the next free number.
    """
    digest = content.digest()
    different: set[int] = set()
    while True:
        for run_id in _alike(store, content) - different:
            stored = content_of(store, run_id)
            if stored.digest() == digest or _says_less(content, stored):
                return None
            different.add(run_id)
        with store.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MERGING})"))
            if set(connection.scalars(_query_alike(content))) <= different:
                return insert_content(connection, content, number)
        # Another process was quicker; the run that it added may be equal.


def copy_store(
    source: Store, target: Store, progress: Callable[[int, int], None]
) -> tuple[int, int]:
    """Adds everything of one store to another; returns how many runs were added, and were there.

    Each run is one transaction, so a copy that was stopped goes on when it is begun again. Runs
    keep their numbers if the target holds nothing, or a part of this copy. Reports of cores and
    points of sessions are copied too, each once.

    Args:
        source: which is only read.
        target: which gets the copies.
        progress: takes the number of finished runs and the number of all runs.
    """
    every = source.runs()
    numbered = {(run.id, run.started_at, run.seed) for run in every}
    keep = all((run.id, run.started_at, run.seed) in numbered for run in target.runs())
    added = 0
    for done, run in enumerate(every):
        progress(done, len(every))
        number = run.id if keep else None
        added += add_content(target, content_of(source, run.id), number=number) is not None
    for core_report in source.core_reports():
        target.add_core_report(core_report)
    for point in source.all_sessions():
        target.add_sessions(point.point, made_at=point.made_at)
    progress(len(every), len(every))
    return added, len(every) - added


def _says_less(content: RunContent, stored: RunContent) -> bool:
    """Whether `content` is results alone, of a run whose samples are in the store."""
    alone = not content.observations and stored.observations > 0
    return alone and content.environment == stored.environment


def _query_alike(content: RunContent) -> Any:
    return select(RunRow.id).where(
        RunRow.started_at == content.started_at, RunRow.seed == content.seed
    )


def _alike(store: Store, content: RunContent) -> set[int]:
    with store.reading() as session:
        return set(session.scalars(_query_alike(content)))
