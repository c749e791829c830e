# SPDX-License-Identifier: Apache-2.0
"""Reports of area, clock and power of hardware cores in the store.

A report is kept as the JSON that the hardware flow made of it; the meaning of its figures is
written there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

from sqlalchemy import select

from joulemark.records.core_figures import with_present_names
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


_NOT_FIGURES = frozenset(
    (
        "schema_version",
        "core",
        "title",
        "algorithm",
        "configuration",
        "parameters",
        "target",
        "device",
        "evidence",
        "absent",
        "settings",
    )
)
_MAPPINGS = ("parameters", "settings", "figures", "evidence", "reasons")


@dataclass(frozen=True, slots=True)
class CoreReportRecord:
    """Area, clock and power of one core on one target, as `joulemark core report` found them."""

    core: str
    algorithm: str
    target: str
    """`ecp5`, `ice40`, `asic` or `generic`."""
    parameters: Mapping[str, int]
    figures: Mapping[str, Any]
    """Figure, named with its unit as `area_ge` -> value, or None if the figure is missing."""
    evidence: Mapping[str, str]
    """Figure -> its evidence: clocks are simulated, most other figures modelled."""
    settings: Mapping[str, Any]
    """Everything needed to obtain the figures again: tools, library, corner, clock, seeds."""
    digest: str
    """Digest of all that the figures depend on; reports of equal digests have equal figures."""
    joulemark_version: str
    configuration: str | None = None
    """Name of these parameters in the core's manifest; None if they have no name."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Figure that is None -> why."""

    @classmethod
    def of(cls, report: Mapping[str, Any], *, digest: str, joulemark_version: str) -> Self:
        """The record of a report in the JSON that `joulemark core report --json` prints.

        Each field that not every report has counts as a figure, so that the flow may add figures.

        Args:
            report: the JSON object.
            digest: of all that its figures depend on.
            joulemark_version: of the program that made it.
        """
        figures = {name: figure for name, figure in report.items() if name not in _NOT_FIGURES}
        device = {"device": report["device"]} if report.get("device") else {}
        return cls(
            core=report["core"],
            algorithm=report["algorithm"],
            target=report["target"],
            parameters=report["parameters"],
            figures=figures,
            evidence=report["evidence"],
            settings={**device, **report["settings"]},
            digest=digest,
            joulemark_version=joulemark_version,
            configuration=report.get("configuration"),
            reasons=report.get("absent", {}),
        )


@dataclass(frozen=True, slots=True)
class StoredCoreReport:
    """A report as stored."""

    id: int
    made_at: datetime
    """When the report was first stored, UTC."""
    report: CoreReportRecord


class CoreReportAccess(CountAccess):
    """The part of the store about reports of cores; the promises are those of `Store`."""

    def add_core_report(self, report: CoreReportRecord, *, made_at: datetime | None = None) -> int:
        """Store a report, unless a report with equal fields is there, and return its number.

        Reports of the same digest that differ in another field are both kept: a tool that gives
        other figures for the same input is worth knowing of.

        Args:
            report: to store.
            made_at: when it was first stored; now unless given.
        """
        values: dict[str, Any] = {
            column.name: getattr(report, column.name) for column in fields(report)
        }
        values |= {name: rows.plain(values[name]) for name in _MAPPINGS}
        return self._add_once(
            CoreReportRow(**values, made_at=made_at or datetime.now(UTC)),
            select(CoreReportRow)
            .where(CoreReportRow.digest == report.digest)
            .order_by(CoreReportRow.id),
            lambda row: all(getattr(row, name) == value for name, value in values.items()),
        )

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, in the order they were added."""
        query = select(CoreReportRow).order_by(CoreReportRow.id)
        with self.reading() as session:
            return [_report_of(row) for row in session.scalars(query)]


def _report_of(row: CoreReportRow) -> StoredCoreReport:
    cells = Cells(row, "core_report")
    parameters = {
        name: value for name, value in cells.json("parameters").items() if isinstance(value, int)
    }
    if len(parameters) != len(row.parameters):
        raise cells.damaged("parameters", "one is no whole number")
    report = CoreReportRecord(
        core=cells.text("core"),
        algorithm=cells.text("algorithm"),
        target=cells.text("target"),
        parameters=parameters,
        figures=with_present_names(cells.json("figures")),
        evidence=_sentences(cells, "evidence"),
        settings=with_present_names(cells.json("settings")),
        digest=cells.text("digest"),
        joulemark_version=cells.text("joulemark_version"),
        configuration=cells.optional(cells.text, "configuration"),
        reasons=_sentences(cells, "reasons"),
    )
    return StoredCoreReport(cells.whole("id"), cells.moment("made_at"), report)


def _sentences(cells: Cells, column: str) -> dict[str, str]:
    """A JSON object of texts."""
    texts = cells.json(column)
    for name, sentence in texts.items():
        if not isinstance(sentence, str):
            raise cells.damaged(column, f"{name} is no text")
    return with_present_names(texts)
