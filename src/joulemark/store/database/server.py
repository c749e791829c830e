# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL: addresses, passwords, and connections that keep the promises of a store.

A password comes from the variable JOULEMARK_STORE or from libpq's password file (PGPASSFILE). The
command line takes it out of the address by `without_password`, before any other code sees the
address. From then on this module alone knows the password, for the life of the process.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from joulemark.errors import StoreError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.text import shortened
from joulemark.store.database.cells import Unreadable

__all__ = ["INSTALL", "server_engine", "server_url", "without_password", "write_json"]

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
    """The address of a PostgreSQL database, completed with driver and known password.

    Raises:
        StoreError: the address names another driver, or holds a password that would be shown.
    """
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


def server_engine(url: URL, name: str, *, patience_s: float) -> Engine:
    """Make an engine; nothing is opened yet.

    A connection that has broken since its last use is replaced in silence (`pool_pre_ping`): what
    was acknowledged before is in the database, and a transaction never outlives its connection.

    Args:
        url: from `server_url`.
        name: how sentences name the store.
        patience_s: how long a write waits for a lock.

    Raises:
        StoreError: the driver is not installed.
    """
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
                "connect_timeout": _CONNECT_S,
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
    return engine


def _json_or_unreadable(text: str | bytes) -> Any:
    """JSON as `parse_json` reads it, or `Unreadable`, which `Cells` refuses by table and row."""
    try:
        return parse_json(text)
    except ForeignError as error:
        return Unreadable(str(error))
