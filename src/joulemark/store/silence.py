# SPDX-License-Identifier: Apache-2.0
"""A bound on how long a server may say nothing: one that hangs is then as one that is away.

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
    """Ends connections of an engine whose server says nothing for so long within a statement.

    A wait for a lock counts, so the limit must be longer than the patience of the engine. Present
    connections are given up.

    Args:
        engine: to a PostgreSQL server.
        silence_s: above 0.
    """
    kind = _limited(silence_s)

    def connect(_dialect: object, _record: object, words: Any, options: Any) -> Connection[Any]:
        # libpq takes 2 s at the least (its manual, 32.1.2).
        patience_s = min(options["connect_timeout"], max(2, round(silence_s)))
        return kind.connect(*words, **{**options, "connect_timeout": patience_s})

    event.listen(engine, "do_connect", connect)
    engine.dispose()


@cache
def _limited(silence_s: float) -> type[Connection[Any]]:
    """Connections of psycopg that do so."""
    import psycopg  # noqa: PLC0415 - an extra, which is there where an engine is

    class Limited(psycopg.Connection[Any]):
        """Every statement, commit and rollback goes through `wait`."""

        def wait(self, gen: Generator[Any, Any, T], *words: Any, **options: Any) -> T:
            try:
                return super().wait(_listening(gen, silence_s), *words, **options)
            except TimeoutError as error:
                self.pgconn.finish()
                raise psycopg.OperationalError(str(error)) from None

    return Limited


def _listening(work: Generator[Any, Any, T], silence_s: float) -> Generator[Any, Any, T]:
    """The same work, ended when its socket is never ready.

    Psycopg sends what the socket is ready for, and 0 from time to time while that is nothing.

    Raises:
        TimeoutError: nothing came for too long.
    """
    heard_s = time.monotonic()
    ready: Any = None
    while True:
        try:
            wanted = work.send(ready)
        except StopIteration as end:
            found: T = end.value
            return found
        ready = yield wanted
        now_s = time.monotonic()
        if ready:
            heard_s = now_s
        elif now_s - heard_s > silence_s:
            raise TimeoutError(f"it did not answer for {silence_s:g} s")
