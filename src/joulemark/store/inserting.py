# SPDX-License-Identifier: Apache-2.0
"""One whole run into the tables of a store, with the statements of one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, text

from joulemark.records.trial import Trial
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

__all__ = ["insert_content"]

_AT_ONCE: Final = 5_000
"""Samples in one statement."""


def insert_content(connection: Connection, content: RunContent, number: int | None) -> int:
    """Inserts a run with all that belongs to it; returns the run's number.

    Args:
        connection: in a transaction.
        content: of the run.
        number: that the run shall have; the next one where it is None.
    """
    run_id = _insert_run(connection, content, number)
    _insert_all(connection, ImplementationRow, (
        {"run_id": run_id, "id": name, "facts": rows.plain(facts.as_dict())}
        for name, facts in content.implementations.items()
    ))  # fmt: skip
    _insert_observations(connection, content, run_id)
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


def _insert_run(connection: Connection, content: RunContent, number: int | None) -> int:
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
    if number is None:
        return _number(connection, insert(RunRow).values(**values))
    run_id = _number(connection, insert(RunRow).values(id=number, **values))
    if connection.dialect.name == "postgresql":
        _number_later_runs_higher(connection)
    return run_id


def _number_later_runs_higher(connection: Connection) -> None:
    """PostgreSQL's sequence does not see a number that a statement named."""
    sequence = "pg_get_serial_sequence('run', 'id')"
    highest = connection.scalar(select(func.max(RunRow.id)))
    connection.execute(
        text(f"SELECT setval({sequence}, GREATEST(:highest, nextval({sequence}) - 1))"),
        {"highest": highest},
    )


def _insert_observations(connection: Connection, content: RunContent, run_id: int) -> None:
    """Samples, counts and energy windows, with the trials that they are of."""
    ids = _insert_trials(connection, content, run_id)
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
    _insert_all(connection, EnergyWindowRow, (
        {"run_id": run_id, "trial_id": energy_window.trial and ids[energy_window.trial],
         "void": energy_window.void, **window_values(energy_window.window)}
        for energy_window in content.energy_windows
    ))  # fmt: skip


def _insert_trials(connection: Connection, content: RunContent, run_id: int) -> dict[Trial, int]:
    """Trial -> number of its row; the rows have the order in which the content names the trials."""
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
        trial: _number(
            connection, insert(TrialRow).values(run_id=run_id, **rows.trial_values(trial))
        )
        for trial in trials
    }


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
