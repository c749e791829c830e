# SPDX-License-Identifier: Apache-2.0
"""What belongs to no run: reports of hardware cores, and windows of many sessions at once.

A report is kept as its own JSON, which has its schema's version (`records.core_report`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, select

from joulemark.foreign import visible_values
from joulemark.records import ImplementationFacts, JsonObject
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.sample import SessionsWindow
from joulemark.store import Cells, CoreReportRow, SessionsPointRow, rows
from joulemark.store.observations import ObservationAccess
from joulemark.store.rows import EnvironmentFields

_ORIGIN = StoredCoreReport.model_fields.keys() - CoreReport.model_fields.keys()


def _report_of(row: CoreReportRow) -> StoredCoreReport:
    cells = Cells(row, "core_report")
    report = cells.record(CoreReport, "report")
    return StoredCoreReport(
        **dict(report),
        digest=cells.text("digest"),
        joulemark_version=cells.text("joulemark_version"),
        made_at=cells.moment("made_at").isoformat(),
    )


# Sessions in the store: the windows of many sessions at once, which belong to no run.
#
# A point is one implementation at one length in a number of sessions. Each of its rounds has one
# window with all counters, and the history of the attempts before that window.

_MOST_SESSIONS = 1 << 20


@dataclass(frozen=True, slots=True)
class SessionsAttempt:
    """The length that a window was to have, and its troubles."""

    warm_up_ns: int
    window_ns: int
    troubles: tuple[str, ...]
    """Reasons why the window does not count; empty if it counts."""


@dataclass(frozen=True, slots=True)
class SessionsRound:
    """One round of a point."""

    window: SessionsWindow
    """The window that figures stand on."""
    troubles: tuple[str, ...]
    """Reasons why that window does not count; empty if it counts."""
    attempts: tuple[SessionsAttempt, ...]
    """All windows that were taken, in order."""


@dataclass(frozen=True, slots=True)
class SessionsPoint:
    """One implementation at one length in a number of sessions."""

    facts: ImplementationFacts
    size_bytes: int
    """Length of the messages; 0 if lengths are mixed."""
    mix: str
    """Mix of lengths, as `joulemark.records.trial.parse_mix` writes it; empty if there is none."""
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
    """When the point was first stored, UTC."""
    point: SessionsPoint


@dataclass(frozen=True, slots=True)
class _MeasuredRounds:
    rounds: tuple[SessionsRound, ...]


class BesideRunsAccess(ObservationAccess):
    """The part of the store that belongs to no run; the promises are those of `Store`."""

    def add_core_report(self, report: StoredCoreReport) -> int:
        """Store a report, unless an equal report is there, and return its number.

        Reports of the same digest that differ in more than their moment are both kept: a tool that
        gives other figures for the same input is worth knowing of.
        """
        row = CoreReportRow(
            report=rows.plain(report.model_dump(mode="json", exclude=_ORIGIN)),
            digest=report.digest,
            joulemark_version=report.joulemark_version,
            made_at=datetime.fromisoformat(report.made_at),
        )
        alike = select(CoreReportRow).where(CoreReportRow.digest == report.digest)
        return self._add_once(
            row,
            alike.order_by(CoreReportRow.id),
            lambda there: (
                _report_of(there).model_copy(update={"made_at": report.made_at}) == report
            ),
        )

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, the oldest first."""
        query = select(CoreReportRow).order_by(CoreReportRow.made_at, CoreReportRow.id)
        with self.reading() as session:
            return [_report_of(row) for row in session.scalars(query)]

    def add_sessions(self, point: SessionsPoint, *, made_at: datetime | None = None) -> int:
        """Store a point and return its number.

        Args:
            point: to store.
            made_at: when it was first stored; now unless given. If the store has an equal point of
                that moment, the number of that point is returned and nothing is stored.
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
        if made_at is None:
            return self._add_once(row, None, lambda _: False)
        shown = visible_values(point_as_json(point))
        return self._add_once(
            row,
            _of_size(point.size_bytes).where(SessionsPointRow.made_at == made_at),
            lambda stored: point_as_json(_point_of(stored).point) == shown,
        )

    def sessions_points(self, *, size_bytes: int, sessions: int) -> list[StoredSessions]:
        """Points at one length, without a mix, in `sessions` sessions, the oldest first."""
        query = _of_size(size_bytes).where(
            SessionsPointRow.sessions == sessions, SessionsPointRow.mix == ""
        )
        with self.reading() as session:
            return [_point_of(row) for row in session.scalars(query)]

    def all_sessions(self) -> list[StoredSessions]:
        """Every point, the oldest first."""
        query = select(SessionsPointRow).order_by(SessionsPointRow.made_at, SessionsPointRow.id)
        with self.reading() as session:
            return [_point_of(row) for row in session.scalars(query)]


def point_as_json(point: SessionsPoint) -> JsonObject:
    """A point as JSON values, from which `record_from_json` makes an equal point."""
    return rows.plain(asdict(point))


def _of_size(size_bytes: int) -> Select[SessionsPointRow]:
    return (
        select(SessionsPointRow)
        .where(SessionsPointRow.size_bytes == size_bytes)
        .order_by(SessionsPointRow.made_at, SessionsPointRow.id)
    )


def _point_of(row: SessionsPointRow) -> StoredSessions:
    cells = Cells(row, "sessions_point")
    facts = cells.record(ImplementationFacts, "facts")
    if facts.implementation != cells.text("implementation"):
        raise cells.damaged("facts", "they are those of another implementation")
    point = SessionsPoint(
        facts=facts,
        size_bytes=cells.whole("size_bytes", most=rows.LARGEST_BYTES),
        mix=rows.mix_of(cells),
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


def latest_reports(stored: Iterable[StoredCoreReport]) -> list[StoredCoreReport]:
    """The newest report of each core, parameters, target and settings, by algorithm and name."""
    newest = {_identity(report): report for report in stored}
    return sorted(
        newest.values(),
        key=lambda report: (report.algorithm, report.core, report.target, report.digest),
    )


def _identity(report: StoredCoreReport) -> str:
    parts = [report.core, report.target, report.device, report.parameters, report.settings]
    return json.dumps(parts, sort_keys=True)
