# SPDX-License-Identifier: Apache-2.0
"""The file of kept estimates: an SQLite database in the user's folder of caches, one for a store.

The file may be deleted at any time, for all of it can be computed again from the samples in the
store. Each run stands in it under a key; a run with another key counts as missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, fields
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from joulemark.analyse import ResultSet
from joulemark.errors import StoreError, UnavailableError
from joulemark.explorer.estimates import (
    KEPT_FIELDS,
    Change,
    Estimate,
    Line,
    RunDetails,
    RunGate,
    details_of,
    lines_of,
)
from joulemark.store.reading import RunOutline, open_for_reading
from joulemark.user_folders import user_cache

# Keys of kept estimates: digests of a run's content and of the code that estimates.

_FORM: Final = "1"
"""Form of the file of estimates. Every key has it, so that a file of another form holds no key."""
_SOURCES: Final = (
    "analyse",
    "judging",
    "stats",
    "records",
    "store",
    "environment",
    "explorer/estimates",
    "report/words.py",
)
"""Code on which figures, their words and judgements depend."""


@cache
def _code() -> str:
    """Digest of the code that estimates."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256(_FORM.encode())
    for name in ("numpy", "scipy"):
        digest.update(version(name).encode())
    for name in _SOURCES:
        source = package / name
        for path in [source] if source.is_file() else sorted(source.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key_of(run: RunOutline) -> str:
    """The key under which the estimates of a run are kept."""
    return hashlib.sha256(f"{_code()} {run.content}".encode()).hexdigest()


def gate_key_of(before: RunOutline, run: RunOutline, algorithms: Sequence[str]) -> str:
    """The key under which the judgement of a run against an earlier one is kept."""
    words = f"{_code()} {before.content} {run.content} {' '.join(algorithms)}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


# The file.

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS run (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, details TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS line (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    algorithm TEXT NOT NULL, implementation TEXT NOT NULL, name TEXT NOT NULL,
    provider TEXT NOT NULL, target TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    length TEXT NOT NULL, workload TEXT NOT NULL,
    doubts TEXT NOT NULL, causes TEXT NOT NULL, fields TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS line_run ON line (run, algorithm);
CREATE INDEX IF NOT EXISTS line_algorithm ON line (algorithm, size_bytes);
CREATE INDEX IF NOT EXISTS line_implementation ON line (implementation, size_bytes);
CREATE TABLE IF NOT EXISTS figure (
    line INTEGER NOT NULL REFERENCES line ON DELETE CASCADE, field TEXT NOT NULL,
    median REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, evidence TEXT NOT NULL,
    samples INTEGER NOT NULL, PRIMARY KEY (line, field)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gate (
    run INTEGER NOT NULL, before INTEGER NOT NULL, key TEXT NOT NULL, answer TEXT NOT NULL,
    reasons TEXT NOT NULL, PRIMARY KEY (run, before));
CREATE TABLE IF NOT EXISTS change (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, before INTEGER NOT NULL,
    algorithm TEXT NOT NULL, implementation TEXT NOT NULL, target TEXT NOT NULL,
    size_bytes INTEGER NOT NULL, workload TEXT NOT NULL, ratio REAL NOT NULL, low REAL NOT NULL,
    high REAL NOT NULL, verdict TEXT NOT NULL, flagged INTEGER NOT NULL,
    FOREIGN KEY (run, before) REFERENCES gate ON DELETE CASCADE);
CREATE INDEX IF NOT EXISTS change_run ON change (run);
CREATE INDEX IF NOT EXISTS change_implementation ON change (implementation);
"""
_PATIENCE_S: Final = 30.0
"""How long a connection waits while another one writes."""
_LINE: Final = ", ".join(field.name for field in fields(Line) if field.name != "figures")
_CHANGE: Final = ", ".join(field.name for field in fields(Change))
_ESTIMATE: Final = ", ".join(Estimate._fields)


class KeptEstimates:
    """The open file of estimates.

    Threads and processes: may be shared; each thread has a connection, and a write waits until no
    other connection writes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Closes all connections; no thread may use the file afterwards."""
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """The connection of this thread, in a transaction."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, timeout=_PATIENCE_S, check_same_thread=False)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = OFF")  # a lost cache is computed again
            self._local.connection = connection
            with self._lock:
                self._opened.append(connection)
        with connection:
            yield connection

    def keys(self) -> dict[int, str]:
        """Run -> key of its estimates."""
        with self._connection() as connection:
            return dict(connection.execute("SELECT number, key FROM run"))

    def gate_keys(self) -> dict[tuple[int, int], str]:
        """Run and earlier run -> key of the judgement."""
        with self._connection() as connection:
            rows = connection.execute("SELECT run, before, key FROM gate")
            return {(run, before): key for run, before, key in rows}

    def gate_count(self) -> int:
        """Number of judgements."""
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM gate").fetchone()[0])

    def drop(self, runs: Iterable[int], gates: Iterable[tuple[int, int]]) -> None:
        """Removes runs and judgements."""
        with self._connection() as connection:
            connection.executemany("DELETE FROM run WHERE number = ?", [(run,) for run in runs])
            connection.executemany("DELETE FROM gate WHERE run = ? AND before = ?", list(gates))

    def put(self, number: int, key: str, details: RunDetails, lines: Iterable[Line]) -> None:
        """Keeps a run, in place of the one that was kept under its number."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM run WHERE number = ?", (number,))
            connection.execute(
                "INSERT INTO run VALUES (?, ?, ?)", (number, key, json.dumps(asdict(details)))
            )
            for line in lines:
                _insert_line(connection, line)

    def put_gate(self, key: str, gate: RunGate) -> None:
        """Keeps a judgement, in place of the one that was kept for its two runs."""
        pair = (gate.run, gate.before)
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM gate WHERE run = ? AND before = ?", pair)
            connection.execute(
                "INSERT INTO gate VALUES (?, ?, ?, ?, ?)",
                (*pair, key, gate.answer, json.dumps(gate.reasons)),
            )
            connection.executemany(
                f"INSERT INTO change ({_CHANGE}) VALUES ({', '.join('?' * 12)})",  # noqa: S608 - our own constant
                [tuple(asdict(change).values()) for change in gate.changes],
            )

    def details(self, number: int) -> RunDetails | None:
        """The details of a run; None if it is not kept."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT details FROM run WHERE number = ?", (number,)
            ).fetchone()
        return None if row is None else RunDetails(**json.loads(row[0]))

    def lines(
        self,
        fields: Sequence[str],
        *,
        runs: Sequence[int] | None = None,
        algorithm: str | None = None,
        implementation: str | None = None,
        sizes_bytes: Sequence[int] = (),
    ) -> list[Line]:
        """Lines that meet all conditions, with those figures of `fields` that they have.

        Args:
            fields: names of figures; empty: no figure is read.
            runs: numbers; None: all runs.
            algorithm: None: all algorithms.
            implementation: None: all implementations.
            sizes_bytes: message lengths; empty: all lengths.

        Returns:
            Lines by the number of the run, those of a run in the order of its results.
        """
        condition, values = _condition(
            run=runs,
            algorithm=algorithm,
            implementation=implementation,
            size_bytes=sizes_bytes or None,
        )
        figures: dict[int, dict[str, Estimate]] = {}
        with self._connection() as connection:
            if fields:
                of_fields, names = _condition(field=fields)
                query = (
                    f"SELECT line, field, {_ESTIMATE} FROM figure "  # noqa: S608 - our own constants
                    f"WHERE line IN (SELECT id FROM line WHERE {condition}) AND {of_fields}"
                )
                for line, field, *estimate in connection.execute(query, [*values, *names]):
                    figures.setdefault(line, {})[field] = Estimate(*estimate)
            query = f"SELECT id, {_LINE} FROM line WHERE {condition} ORDER BY run, id"  # noqa: S608 - our own constants
            rows = connection.execute(query, values)
            return [
                Line(*(*row, _words(doubts), _words(causes), figures.get(number, {})))
                for number, *row, doubts, causes in rows
            ]

    def fields_of(self, algorithm: str, runs: Sequence[int]) -> list[str]:
        """Figures that lines of an algorithm in these runs have, in the order of the table."""
        condition, values = _condition(algorithm=algorithm, run=runs)
        query = f"SELECT DISTINCT fields FROM line WHERE {condition}"  # noqa: S608 - question marks
        with self._connection() as connection:
            there = {
                name for (names,) in connection.execute(query, values) for name in names.split()
            }
        return [field for field in KEPT_FIELDS if field in there]

    def gates_of(self, run: int) -> list[tuple[int, str, list[str]]]:
        """Earlier run, answer and reasons of each judgement of a run."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT before, answer, reasons FROM gate WHERE run = ? ORDER BY before", (run,)
            )
            return [(before, answer, json.loads(reasons)) for before, answer, reasons in rows]

    def changes(
        self, *, runs: Sequence[int] | None = None, implementation: str | None = None
    ) -> list[Change]:
        """Changes of some runs, of an implementation, or all: flagged first, the slowest first.

        Args:
            runs: numbers; None: all runs.
            implementation: None: all implementations.
        """
        condition, values = _condition(run=runs, implementation=implementation)
        query = (
            f"SELECT {_CHANGE} FROM change WHERE {condition} "  # noqa: S608 - our own constants
            "ORDER BY flagged DESC, ratio DESC"
        )
        with self._connection() as connection:
            rows = connection.execute(query, values)
            return [Change(*(*row, bool(flagged))) for *row, flagged in rows]

    def change_counts(self) -> dict[int, int]:
        """Run -> number of its changes; runs without a change are absent."""
        with self._connection() as connection:
            return dict(connection.execute("SELECT run, count(*) FROM change GROUP BY run"))


def _condition(**columns: Sequence[Any] | str | int | None) -> tuple[str, list[Any]]:
    """A condition of SQL, and its values: each column is the value, or one of the values, given.

    A column for which None is given may be anything.
    """
    terms, values = ["1"], list[Any]()
    for name, wanted in columns.items():
        if wanted is not None:
            several = [wanted] if isinstance(wanted, str | int) else wanted
            terms.append(f"{name} IN ({', '.join('?' * len(several))})")
            values += several
    return " AND ".join(terms), values


def _insert_line(connection: sqlite3.Connection, line: Line) -> None:
    cursor = connection.execute(
        f"INSERT INTO line ({_LINE}, fields) VALUES ({', '.join('?' * 12)})",  # noqa: S608 - our own constant
        (
            line.run,
            line.algorithm,
            line.implementation,
            line.name,
            line.provider,
            line.target,
            line.size_bytes,
            line.length,
            line.workload,
            json.dumps(line.doubts),
            json.dumps(line.causes),
            " ".join(line.figures),
        ),
    )
    connection.executemany(
        "INSERT INTO figure VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(cursor.lastrowid, field, *figure) for field, figure in line.figures.items()],
    )


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    """Doubts or causes from JSON. Most lines of a store have none, and others the same few."""
    return tuple(json.loads(text))


@contextmanager
def cache_file(location: str) -> Iterator[Path]:
    """The file that keeps a store's estimates.

    If the user's folder is not writable, it lies in a temporary folder, which goes with the block.
    """
    name = f"{hashlib.sha256(location.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.db"
    folder = None
    with suppress(UnavailableError, OSError):
        folder = user_cache("explorer")
        folder.mkdir(parents=True, exist_ok=True)
    if folder is not None and os.access(folder, os.W_OK):
        yield folder / name
        return
    with TemporaryDirectory(prefix="joulemark-explorer-") as temporary:
        yield Path(temporary) / name


def keep_measured(location: str, number: int, results: ResultSet) -> None:
    """Keeps the estimates of a run whose results are known, so that no page has to wait for them.

    Without a place to keep them nothing happens: the explorer estimates the run itself.
    """
    with (
        suppress(StoreError, sqlite3.Error),
        open_for_reading(location) as store,
        cache_file(store.location) as path,
        closing(KeptEstimates(path)) as estimates,
    ):
        for run in store.outlines([number]):
            estimates.put(number, key_of(run), details_of(results), lines_of(results, number))
