# SPDX-License-Identifier: Apache-2.0
"""Looking after a store: how large it is, whether it is whole, which runs could go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import func, select, text

from joulemark.environment.equals import facts_and_digest, told_apart
from joulemark.errors import StoreAwayError, StoreError
from joulemark.store.merging import content_of
from joulemark.store.models import Base
from joulemark.store.repository import RunRecord, Store

__all__ = ["StoreSize", "TableSize", "damages", "size_of", "superfluous"]


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table."""

    name: str
    rows: int
    size_bytes: int | None
    """With its indexes; None on SQLite, which does not say."""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """A whole store."""

    size_bytes: int
    tables: tuple[TableSize, ...]


def size_of(store: Store) -> StoreSize:
    """How much of everything a store has.

    Raises:
        StoreError: it cannot be read.
    """
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
    """What is wrong with a store, a sentence each: its engine is asked, and every run is read.

    Args:
        store: which is only read.
        progress: told how many runs are done, of how many.

    Raises:
        StoreError: it cannot be read at all.
    """
    said = store.integrity()
    if said != "ok":
        yield said
    with store.reading() as session:
        numbers = session.scalars(text("SELECT id FROM run ORDER BY id")).all()
    for done, number in enumerate(numbers):
        progress(done, len(numbers))
        try:
            content_of(store, number)
        except StoreAwayError:
            raise
        except StoreError as error:
            yield f"run {number}: {error}"
    progress(len(numbers), len(numbers))
    for title, read in (
        ("reports of cores", store.core_reports), ("points of sessions", store.all_sessions),
    ):  # fmt: skip
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
    found = []
    runs = store.runs()[::-1]
    machines = told_apart(facts_and_digest(run.environment) for run in runs)
    for run, machine in zip(runs, machines, strict=True):
        key = (run.study_digest, machine)
        if newer[key] >= keep:
            found.append(run)
        newer[key] += run.finished_at is not None
    return found[::-1]
