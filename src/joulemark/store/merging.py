# SPDX-License-Identifier: Apache-2.0
"""Whole runs into and out of a store: copies, imports, and what other machines send."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, text

from joulemark.store import rows
from joulemark.store.content import RunContent
from joulemark.store.energy import window_values
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

__all__ = ["add_content", "content_of", "copy_store"]

_AT_ONCE: Final = 5_000
"""Samples in one statement."""
_MERGING: Final = 0x4A4D_0002
"""Number of the lock under which runs are added whole to a server's database."""


def content_of(store: Store, run_id: int) -> RunContent:
    """Everything of a run.

    Raises:
        StoreError: there is no such run, or a row of it is damaged.
    """
    run = store.run(run_id)
    return RunContent(
        study_digest=run.study_digest,
        study=run.study,
        seed=run.seed,
        rounds=run.rounds,
        environment=run.environment,
        started_at=run.started_at,
        finished_at=run.finished_at,
        joulemark_version=run.joulemark_version,
        loop=run.loop,
        conditions=run.conditions,
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
    """Adds a run, in one transaction; None if the store has it already, or with its samples.

    Several processes may add the same run at once: one of them adds it.

    Args:
        store: which gets it.
        content: of the run.
        number: that it shall have, which no run of the store has; the next one unless given.

    Raises:
        StoreError: the store cannot be written; nothing was added.
    """
    digest = content.digest()
    different: set[int] = set()
    while True:
        for run_id in _alike(store, content) - different:
            there = content_of(store, run_id)
            if there.digest() == digest or _says_less(content, there):
                return None
            different.add(run_id)
        with store.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MERGING})"))
            if set(connection.scalars(_query_alike(content))) <= different:
                return _insert(connection, content, number)
        # Another process was quicker: its run may be this one.


def copy_store(
    source: Store, target: Store, progress: Callable[[int, int], None]
) -> tuple[int, int]:
    """Adds all that one store has to another; returns runs added, and runs that were there.

    Each run is one transaction, so a copy that was stopped goes on when it is begun again. Runs
    keep their numbers where the target holds nothing, or a part of this copy. Reports of cores and
    points of sessions come along, each once.

    Args:
        source: which is only read.
        target: which gets it.
        progress: told how many runs are done, of how many.

    Raises:
        StoreError: one cannot be read or the other written.
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
        target.add_core_report(core_report.report, made_at=core_report.made_at)
    for point in source.all_sessions():
        target.add_sessions(point.point, made_at=point.made_at)
    progress(len(every), len(every))
    return added, len(every) - added


def _says_less(content: RunContent, there: RunContent) -> bool:
    """Whether it is results alone, of a run whose samples are there."""
    alone = not content.observations and there.observations > 0
    return alone and content.environment == there.environment


def _query_alike(content: RunContent) -> Any:
    return select(RunRow.id).where(
        RunRow.started_at == content.started_at, RunRow.seed == content.seed
    )


def _alike(store: Store, content: RunContent) -> set[int]:
    with store.reading() as session:
        return set(session.scalars(_query_alike(content)))


def _insert(connection: Connection, content: RunContent, number: int | None) -> int:
    values: dict[str, Any] = {
        "study_digest": content.study_digest,
        "study": rows.plain(content.study),
        "seed": content.seed,
        "rounds": content.rounds,
        "environment": rows.plain(content.environment),
        "started_at": content.started_at,
        "finished_at": content.finished_at,
        "joulemark_version": content.joulemark_version,
        "loop": None if content.loop is None else rows.plain(content.loop),
        "meter": None if content.meter is None else rows.plain(content.meter.as_dict()),
        "conditions": None if content.conditions is None else rows.plain(content.conditions),
    }
    if number is not None:
        values["id"] = number
    run_id = _number(connection, insert(RunRow).values(**values))
    if number is not None and connection.dialect.name == "postgresql":
        sequence = "pg_get_serial_sequence('run', 'id')"
        highest = connection.scalar(select(func.max(RunRow.id)))
        connection.execute(
            text(f"SELECT setval({sequence}, GREATEST(:highest, nextval({sequence}) - 1))"),
            {"highest": highest},
        )
    _insert_all(connection, ImplementationRow, (
        {"run_id": run_id, "id": name, "facts": rows.plain(facts.as_dict())}
        for name, facts in content.implementations.items()
    ))  # fmt: skip
    trials = dict.fromkeys(
        (
            *content.samples,
            *content.clock_counts,
            *content.firmware_counts,
            *(
                energy_window.trial
                for energy_window in content.energy_windows
                if energy_window.trial is not None
            ),
        )
    )
    ids = {
        trial: _number(
            connection, insert(TrialRow).values(run_id=run_id, **rows.trial_values(trial))
        )
        for trial in trials
    }
    _insert_all(connection, SampleRow, (
        {"trial_id": ids[trial], **rows.sample_values(sample)}
        for trial, taken in content.samples.items()
        for sample in taken
    ))  # fmt: skip
    _insert_all(connection, ClockCountRow, (
        {"trial_id": ids[trial], **count.as_dict()}
        for trial, count in content.clock_counts.items()
    ))  # fmt: skip
    _insert_all(connection, FirmwareCountRow, (
        {"trial_id": ids[trial], **firmware.as_dict()}
        for trial, firmware in content.firmware_counts.items()
    ))  # fmt: skip
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
    _insert_all(connection, FailureRow, (
        {"run_id": run_id, "implementation": failure.implementation, "kind": str(failure.kind),
         "reason": failure.reason, "size_bytes": failure.size_bytes}
        for failure in content.failures
    ))  # fmt: skip
    if content.published is not None:
        connection.execute(
            insert(PublishedRow).values(run_id=run_id, results=rows.plain(content.published))
        )
    return run_id


def _number(connection: Connection, statement: Any) -> int:
    key = connection.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])


def _insert_all(connection: Connection, kind: type[Any], values: Iterator[dict[str, Any]]) -> None:
    batch: list[dict[str, Any]] = []
    for row in values:
        batch.append(row)
        if len(batch) == _AT_ONCE:
            connection.execute(insert(kind), batch)
            batch = []
    if batch:
        connection.execute(insert(kind), batch)
