# SPDX-License-Identifier: Apache-2.0
"""Upkeep of a store: its size, its damages, and the runs that could be deleted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sqlalchemy import func, select, text

from joulemark.environment.facts import facts_and_digest, told_apart
from joulemark.errors import StoreAwayError, StoreError
from joulemark.store.merging import content_of
from joulemark.store.models import Base
from joulemark.store.repository import RunRecord, Store


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
    """Checks the database itself and reads every run; yields a sentence for each damage.

    Args:
        store: which is only read.
        progress: takes the number of finished runs and the number of all runs.
    """
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
    """Runs that have at least `keep` newer finished ones of the same study on the same machine.

    Args:
        store: which is only read.
        keep: at least 1.
    """
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
