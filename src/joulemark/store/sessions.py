# SPDX-License-Identifier: Apache-2.0
"""Sessions in the store: the windows of many sessions at once, which belong to no run.

A point is one implementation at one length in so many sessions, with the window that stands for
each round, all its counters included, and the history of the attempts before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, select, text
from sqlalchemy.orm import Session

from joulemark.errors import UsageError
from joulemark.foreign.text import visible_values
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.mixes import parse_mix
from joulemark.records.sessions import SessionsWindow
from joulemark.store import rows
from joulemark.store.cells import Cells
from joulemark.store.fields import EnvironmentFields
from joulemark.store.firmware import FirmwareAccess
from joulemark.store.models import SessionsPointRow

__all__ = [
    "SessionsAccess", "SessionsAttempt", "SessionsPoint", "SessionsRound", "StoredSessions",
    "point_as_json",
]  # fmt: skip

_ONE_AT_A_TIME = text("LOCK TABLE sessions_point IN SHARE ROW EXCLUSIVE MODE")
"""Two processes that add the same point at once would both find none."""
_MOST_SESSIONS = 1 << 20
_LARGEST_BYTES = 1 << 50


@dataclass(frozen=True, slots=True)
class SessionsAttempt:
    """What was asked of a window, and what was wrong with it."""

    warm_up_ns: int
    window_ns: int
    troubles: tuple[str, ...]
    """Empty where it counts."""


@dataclass(frozen=True, slots=True)
class SessionsRound:
    """One round of a point."""

    window: SessionsWindow
    """The one that figures stand on."""
    troubles: tuple[str, ...]
    """Of that window; empty where it counts."""
    attempts: tuple[SessionsAttempt, ...]
    """All that were taken, in order."""


@dataclass(frozen=True, slots=True)
class SessionsPoint:
    """One implementation at one length in so many sessions."""

    facts: ImplementationFacts
    """What the implementation says of itself."""
    size_bytes: int
    """0 where lengths are mixed."""
    mix: str
    """As `joulemark.records.mixes.parse_mix` writes it, or empty."""
    sessions: int
    rounds: tuple[SessionsRound, ...]
    environment: Mapping[str, Any]
    """`Environment.as_dict()`."""
    joulemark_version: str


@dataclass(frozen=True, slots=True)
class StoredSessions:
    """A point as stored."""

    id: int
    made_at: datetime
    """When it was put into the store, UTC."""
    point: SessionsPoint


@dataclass(frozen=True, slots=True)
class _MeasuredRounds:
    rounds: tuple[SessionsRound, ...]


class SessionsAccess(FirmwareAccess):
    """The part of the store about sessions; the promises are those of `Store`."""

    def add_sessions(self, point: SessionsPoint, *, made_at: datetime | None = None) -> int | None:
        """Store a point and return its number, or None where it waits for a server.

        Args:
            point: what was measured.
            made_at: when it was first stored; now unless given. An equal point of that moment, if
                there is one, is this one, and is not stored again.

        Raises:
            TypeError: it holds something that JSON has no form for.
            ValueError: a number is NaN or infinite.
        """
        row = SessionsPointRow(
            implementation=point.facts.implementation,
            facts=rows.plain(point.facts.as_dict()),
            size_bytes=point.size_bytes,
            mix=point.mix,
            sessions=point.sessions,
            measured=rows.plain(asdict(_MeasuredRounds(point.rounds))),
            environment=rows.plain(point.environment),
            made_at=made_at or datetime.now(UTC),
            joulemark_version=point.joulemark_version,
        )
        with self._guard(), Session(self._writer) as session, session.begin():
            if made_at is not None:
                if self._address.on_server:
                    session.execute(_ONE_AT_A_TIME)
                same = _of_size(point.size_bytes).where(SessionsPointRow.made_at == made_at)
                given = visible_values(point_as_json(point))
                for there in session.scalars(same):
                    if point_as_json(_stored(there).point) == given:
                        return there.id
            session.add(row)
            session.flush()
            return row.id

    def sessions_points(self, *, size_bytes: int, sessions: int) -> list[StoredSessions]:
        """Points at one length, without a mix, in so many sessions, in the order they were added.

        Args:
            size_bytes: of the messages.
            sessions: at once.
        """
        query = _of_size(size_bytes).where(
            SessionsPointRow.sessions == sessions, SessionsPointRow.mix == ""
        )
        with self._reading() as session:
            return [_stored(row) for row in session.scalars(query)]

    def all_sessions(self) -> list[StoredSessions]:
        """Every point, in the order they were added."""
        query = select(SessionsPointRow).order_by(SessionsPointRow.id)
        with self._reading() as session:
            return [_stored(row) for row in session.scalars(query)]


def point_as_json(point: SessionsPoint) -> dict[str, Any]:
    """A point as JSON values, from which `record_from_json` makes it again.

    Raises:
        TypeError: it holds something that JSON has no form for.
        ValueError: a number is NaN or infinite.
    """
    return rows.plain(asdict(point))


def _of_size(size_bytes: int) -> Select[SessionsPointRow]:
    return (
        select(SessionsPointRow)
        .where(SessionsPointRow.size_bytes == size_bytes)
        .order_by(SessionsPointRow.id)
    )


def _stored(row: SessionsPointRow) -> StoredSessions:
    cells = Cells(row, "sessions_point")
    facts = cells.record(ImplementationFacts, "facts")
    if facts.implementation != cells.text("implementation"):
        raise cells.damaged("facts", "they are those of another implementation")
    mix = cells.text("mix")
    try:
        known = not mix or parse_mix(mix) == mix
    except UsageError:
        known = False
    if not known:
        raise cells.damaged("mix", "it is no mix of lengths")
    point = SessionsPoint(
        facts=facts,
        size_bytes=cells.whole("size_bytes", most=_LARGEST_BYTES),
        mix=mix,
        sessions=cells.whole("sessions", least=1, most=_MOST_SESSIONS),
        rounds=cells.record(_MeasuredRounds, "measured").rounds,
        environment=cells.checked_json(EnvironmentFields, "environment"),
        joulemark_version=cells.text("joulemark_version"),
    )
    if any(
        len(sessions_round.window.sessions) != point.sessions for sessions_round in point.rounds
    ):
        raise cells.damaged("measured", "a window has another number of sessions")
    return StoredSessions(cells.whole("id"), cells.moment("made_at"), point)
