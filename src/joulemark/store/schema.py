# SPDX-License-Identifier: Apache-2.0
"""Brings a database to the schema this program knows, or refuses it untouched.

A store is recognised by its own version table, so a database of another program, even one that
uses Alembic too, is never taken for ours.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from sqlite3 import SQLITE_BUSY, SQLITE_LOCKED

from sqlalchemy import Connection, Engine, inspect, text

from joulemark.errors import StoreError
from joulemark.store.database.address import WRITES, StoreAddress
from joulemark.store.database.refusals import damaged

__all__ = ["HEAD", "MIGRATIONS", "VERSION_TABLE", "bring_up_to_date"]

HEAD = "0008"
"""Newest schema; equals the name of the last migration."""

_KNOWN = frozenset(f"{number:04d}" for number in range(1, int(HEAD) + 1))
_MIGRATING = 0x4A4D_0001
"""Number of the lock under which a server's database gets its tables."""
_FORM = re.compile(r"[0-9]{4,5}")
VERSION_TABLE = "joulemark_schema"
MIGRATIONS = Path(__file__).resolve().parent / "migrations"


def bring_up_to_date(
    engine: Engine, address: StoreAddress, *, patience_s: float, create: bool = True
) -> None:
    """Create the tables of an empty database, or upgrade an older one, in one transaction.

    Args:
        engine: to the database.
        address: of the database.
        patience_s: how long to wait for another process, in seconds.
        create: whether an empty database of a server becomes a store.

    Raises:
        StoreError: the database belongs to something else, or to a newer Joulemark.
    """
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
    from joulemark.store.upgrade import upgrade  # noqa: PLC0415 - Alembic; once in a file's life

    upgrade(connection, MIGRATIONS, VERSION_TABLE)
