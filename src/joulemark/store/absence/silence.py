# SPDX-License-Identifier: Apache-2.0
"""Bounds the silence of a server, so that a server that hangs counts as a server that is away.

Nothing else ends the wait. The server's own limits (`statement_timeout`) hang with it, and Linux
acknowledges what is sent to a process that is stopped, so `tcp_user_timeout` never comes.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["limit_silence"]

T = TypeVar("T")


def limit_silence(engine: Engine, silence_s: float) -> None:
    """Ends each connection of an engine whose server is silent for too long within a statement.

    A wait for a lock counts as silence, so the limit must be longer than the patience of the
    engine. Present connections are closed.

    Args:
        engine: to a PostgreSQL server.
        silence_s: longest silence, above 0.
    """
    kind = _limited_connection(silence_s)

    def connect(_dialect: object, _record: object, words: Any, options: Any) -> Connection[Any]:
        # libpq takes 2 s at the least (its manual, 32.1.2).
        patience_s = min(options["connect_timeout"], max(2, round(silence_s)))
        return kind.connect(*words, **{**options, "connect_timeout": patience_s})

    event.listen(engine, "do_connect", connect)
    engine.dispose()


@cache
def _limited_connection(silence_s: float) -> type[Connection[Any]]:
    """Class of psycopg's connections with this limit."""
    import psycopg  # noqa: PLC0415 - an extra, which is there where an engine is

    class Limited(psycopg.Connection[Any]):
        """A connection whose every statement, commit and rollback goes through `wait`."""

        def wait(self, gen: Generator[Any, Any, T], *words: Any, **options: Any) -> T:
            try:
                return super().wait(_with_limit(gen, silence_s), *words, **options)
            except TimeoutError as error:
                self.pgconn.finish()
                raise psycopg.OperationalError(str(error)) from None

    return Limited


def _with_limit(work: Generator[Any, Any, T], silence_s: float) -> Generator[Any, Any, T]:
    """Passes on the steps of `work`, and ends it if its socket is not ready for too long.

    Psycopg sends in the state of the socket, and 0 from time to time while the socket is not ready.

    Raises:
        TimeoutError: the server sent nothing for longer than `silence_s`.
    """
    heard_s = time.monotonic()
    ready: Any = None
    while True:
        try:
            wanted = work.send(ready)
        except StopIteration as end:
            result: T = end.value
            return result
        ready = yield wanted
        now_s = time.monotonic()
        if ready:
            heard_s = now_s
        elif now_s - heard_s > silence_s:
            raise TimeoutError(f"it did not answer for {silence_s:g} s")
