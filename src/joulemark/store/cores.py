# SPDX-License-Identifier: Apache-2.0
"""What simulations came to, reports of hardware cores, and windows of many sessions at once.

A report is kept as its own JSON, which has its schema's version (`records.core_report`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Select, select

from joulemark.foreign.text import visible_values
from joulemark.records import ImplementationFacts, JsonObject
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.sample import ClockCount, FirmwareCount, SessionsWindow
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.models import (
    Cells,
    ClockCountRow,
    CoreReportRow,
    FirmwareCountRow,
    SessionsPointRow,
    TrialRow,
)
from joulemark.store.rows import EnvironmentFields
from joulemark.store.trials import EnergyAccess

# Counts of simulated trials in the store: clocks of cores, and counts of firmware targets.

Count = TypeVar("Count", ClockCount, FirmwareCount)


class CountAccess(EnergyAccess):
    """The part of the store about counts; the promises are those of `Store`."""

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """Store what a simulation counted, in a separate transaction."""
        self._insert_observations(
            run_id,
            trial,
            ClockCountRow,
            [rows.counter_values(count)],
            f"the clocks of {trial.implementation} at {trial.workload.size_bytes} bytes are",
        )

    def clock_counts(self, run_id: int) -> dict[Trial, ClockCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, ClockCountRow, rows.clock_count_of)

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """Store the count of a trial, in a separate transaction."""
        self._insert_observations(
            run_id,
            trial,
            FirmwareCountRow,
            [count.as_dict()],
            f"the core cycles of {trial.implementation} on {trial.target} at "
            f"{trial.workload.size_bytes} bytes are",
        )

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, FirmwareCountRow, _firmware_count_of)

    def _counts(
        self,
        run_id: int,
        table: type[ClockCountRow | FirmwareCountRow],
        read: Callable[[Any], Count],
    ) -> dict[Trial, Count]:
        """Reads the counts of a table that has at most one row for each trial.

        Trials stand in the order in which they were first simulated.
        """
        query = (
            select(TrialRow, table)
            .join(table, table.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .order_by(TrialRow.id)
        )
        with self.reading(run_id) as session:
            return {rows.trial_of(row): read(count) for row, count in session.execute(query)}


def _firmware_count_of(row: FirmwareCountRow) -> FirmwareCount:
    """Read a count."""
    cells = Cells(row, "firmware_count", "trial_id")
    evidence = cells.text("evidence")
    if evidence not in ("simulated", "modelled"):
        raise cells.damaged("evidence", "it is neither simulated nor modelled")
    return FirmwareCount(
        core_cycles=cells.whole("core_cycles", least=1),
        instructions=cells.whole("instructions", least=1),
        key_core_cycles=cells.optional(cells.whole, "key_core_cycles"),
        code_bytes=cells.whole("code_bytes"),
        constant_bytes=cells.whole("constant_bytes"),
        static_ram_bytes=cells.whole("static_ram_bytes"),
        state_bytes=cells.optional(cells.whole, "state_bytes"),
        stack_bytes=cells.whole("stack_bytes"),
        evidence=evidence,
        compiler=cells.text("compiler"),
        flags=cells.text("flags"),
        simulator=cells.text("simulator"),
    )


class CoreReportAccess(CountAccess):
    """The part of the store about reports of cores; the promises are those of `Store`."""

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
        """Every report, in the order they were added."""
        query = select(CoreReportRow).order_by(CoreReportRow.id)
        with self.reading() as session:
            return [_report_of(row) for row in session.scalars(query)]


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


class SessionsAccess(CoreReportAccess):
    """The part of the store about sessions; the promises are those of `Store`."""

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
        """Points at one length, without a mix, in `sessions` sessions, as they were added."""
        query = _of_size(size_bytes).where(
            SessionsPointRow.sessions == sessions, SessionsPointRow.mix == ""
        )
        with self.reading() as session:
            return [_point_of(row) for row in session.scalars(query)]

    def all_sessions(self) -> list[StoredSessions]:
        """Every point, in the order they were added."""
        query = select(SessionsPointRow).order_by(SessionsPointRow.id)
        with self.reading() as session:
            return [_point_of(row) for row in session.scalars(query)]


def point_as_json(point: SessionsPoint) -> JsonObject:
    """A point as JSON values, from which `record_from_json` makes an equal point."""
    return rows.plain(asdict(point))


def _of_size(size_bytes: int) -> Select[SessionsPointRow]:
    return (
        select(SessionsPointRow)
        .where(SessionsPointRow.size_bytes == size_bytes)
        .order_by(SessionsPointRow.id)
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
