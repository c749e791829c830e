# SPDX-License-Identifier: Apache-2.0
"""What simulations came to, and reports of area, clock and power of hardware cores.

A report is kept as its own JSON, which has its schema's version (`records.core_report`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import select

from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.firmware import FirmwareCount
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.database.cells import Cells
from joulemark.store.energy import EnergyAccess
from joulemark.store.models import ClockCountRow, CoreReportRow, FirmwareCountRow, TrialRow

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
