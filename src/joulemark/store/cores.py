# SPDX-License-Identifier: Apache-2.0
"""Hardware cores in the store: clocks of simulated trials, and reports of area, clock and power.

A report is kept as the JSON that the hardware flow made of it; what its figures mean is said there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from operator import index
from typing import Any, Self

from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from joulemark.errors import StoreError
from joulemark.records.core_figures import with_present_names
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.cells import Cells
from joulemark.store.energy import EnergyAccess
from joulemark.store.models import ClockCountRow, CoreReportRow, TrialRow

__all__ = ["CoreAccess", "CoreReportRecord", "StoredCoreReport"]

_INSERT_COUNT = insert(ClockCountRow)
_ONE_AT_A_TIME = text("LOCK TABLE core_report IN SHARE ROW EXCLUSIVE MODE")
"""Two processes that add the same report at once would both find none."""
_NOT_FIGURES = frozenset(
    ("schema_version", "core", "title", "algorithm", "configuration", "parameters", "target",
     "device", "evidence", "absent", "settings")
)  # fmt: skip
_MAPPINGS = ("parameters", "settings", "figures", "evidence", "reasons")


@dataclass(frozen=True, slots=True)
class CoreReportRecord:
    """What one `joulemark core report` found of one core on one target."""

    core: str
    algorithm: str
    target: str
    """`ecp5`, `ice40`, `asic` or `generic`."""
    parameters: Mapping[str, int]
    figures: Mapping[str, Any]
    """Figure with its unit in its name, such as `area_ge` -> value, or None where there is none."""
    evidence: Mapping[str, str]
    """Figure -> how it was obtained: the clocks are simulated, most others modelled."""
    settings: Mapping[str, Any]
    """Everything needed to obtain the figures again: tools, library, corner, clock, seeds."""
    digest: str
    """Of all that the figures depend on; equal digests, equal figures."""
    joulemark_version: str
    configuration: str | None = None
    """Name of these parameters in the core's manifest, where they have one."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Figure that is None -> why."""

    @classmethod
    def of(cls, report: Mapping[str, Any], *, digest: str, joulemark_version: str) -> Self:
        """The record of a report in the JSON that `joulemark core report --json` prints.

        What is none of the fields that every report has is taken for a figure, so that the flow
        may add some.

        Args:
            report: the JSON object.
            digest: of all that its figures depend on.
            joulemark_version: of the program that made it.

        Raises:
            KeyError: it lacks a field that every report has.
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
    """When it was put into the store, UTC."""
    report: CoreReportRecord


class CoreAccess(EnergyAccess):
    """The part of the store about hardware cores; the promises are those of `Store`."""

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """Store what a simulation counted, in a separate transaction.

        Raises:
            StoreError: among others, the trial has its count already.
            TypeError: a number is not whole.
        """
        given = count.as_dict()
        values = {name: None if cell is None else index(cell) for name, cell in given.items()}
        with self._guard():
            try:
                with self._writing_of(run_id, trial) as (connection, trial_id):
                    connection.execute(_INSERT_COUNT, {"trial_id": trial_id, **values})
            except IntegrityError as error:
                with self._reading(run_id):
                    pass  # A run that is not there has its own sentence.
                raise StoreError(
                    f"the clocks of {trial.implementation} at {trial.workload.size_bytes} bytes "
                    f"are already in run {run_id} of {self.location}; is another process going on "
                    "with the same run?"
                ) from error

    def clock_counts(self, run_id: int) -> dict[Trial, ClockCount]:
        """What was counted, by trial, in the order the trials were first simulated."""
        columns = [ClockCountRow.__table__.c[name] for name in rows.COUNT_FIELDS]
        query = (
            select(TrialRow, *columns)
            .join(ClockCountRow, ClockCountRow.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .order_by(TrialRow.id)
        )
        with self._reading(run_id) as session:
            found = session.execute(query)
            return {rows.trial_of(row): rows.count_of(row.id, counted) for row, *counted in found}

    def add_core_report(self, report: CoreReportRecord, *, made_at: datetime | None = None) -> int:
        """Store a report and return its number; one that is there already is not stored again.

        Equal means equal in every field. Another report of the same digest is kept beside the
        first: a tool that gives other figures for the same input is worth knowing of.

        Args:
            report: what was found.
            made_at: when it was first stored; now unless given.

        Raises:
            TypeError: it holds something that JSON has no form for.
            ValueError: a figure is NaN or infinite.
        """
        values: dict[str, Any] = {
            column.name: getattr(report, column.name) for column in fields(report)
        }
        values |= {name: rows.plain(values[name]) for name in _MAPPINGS}
        same = select(CoreReportRow).where(CoreReportRow.digest == report.digest)
        with self._guard(), Session(self._writer) as session, session.begin():
            if self._address.on_server:
                session.execute(_ONE_AT_A_TIME)
            for row in session.scalars(same.order_by(CoreReportRow.id)):
                if all(getattr(row, name) == value for name, value in values.items()):
                    return row.id
            row = CoreReportRow(**values, made_at=made_at or datetime.now(UTC))
            session.add(row)
            session.flush()
            return row.id

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, in the order they were added."""
        query = select(CoreReportRow).order_by(CoreReportRow.id)
        with self._reading() as session:
            return [_stored(row) for row in session.scalars(query)]


def _stored(row: CoreReportRow) -> StoredCoreReport:
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
        configuration=cells.text_or_none("configuration"),
        reasons=_sentences(cells, "reasons"),
    )
    return StoredCoreReport(cells.whole("id"), cells.moment("made_at"), report)


def _sentences(cells: Cells, column: str) -> dict[str, str]:
    """A JSON object of texts."""
    found = cells.json(column)
    for name, figure in found.items():
        if not isinstance(figure, str):
            raise cells.damaged(column, f"{name} is no text")
    return with_present_names(found)
