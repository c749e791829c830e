# SPDX-License-Identifier: Apache-2.0
"""Inserts a whole run into the tables of a store, with the statements of one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
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
from joulemark.store.trials import inserted_number

__all__ = ["insert_content"]

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
    _insert_all(connection, ImplementationRow, (
        {"run_id": run_id, "id": name, "facts": rows.plain(facts.as_dict())}
        for name, facts in content.implementations.items()
    ))  # fmt: skip
    _insert_observations(connection, content, run_id)
    _insert_all(connection, FailureRow, (
        {"run_id": run_id, **rows.failure_values(failure)}
        for failure in content.failures
    ))  # fmt: skip
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
    _insert_all(connection, SampleRow, (
        {"trial_id": ids[trial], **rows.counter_values(sample)}
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
