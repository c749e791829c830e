# SPDX-License-Identifier: Apache-2.0
"""A store that is open for reading alone: the database itself refuses every write.

Commands that end soon open a store with `Store.open(..., reading=True)`, whose connection can write
if the file can be written. A server stays open beside commands that measure, so its connection must
be unable to write.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from sqlalchemy import Engine, event

from joulemark.store.database.address import StoreAddress, engine_for
from joulemark.store.outline import OutlineStore

__all__ = ["open_for_reading"]

_PATIENCE_S: Final = 10.0


def open_for_reading(location: str) -> OutlineStore:
    """An existing store in the present schema; a call that writes ends in a StoreError.

    An older store is first brought to the present schema, as by each command that opens it. A file
    that this user may not write is read as a copy in memory, as the file is at this moment.

    Args:
        location: path of a file, or a database URL.

    Raises:
        StoreError: the store is not there, not a store, damaged, locked or too new.
    """
    store = OutlineStore.open(location, create=False, reading=True)
    address = StoreAddress.of(location)
    if address.only_readable:
        return store
    store.close()
    return OutlineStore(_reading_engine(address), address)


def _reading_engine(address: StoreAddress) -> Engine:
    engine = engine_for(address, patience_s=_PATIENCE_S)
    if address.path is None:
        return engine.execution_options(postgresql_readonly=True)

    def connect(*_: Any) -> sqlite3.Connection:
        return sqlite3.connect(
            address.reading_uri, uri=True, timeout=_PATIENCE_S, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip

    event.listen(engine, "do_connect", connect)
    return engine
