# SPDX-License-Identifier: Apache-2.0
"""The address of a store, and an engine that speaks to its database.

The first part is for servers alone. On SQLite one connection serves the whole store: the store
itself lets one thread in at a time, and an in-memory database exists in its connection alone.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from joulemark.errors import StoreError
from joulemark.foreign import ForeignError, shortened, visible
from joulemark.foreign.records import parse_json
from joulemark.store import Unreadable

if TYPE_CHECKING:
    from psycopg import Connection as ServerConnection


# PostgreSQL: addresses, passwords, and connections that keep the promises of a store.
#
# A password comes from the variable JOULEMARK_STORE or from libpq's password file (PGPASSFILE). The
# command line takes it out of the address by `without_password`, before any other code sees the
# address. From then on this module alone knows the password, for the life of the process.

INSTALL: Final = "pip install 'joulemark[postgresql]'"
_DRIVER: Final = "postgresql+psycopg"
_SECRET_OPTIONS: Final = ("password", "sslpassword")
_CONNECT_S: Final = 5
_SETTINGS: Final = """
    SET SESSION TIME ZONE 'UTC';
    SET lock_timeout = {patience_ms};
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off'
"""
"""Settings that a server or a role may have changed. With these, a returned commit is on disk."""

write_json = partial(json.dumps, allow_nan=False)
"""Writes JSON columns of every store."""

_passwords: dict[URL, str] = {}
"""Address without its password -> the password."""


def without_password(location: str) -> str:
    """The location as it may be shown, stored and handed on; this process remembers the password.

    Args:
        location: a path or a URL; a location without a password comes back unchanged.
    """
    if "://" not in location:
        return location
    try:
        url = make_url(location)
    except (ArgumentError, ValueError):
        return location  # which `StoreAddress` refuses
    if url.password is None:
        return location
    shown = url._replace(password=None)
    _passwords[_with_driver(shown)] = url.password
    return shown.render_as_string(hide_password=False)


def server_url(url: URL) -> URL:
    """The address of a PostgreSQL database, completed with driver and known password."""
    _, _, driver = url.drivername.partition("+")
    if driver not in ("", "psycopg"):
        raise StoreError(
            f"the store's address names the driver '{shortened(driver)}'; Joulemark speaks to "
            "PostgreSQL through psycopg: postgresql+psycopg://user@host/name"
        )
    for name in _SECRET_OPTIONS:
        if name in url.query:
            raise StoreError(
                f"the store's address has a secret among its options ({name}); keep it in the "
                "password file that PGPASSFILE names"
            )
    url = _with_driver(url)
    if url.password is None and url in _passwords:
        return url.set(password=_passwords[url])
    return url


def _with_driver(url: URL) -> URL:
    return url.set(drivername=_DRIVER)


def server_engine(
    url: URL, name: str, *, patience_s: float, most_silent_s: float | None = None
) -> Engine:
    """Make an engine; nothing is opened yet.

    A connection that has broken since its last use is replaced in silence (`pool_pre_ping`): what
    was acknowledged before is in the database, and a transaction never outlives its connection.

    Args:
        url: from `server_url`.
        name: how sentences name the store.
        patience_s: how long a write waits for a lock.
        most_silent_s: a connection ends whose server is silent for longer within a statement, above
            `patience_s`, since a wait for a lock is silent too; None: it waits without an end.
    """
    # libpq takes 2 s at the least (its manual, 32.1.2).
    connect_s = max(2, min(_CONNECT_S, round(most_silent_s or _CONNECT_S)))
    try:
        engine = create_engine(
            url,
            json_serializer=write_json,
            json_deserializer=_json_or_unreadable,
            pool_pre_ping=True,
            pool_size=1,
            max_overflow=2,
            hide_parameters=True,
            connect_args={
                "connect_timeout": connect_s,
                "application_name": "joulemark",
                # A server whose machine has vanished is noticed within a minute.
                "keepalives_idle": 20,
                "keepalives_interval": 10,
                "keepalives_count": 3,
                "tcp_user_timeout": 60_000,
            },
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            f"{name} needs the Python package psycopg, which is not installed: {INSTALL}"
        ) from error

    def settle(connection: Any, _record: object) -> None:
        settings = _SETTINGS.format(patience_ms=max(1, round(patience_s * 1000)))
        with connection.cursor() as cursor:
            cursor.execute(settings)
        connection.commit()

    event.listen(engine, "connect", settle)
    if most_silent_s is not None:
        kind = _limited_connection(most_silent_s)
        event.listen(engine, "do_connect", lambda _, __, words, said: kind.connect(*words, **said))
    return engine


_T = TypeVar("_T")


@cache
def _limited_connection(most_silent_s: float) -> type[ServerConnection[Any]]:
    """Class of psycopg's connections that end when their server is silent for too long.

    Nothing else ends such a wait. The server's own limits (`statement_timeout`) hang with it, and
    Linux acknowledges what is sent to a process that is stopped, so `tcp_user_timeout` never comes.
    """
    import psycopg  # noqa: PLC0415 - an extra, which is there where an engine is

    class Limited(psycopg.Connection[Any]):
        """A connection whose every statement, commit and rollback goes through `wait`."""

        def wait(self, gen: Generator[Any, Any, _T], *words: Any, **options: Any) -> _T:
            try:
                return super().wait(_with_limit(gen, most_silent_s), *words, **options)
            except TimeoutError as error:
                self.pgconn.finish()
                raise psycopg.OperationalError(str(error)) from None

    return Limited


def _with_limit(work: Generator[Any, Any, _T], most_silent_s: float) -> Generator[Any, Any, _T]:
    """Passes on the steps of `work`, and ends it if its socket is not ready for too long.

    Psycopg sends in the state of the socket, and 0 from time to time while the socket is not ready.

    Raises:
        TimeoutError: the server sent nothing for longer than `most_silent_s`.
    """
    heard_s = time.monotonic()
    ready: Any = None
    while True:
        try:
            wanted = work.send(ready)
        except StopIteration as end:
            result: _T = end.value
            return result
        ready = yield wanted
        now_s = time.monotonic()
        if ready:
            heard_s = now_s
        elif now_s - heard_s > most_silent_s:
            raise TimeoutError(f"it did not answer for {most_silent_s:g} s")


def _json_or_unreadable(text: str | bytes) -> Any:
    """JSON as `parse_json` reads it, or `Unreadable`, which `Cells` refuses by table and row."""
    try:
        return parse_json(text)
    except ForeignError as error:
        return Unreadable(str(error))


WRITES = {"joulemark_writes": True}
"""Execution options of a transaction that will write: SQLite then takes the write lock first."""

_MEMORY = ":memory:"


@dataclass(frozen=True)
class StoreAddress:
    """A database address."""

    url: URL
    path: Path | None
    """The file; None for a database in memory or on a server."""
    name: str
    """How sentences name the database; never holds a password."""

    @property
    def on_server(self) -> bool:
        """Whether a PostgreSQL server keeps it."""
        return self.url.get_backend_name() == "postgresql"

    @classmethod
    def of(cls, location: str | Path) -> StoreAddress:
        """Read a path, `:memory:` or a database URL."""
        if isinstance(location, str) and "://" in location:
            try:
                url = make_url(location)
            except (ArgumentError, ValueError):  # ValueError: the port is no number
                raise StoreError(
                    "the store's address is not a path and not a database URL such as "
                    "postgresql+psycopg://user@host/name"
                ) from None
            kind = url.get_backend_name()
            if kind in ("postgresql", "postgres"):
                url = server_url(url)
                return cls(url, None, visible(url.render_as_string(hide_password=True)))
            if kind != "sqlite":
                raise StoreError(
                    f"the store's address begins with '{shortened(kind)}'; a store is an SQLite "
                    "file, or a PostgreSQL database: postgresql+psycopg://user@host/name"
                )
            location = url.database or _MEMORY
        if str(location) == _MEMORY:
            return cls(URL.create("sqlite", database=_MEMORY), None, "the store in memory")
        try:
            path = Path(location).expanduser()
        except RuntimeError:
            raise StoreError(
                f"{visible(str(location))} begins with a home folder that is not known here; give "
                "the whole path"
            ) from None
        return cls(URL.create("sqlite", database=str(path)), path, visible(str(path)))

    def require_usable(self, *, create: bool) -> None:
        """Refuse, before SQLite touches anything, a file that cannot become or be a store."""
        if self.path is None:
            return
        try:
            if self.path.is_dir():
                raise StoreError(f"{self.name} is a folder; name a file in it with --store")
            if self.path.exists():
                if not self.path.is_file():
                    raise StoreError(f"{self.name} is not a file; name another with --store")
            elif not self.path.parent.is_dir():
                raise StoreError(
                    f"there is no folder {self.path.parent} to hold {self.path.name}; "
                    "create it, or name another place with --store"
                )
            elif not create:
                raise StoreError(
                    f"there is no store at {self.name}; measure something first with "
                    "'joulemark bench', or name another with --store"
                )
        except OSError as error:
            raise StoreError(f"{self.name} cannot be reached ({error.strerror})") from error

    @property
    def only_readable(self) -> bool:
        """Whether there is a file, and this user may not write it or its folder."""
        if self.path is None or not self.path.is_file():
            return False
        folder = self.path.absolute().parent
        return not (os.access(self.path, os.W_OK) and os.access(folder, os.W_OK))

    @property
    def reading_uri(self) -> str:
        """SQLite's name of the file for a connection that cannot write."""
        assert self.path is not None
        return f"file:{quote(str(self.path.absolute()))}?mode=ro"


def engine_for(
    address: StoreAddress,
    *,
    patience_s: float,
    read_only: bool = False,
    most_silent_s: float | None = None,
) -> Engine:
    """Make an engine; nothing is opened yet.

    Args:
        address: where the database lies.
        patience_s: seconds that a write waits for another process's write.
        read_only: whether this user may only read the file: writes then go to a copy in memory that
            lives as long as the engine, so that an older schema can be brought up to date.
        most_silent_s: longest silence of a server within a statement; None for no limit.
    """
    if address.on_server:
        return server_engine(
            address.url, address.name, patience_s=patience_s, most_silent_s=most_silent_s
        )
    options: dict[str, Any] = {
        "json_serializer": write_json,
        "json_deserializer": parse_json,
        "poolclass": StaticPool,
    }
    if read_only:
        options["creator"] = partial(_copy_in_memory, address)
    else:
        # isolation_level None hands BEGIN to _begin below; the module's own BEGIN comes too late.
        options["connect_args"] = {
            "timeout": patience_s,
            "isolation_level": None,
            "check_same_thread": False,
        }
    engine = create_engine(address.url, **options)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _begin)
    return engine


def _copy_in_memory(address: StoreAddress) -> sqlite3.Connection:
    """A database in memory with the content of a file.

    A file with a write-ahead log wants shared memory beside it, which nobody can make in a folder
    that cannot be written. If the log is missing or empty, the file is complete without shared
    memory (`immutable`).
    """
    assert address.path is not None
    log = address.path.with_name(f"{address.path.name}-wal")
    complete = not log.is_file() or log.stat().st_size == 0
    uri = f"{address.reading_uri}{'&immutable=1' if complete else ''}"
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with closing(sqlite3.connect(uri, uri=True)) as file:
            file.backup(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
    """Settings that SQLite forgets with each connection.

    With a write-ahead log, NORMAL keeps every committed transaction when the process dies; after a
    power cut the last few may be missing, and the file is whole in both cases.
    """
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin(connection: Connection) -> None:
    """Take the write lock at the start: a lock asked for half way cannot be waited for."""
    writes = connection.get_execution_options().get("joulemark_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
