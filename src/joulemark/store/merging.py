# SPDX-License-Identifier: Apache-2.0
"""Whole runs into and out of a store, for copies, imports, and runs that other machines send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import select, text

from joulemark.store.content import RunContent
from joulemark.store.inserting import insert_content
from joulemark.store.models import RunRow
from joulemark.store.repository import Store
from joulemark.store.rows import RunFacts

__all__ = ["add_content", "content_of", "copy_store"]

_MERGING: Final = 0x4A4D_0002
"""Number of the lock under which runs are added whole to a server's database."""


def content_of(store: Store, run_id: int) -> RunContent:
    """Reads everything that is stored of a run.

    Raises:
        StoreError: there is no such run, or a row of it is damaged.
    """
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

    Raises:
        StoreError: the store cannot be written; nothing was added.
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

    Raises:
        StoreError: the source cannot be read or the target written.
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
