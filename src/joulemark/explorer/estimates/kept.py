# SPDX-License-Identifier: Apache-2.0
"""The file of kept estimates: an SQLite database in the user's folder of caches, one for a store.

Nothing here is the only copy of anything: estimates come from the samples in the store, and the
file may be deleted at any time. Each run stands in it under a key, which
`joulemark.explorer.estimates.keys` makes; what has another key is not there.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from joulemark.explorer.estimates.gates import Change, RunGate
from joulemark.explorer.estimates.lines import KEPT_FIELDS, Estimate, Line, RunDetails

__all__ = ["KeptEstimates"]

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
_LINE: Final = (
    "id, run, algorithm, implementation, name, provider, target, size_bytes, length, workload, "
    "doubts, causes"
)
_CHANGE: Final = (
    "run, before, algorithm, implementation, target, size_bytes, workload, ratio, low, high, "
    "verdict, flagged"
)


class KeptEstimates:
    """The open file.

    Threads and processes: may be shared; each thread has a connection, and writes wait for others.

    Args:
        path: of the file, which is made; its folder exists.
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
        """Close all connections; no thread may use the file then."""
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """That of this thread, in a transaction."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(self._path, timeout=_PATIENCE_S, check_same_thread=False)
            found.execute("PRAGMA foreign_keys = ON")
            found.execute("PRAGMA synchronous = OFF")  # a lost cache is computed again
            self._local.connection = found
            with self._lock:
                self._opened.append(found)
        with found:
            yield found

    def keys(self) -> dict[int, str]:
        """Run -> key of the estimates that are there."""
        with self._connection() as connection:
            return dict(connection.execute("SELECT number, key FROM run"))

    def gate_keys(self) -> dict[tuple[int, int], str]:
        """Run and earlier run -> key of the judgement that is there."""
        with self._connection() as connection:
            found = connection.execute("SELECT run, before, key FROM gate")
            return {(run, before): key for run, before, key in found}

    def gate_count(self) -> int:
        """How many judgements there are."""
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM gate").fetchone()[0])

    def drop(self, runs: Iterable[int], gates: Iterable[tuple[int, int]]) -> None:
        """Forget runs and judgements that the store no longer has so."""
        with self._connection() as connection:
            connection.executemany("DELETE FROM run WHERE number = ?", [(run,) for run in runs])
            connection.executemany("DELETE FROM gate WHERE run = ? AND before = ?", list(gates))

    def put(self, number: int, key: str, details: RunDetails, lines: Iterable[Line]) -> None:
        """Keep a run, in place of what was kept under its number."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM run WHERE number = ?", (number,))
            connection.execute(
                "INSERT INTO run VALUES (?, ?, ?)", (number, key, json.dumps(asdict(details)))
            )
            for line in lines:
                _insert_line(connection, line)

    def put_gate(self, key: str, gate: RunGate) -> None:
        """Keep a judgement, in place of what was kept for its two runs."""
        place = (gate.run, gate.before)
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM gate WHERE run = ? AND before = ?", place)
            connection.execute(
                "INSERT INTO gate VALUES (?, ?, ?, ?, ?)",
                (*place, key, gate.answer, json.dumps(gate.reasons)),
            )
            for change in gate.changes:
                connection.execute(
                    f"INSERT INTO change ({_CHANGE}) VALUES ({', '.join('?' * 12)})",  # noqa: S608 - our own constant
                    tuple(asdict(change).values()),
                )

    def details(self, number: int) -> RunDetails | None:
        """What a run says besides its figures; None where it is not kept."""
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
            fields: names of figures; empty: none is read.
            runs: numbers; None: all.
            algorithm: None: all.
            implementation: None: all.
            sizes_bytes: message lengths; empty: all.

        Returns:
            In the order of runs, then as the run has them.
        """
        where, values = ["1"], list[Any]()
        if runs is not None:
            where.append(f"run IN ({', '.join('?' * len(runs))})")
            values += runs
        for column, wanted in (("algorithm", algorithm), ("implementation", implementation)):
            if wanted is not None:
                where.append(f"{column} = ?")
                values.append(wanted)
        if sizes_bytes:
            where.append(f"size_bytes IN ({', '.join('?' * len(sizes_bytes))})")
            values += sizes_bytes
        condition = " AND ".join(where)
        marks = ", ".join("?" * len(fields))
        figures: dict[int, dict[str, Estimate]] = {}
        with self._connection() as connection:
            if fields:
                query = (
                    "SELECT line, field, median, low, high, evidence, samples FROM figure "  # noqa: S608 - our own constants
                    f"WHERE line IN (SELECT id FROM line WHERE {condition}) AND field IN ({marks})"
                )
                for line, field, *values_ in connection.execute(query, [*values, *fields]):
                    figures.setdefault(line, {})[field] = Estimate(*values_)
            query = f"SELECT {_LINE} FROM line WHERE {condition} ORDER BY run, id"  # noqa: S608 - our own constants
            found = connection.execute(query, values)
            return [_line_of(row, figures.get(row[0], {})) for row in found]

    def fields_of(self, algorithm: str, runs: Sequence[int]) -> list[str]:
        """Figures that lines of an algorithm in these runs have, in the order of the table."""
        marks = ", ".join("?" * len(runs))
        query = f"SELECT DISTINCT fields FROM line WHERE algorithm = ? AND run IN ({marks})"  # noqa: S608 - question marks
        with self._connection() as connection:
            found = {name for (text,) in connection.execute(query, [algorithm, *runs])
                     for name in text.split()}  # fmt: skip
        return [field for field in KEPT_FIELDS if field in found]

    def gates_of(self, run: int) -> list[tuple[int, str, list[str]]]:
        """Earlier run, answer and reasons of each judgement of a run."""
        with self._connection() as connection:
            found = connection.execute(
                "SELECT before, answer, reasons FROM gate WHERE run = ? ORDER BY before", (run,)
            )
            return [(before, answer, json.loads(reasons)) for before, answer, reasons in found]

    def changes(
        self,
        *,
        run: int | None = None,
        implementation: str | None = None,
        most: int | None = None,
    ) -> list[Change]:
        """Lines that became slower or faster beyond the threshold, the newest run first."""
        where: Mapping[str, Any] = {"run": run, "implementation": implementation}
        asked = {name: value for name, value in where.items() if value is not None}
        condition = " AND ".join(["1", *(f"{name} = ?" for name in asked)])
        query = (
            f"SELECT {_CHANGE} FROM change WHERE {condition} "  # noqa: S608 - our own constants
            "ORDER BY run DESC, flagged DESC, ratio DESC LIMIT ?"
        )
        with self._connection() as connection:
            found = connection.execute(query, [*asked.values(), -1 if most is None else most])
            return [Change(*(*row[:-1], bool(row[-1]))) for row in found]


def _insert_line(connection: sqlite3.Connection, line: Line) -> None:
    cursor = connection.execute(
        f"INSERT INTO line ({_LINE}, fields) VALUES (NULL, {', '.join('?' * 12)})",  # noqa: S608 - our own constant
        (
            line.run, line.algorithm, line.implementation, line.name, line.provider, line.target,
            line.size_bytes, line.length, line.workload, json.dumps(line.doubts),
            json.dumps(line.causes), " ".join(line.figures),
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO figure VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                cursor.lastrowid,
                field,
                figure.median,
                figure.low,
                figure.high,
                figure.evidence,
                figure.samples,
            )
            for field, figure in line.figures.items()
        ],
    )


def _line_of(row: Sequence[Any], figures: dict[str, Estimate]) -> Line:
    values = [*row[1:10], _sentences(row[10]), _sentences(row[11]), figures]
    return Line(*values)


@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[str, ...]:
    """Doubts or causes from JSON. Most lines of a store have none, and others the same few."""
    return tuple(json.loads(text))
