# SPDX-License-Identifier: Apache-2.0
"""Turns an error of a database into one sentence that names the trouble and its remedy.

PostgreSQL names the trouble by a code of five signs (its manual, appendix A); a connection that
cannot be made, or breaks, has no code.

SQLite reports the same trouble by different codes, depending on the moment: a full disk may come as
FULL or as an input/output error of the shared-memory file, a read-only folder as READONLY or as
CANTOPEN. So the code is read first; if it is ambiguous, the folder decides.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from enum import Enum, auto

from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError

from joulemark.errors import StoreAwayError, StoreError
from joulemark.foreign import shortened
from joulemark.store.address import StoreAddress

DATABASE_ERRORS = (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError)
"""Everything that a statement can raise for reasons outside this program."""

_FULL_BELOW_BYTES = 64 * 1024
"""Two blocks of the shared-memory file: with less, an input/output error means a full disk."""


class _Trouble(Enum):
    DAMAGED = auto()
    LOCKED = auto()
    FULL = auto()
    READ_ONLY = auto()
    AWAY = auto()
    NOT_ALLOWED = auto()
    OTHER = auto()


_OF_CODE = {
    sqlite3.SQLITE_NOTADB: _Trouble.DAMAGED,
    sqlite3.SQLITE_CORRUPT: _Trouble.DAMAGED,
    sqlite3.SQLITE_FORMAT: _Trouble.DAMAGED,
    sqlite3.SQLITE_BUSY: _Trouble.LOCKED,
    sqlite3.SQLITE_LOCKED: _Trouble.LOCKED,
    sqlite3.SQLITE_FULL: _Trouble.FULL,
    sqlite3.SQLITE_READONLY: _Trouble.READ_ONLY,
    sqlite3.SQLITE_PERM: _Trouble.READ_ONLY,
}

_OF_STATE = {
    "25006": _Trouble.READ_ONLY,
    "40P01": _Trouble.LOCKED,
    "42501": _Trouble.NOT_ALLOWED,
    "53100": _Trouble.FULL,
    "55P03": _Trouble.LOCKED,
    "57P01": _Trouble.AWAY,
    "57P02": _Trouble.AWAY,
    "57P03": _Trouble.AWAY,
}
_OF_CLASS = {"08": _Trouble.AWAY, "53": _Trouble.AWAY}
"""Troubles by the first two signs: connections, and resources that the server lacks."""

_AMBIGUOUS_CODES = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}


def refusal(
    error: BaseException, address: StoreAddress, count_samples: Callable[[], int | None]
) -> StoreError:
    """Turn a database error into the sentence the user reads.

    Args:
        error: one of `DATABASE_ERRORS`.
        address: where the database lies.
        count_samples: returns the number of samples that can be read; called if the disk is full.
    """
    cause = error.orig if isinstance(error, StatementError) and error.orig else error
    text = shortened(str(cause).splitlines()[0], 200) if str(cause) else type(cause).__name__
    if isinstance(cause, UnicodeDecodeError):  # SQLite repeats damaged names in its messages
        return damaged(address, "it holds text that is not UTF-8")
    trouble = _by_state(error, cause) if address.on_server else _by_code(cause, address)
    match trouble:
        case _Trouble.DAMAGED:
            return damaged(address, text)
        case _Trouble.LOCKED:
            sentence = (
                f"{address.name} is locked by another process; wait until that has finished, "
                "or name another with --store"
            )
        case _Trouble.FULL:
            samples = count_samples()
            kept = f" {samples} samples and windows of all its runs are safe;"
            safe = "" if samples is None else kept
            sentence = (
                f"No space left where {address.name} lies;{safe} free some space and run the same "
                "command to go on"
            )
        case _Trouble.READ_ONLY:
            sentence = _read_only(address, text)
        case _Trouble.AWAY:
            sentence = (
                f"the server of {address.name} cannot be reached ({text}); start it, or mend "
                "the address"
            )
        case _Trouble.NOT_ALLOWED:
            sentence = (
                f"{address.name} is not open to this user ({text}); ask its owner for the right, "
                "or name another with --store"
            )
        case _Trouble.OTHER:
            sentence = f"{address.name} could not be read or written ({text})"
    # A server whose disk is full takes nothing more, until somebody frees space.
    away = address.on_server and trouble in (_Trouble.AWAY, _Trouble.FULL)
    return StoreAwayError(sentence) if away else StoreError(sentence)


def _by_state(error: BaseException, cause: BaseException) -> _Trouble:
    state = getattr(cause, "sqlstate", None)
    if state is None:
        broken = isinstance(error, DBAPIError) and error.connection_invalidated
        failed = type(cause).__name__ in ("OperationalError", "ConnectionTimeout")
        return _Trouble.AWAY if broken or failed else _Trouble.OTHER
    return _OF_STATE.get(state) or _OF_CLASS.get(state[:2], _Trouble.OTHER)


def _read_only(address: StoreAddress, text: str) -> str:
    if address.on_server:
        return f"{address.name} may only be read ({text}); name the server that may be written"
    log = None if address.path is None else address.path.with_name(f"{address.path.name}-wal")
    if log is not None and log.exists():
        return (
            f"{address.name} may only be read, and a part of it is in the log {log.name} beside "
            "it, which cannot be taken in there; copy both into a folder that can be written, and "
            "read them from there"
        )
    return (
        f"{address.name} cannot be written: the file or its folder is read-only ({text}); "
        "change that, or name another with --store"
    )


def damaged(address: StoreAddress, reason: str) -> StoreError:
    """The error that says that the file is not, or no longer, a store."""
    return StoreError(
        f"{address.name} is not a Joulemark database or is damaged ({reason}); "
        "move it away, or name another with --store"
    )


def _by_code(cause: BaseException, address: StoreAddress) -> _Trouble:
    code = getattr(cause, "sqlite_errorcode", None)
    if code is None:
        # The sqlite3 module itself raises this error, without a code.
        return _Trouble.DAMAGED if "decode to UTF-8" in str(cause) else _Trouble.OTHER
    primary = code & 0xFF  # the low byte of the extended code (sqlite.org/rescode.html)
    if primary in _AMBIGUOUS_CODES and address.path is not None:
        return _by_folder(address)
    return _OF_CODE.get(primary, _Trouble.OTHER)


def _by_folder(address: StoreAddress) -> _Trouble:
    assert address.path is not None
    folder = address.path.absolute().parent
    try:
        free = os.statvfs(folder)
    except OSError:
        return _Trouble.OTHER
    if not os.access(folder, os.X_OK) or (
        address.path.exists() and not os.access(address.path, os.R_OK)
    ):
        return _Trouble.NOT_ALLOWED
    if not os.access(folder, os.W_OK) or (
        address.path.exists() and not os.access(address.path, os.W_OK)
    ):
        return _Trouble.READ_ONLY
    if free.f_bavail * free.f_frsize < _FULL_BELOW_BYTES:
        return _Trouble.FULL
    return _Trouble.OTHER
