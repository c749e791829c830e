# SPDX-License-Identifier: Apache-2.0
"""Whole runs into and out of a store: copies, imports, and what other machines send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import select, text

from joulemark.store.content import RunContent
from joulemark.store.inserting import insert_content
from joulemark.store.models import RunRow
from joulemark.store.repository import Store

__all__ = ["add_content", "content_of", "copy_store"]

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
                return insert_content(connection, content, number)
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
