# SPDX-License-Identifier: Apache-2.0
"""Opens, guards and closes the database of a store; every call of the store goes through here."""

from __future__ import annotations

import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from sqlite3 import SQLITE_BUSY, SQLITE_LOCKED
from types import TracebackType
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine, Select, func, inspect, select, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from joulemark.errors import StoreError
from joulemark.store import (
    Base,
    ClockCountRow,
    CoreReportRow,
    DamagedRowError,
    EnergyWindowRow,
    RunRow,
    SampleRow,
    SessionsPointRow,
)
from joulemark.store.address import WRITES, StoreAddress, engine_for
from joulemark.store.refusals import DATABASE_ERRORS, damaged, refusal

# Brings a database to the schema this program knows, or refuses it untouched.
#
# A store is recognised by its own version table, so a database of another program, even one that
# uses Alembic too, is never taken for ours.

HEAD = "0009"
"""Newest schema; equals the number of the last migration."""

_KNOWN = frozenset(f"{number:04d}" for number in range(1, int(HEAD) + 1))
_MIGRATING = 0x4A4D_0001
"""Number of the lock under which a server's database gets its tables."""
_FORM = re.compile(r"[0-9]{4,5}")
VERSION_TABLE = "joulemark_schema"


def bring_up_to_date(
    engine: Engine, address: StoreAddress, *, patience_s: float, create: bool = True
) -> None:
    """Create the tables of an empty database, or upgrade an older one, in one transaction."""
    with engine.connect() as connection:
        if address.on_server:
            _require_utf_8(connection, address)
        version = _version(connection, address)
    if version is not None and version > HEAD:
        raise StoreError(
            f"{address.name} was written by a newer Joulemark (its schema is {version}, this one "
            f"knows {HEAD}); update Joulemark, or name another with --store"
        )
    if address.path is not None:
        _use_write_ahead_log(engine, patience_s)
    if version == HEAD:
        return
    if version is None and address.on_server and not create:
        raise StoreError(
            f"there is no store at {address.name}; measure something first with 'joulemark bench', "
            "or name another with --store"
        )
    with engine.execution_options(**WRITES).begin() as connection:
        if address.on_server:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
        # Looked at again under the write lock: another process may have been quicker.
        if _version(connection, address) != HEAD:
            _migrate(connection)


def _version(connection: Connection, address: StoreAddress) -> str | None:
    """Schema of the database; None when it is empty."""
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        versions = connection.scalars(text(f"SELECT version_num FROM {VERSION_TABLE}")).all()  # noqa: S608 - our own constant
        version = versions[0] if len(versions) == 1 else None
        # Only the form of a newer version is known.
        if isinstance(version, str) and (
            version in _KNOWN or (_FORM.fullmatch(version) and version > HEAD)
        ):
            return version
        raise damaged(address, "its schema version cannot be read")
    if tables:
        raise StoreError(
            f"{address.name} is a database of another program (it holds {len(tables)} tables and "
            "none is Joulemark's); name another with --store"
        )
    return None


def _require_utf_8(connection: Connection, address: StoreAddress) -> None:
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        raise StoreError(
            f"{address.name} keeps its text as {encoding}, which has no form for all that is "
            "stored; make the database with the encoding UTF8"
        )


def _use_write_ahead_log(engine: Engine, patience_s: float) -> None:
    """Switch the journal once; the file keeps the setting. SQLite does not wait for the lock."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        deadline = time.monotonic() + patience_s
        while True:
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
                break
            except engine.dialect.loaded_dbapi.OperationalError as error:
                # The low byte is the primary result code (sqlite.org/rescode.html).
                locked = error.sqlite_errorcode & 0xFF in (SQLITE_BUSY, SQLITE_LOCKED)
                if not locked or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        row = cursor.fetchone()
        if row is not None and row[0] != "wal":
            # Some network file systems have no shared memory: the old journal then needs FULL.
            cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()
    finally:
        connection.close()


def _migrate(connection: Connection) -> None:
    from joulemark.store.migrations import upgrade  # noqa: PLC0415 - Alembic: 0.1 s, once a file

    upgrade(connection, VERSION_TABLE)


Row = TypeVar("Row", CoreReportRow, SessionsPointRow)


class Access:
    """A database that is open; `Store` says what may be done with it."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """Takes an engine that `open` made; others call `open`."""
        self._engine = engine
        self._writer = engine.execution_options(**WRITES)
        self._address = address
        self._lock = threading.RLock()
        self._closed = False

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        create: bool = True,
        patience_s: float = 10.0,
        reading: bool = False,
        most_silent_s: float | None = None,
    ) -> Self:
        """Open a store, bringing an older one to the present schema.

        Args:
            location: path of a file, `:memory:`, or a database URL.
            create: make the file when there is none, whose folder must exist, or the tables of a
                server's empty database.
            patience_s: how long a write waits for another process's, in seconds.
            reading: whether the caller writes nothing, so that a file which may only be read
                serves too.
            most_silent_s: a server that has not answered for so long counts as away; None: a call
                waits as long as the server hangs.

        Raises:
            StoreError: the database is not there, not a store, damaged, locked, read-only or too
                new.
        """
        address = StoreAddress.of(location)
        address.require_usable(create=create)
        read_only = reading and address.only_readable
        engine = engine_for(
            address, patience_s=patience_s, read_only=read_only, most_silent_s=most_silent_s
        )
        store = cls(engine, address)
        try:
            with store._guard():
                bring_up_to_date(engine, address, patience_s=patience_s, create=create)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def existing(cls, location: str | Path) -> Self:
        """Opens a store that is there, for reading alone, even one that cannot be written."""
        return cls.open(location, create=False, reading=True)

    @classmethod
    def if_there(cls, location: str) -> Self | nullcontext[None]:
        """As `existing`; None for a file that is not there, for commands that can do without."""
        there = "://" in location or Path(location).exists()
        return cls.existing(location) if there else nullcontext(None)

    @property
    def location(self) -> str:
        """Path or address, without any password."""
        return self._address.name

    def integrity(self) -> str:
        """Returns `ok`, or sentences about damage of the database below its rows.

        SQLite checks its file as a whole. PostgreSQL reads every row, refuses a row on a damaged
        page, and names the rules between tables that are not enforced.
        """
        try:
            if self._address.on_server:
                return self._integrity_on_server()
            with self._guard(), self._engine.connect() as connection:
                return "\n".join(connection.scalars(text("PRAGMA integrity_check")))
        except StoreError as error:
            if isinstance(error.__cause__, DatabaseError):
                return str(error.__cause__.orig)
            raise

    def _integrity_on_server(self) -> str:
        with self.reading() as session:
            for table in Base.metadata.sorted_tables:
                session.execute(
                    text(f'SELECT sum(length(t::text)) FROM "{table.name}" AS t')  # noqa: S608 - our own names
                )
            broken = session.scalars(
                text(
                    "SELECT conname FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid "
                    "WHERE NOT convalidated AND relname = ANY(:tables)"
                ),
                {"tables": list(Base.metadata.tables)},
            )
            return "\n".join(f"{name} is not enforced" for name in broken) or "ok"

    def close(self) -> None:
        """Close the database; SQLite takes its log into the file. Closing twice is allowed."""
        with self._lock:
            self._closed = True
            self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        # Ctrl-C may come between the begin of a transaction and its `with` block. Only the error's
        # frames then hold the transaction, which ends with them, and that needs an open database.
        while error is not None:
            traceback.clear_frames(error.__traceback__)
            error = error.__cause__ or error.__context__
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.location!r})"

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Let one thread in, and turn what the database raises into a StoreError."""
        with self._lock:
            if self._closed:
                raise StoreError(f"{self.location} has been closed")
            try:
                yield
            except DamagedRowError as error:
                raise damaged(self._address, str(error)) from error
            except DATABASE_ERRORS as error:
                raise refusal(error, self._address, self._count_samples) from error

    @contextmanager
    def reading(self, run_id: int | None = None) -> Iterator[Session]:
        """A session for reading, for modules of this room."""
        with self._guard(), Session(self._engine) as session:
            if run_id is not None:
                self._require_run(session, run_id)
            yield session

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction that writes, for modules of this room; no method is called within it."""
        with self._guard(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[Session]:
        """A session of one transaction that writes."""
        with self._guard(), Session(self._writer) as session, session.begin():
            yield session

    def _add_once(
        self, row: Row, alike: Select[Row] | None, is_equal: Callable[[Row], bool]
    ) -> int:
        """Adds a row that belongs to no run, unless an equal row is there; returns its number.

        Args:
            row: which has a column `id`.
            alike: finds the rows that may be equal; None adds the row without a look.
            is_equal: whether a row that is there equals the new row.
        """
        with self._changing() as session:
            if alike is not None:
                if self._address.on_server:
                    # Two processes that add the same row at once would both find none.
                    lock = f"LOCK TABLE {row.__tablename__} IN SHARE ROW EXCLUSIVE MODE"
                    session.execute(text(lock))
                for there in session.scalars(alike):
                    if is_equal(there):
                        return there.id
            session.add(row)
            session.flush()
            return row.id

    def _require_run(self, session: Session, run_id: int, *, for_update: bool = False) -> RunRow:
        """The row of a run.

        Args:
            session: of the caller.
            run_id: number of the run.
            for_update: whether others wait with what they add to the run until the end of the
                transaction; on SQLite they wait for every write.
        """
        # PostgreSQL refuses to compare a number of more than 31 bits, SQLite one of more than 63.
        known = 0 < run_id < 1 << 31
        row = session.get(RunRow, run_id, with_for_update=for_update or None) if known else None
        if row is None:
            raise StoreError(f"there is no run {run_id} in {self.location}")
        return row

    def _count_samples(self) -> int | None:
        """Number of observations in the whole store; None if the database cannot count them."""
        tables = (SampleRow, ClockCountRow, EnergyWindowRow)
        counts = [select(func.count()).select_from(table).scalar_subquery() for table in tables]
        try:
            with self._engine.connect() as connection:
                return connection.scalar(select(counts[0] + counts[1] + counts[2]))
        except DATABASE_ERRORS:
            return None
