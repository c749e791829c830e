# SPDX-License-Identifier: Apache-2.0
"""The tables of a new SQLite store are made by the statements that made an earlier store's.

All migrations take 35 ms of CPU time in each of hundreds of tests. Migrations still run in
`tests/store`, on a server, and for an older store.
"""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, create_engine, inspect, text

from joulemark.store import access

__all__ = ["BY_MIGRATIONS", "know_the_schema", "migrate"]

BY_MIGRATIONS = access._migrate
"""The migration that users have."""
_TABLES_THEN_INDEXES = (
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
    "ORDER BY type DESC"
)


def know_the_schema() -> None:
    """New stores of this process and of its forks get their tables from the known statements."""
    access._migrate = migrate
    _statements()


@cache
def _statements() -> tuple[str, ...]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        BY_MIGRATIONS(connection)
        found = tuple(connection.scalars(text(_TABLES_THEN_INDEXES)))
    engine.dispose()
    return found


def migrate(connection: Connection) -> None:
    """Takes the place of `joulemark.store.access._migrate`."""
    if connection.dialect.name != "sqlite" or inspect(connection).get_table_names():
        BY_MIGRATIONS(connection)
        return
    for statement in _statements():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"INSERT INTO {access.VERSION_TABLE} VALUES ('{access.HEAD}')")
