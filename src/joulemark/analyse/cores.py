# SPDX-License-Identifier: Apache-2.0
"""From what the store holds of hardware cores to published results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from joulemark.analyse import derive
from joulemark.analyse.results import CoreReport, Figure, Result
from joulemark.records.absence import NO_COST_PER_BYTE, Absence
from joulemark.records.evidence import Evidence
from joulemark.records.figures import FigureGroup, figures_in
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Trial
from joulemark.store.cores import StoredCoreReport

__all__ = ["NO_TIME_OF_A_CORE", "clock_result", "latest_reports"]

NO_TIME_OF_A_CORE: Final = Absence(
    "a simulated core has clocks and no time: its clock, area and power are on an FPGA or in a "
    "cell library (joulemark core report)"
)
_NO_KEY: Final = Absence("this core takes no key")
_FIGURES: Final = tuple(
    kind.field
    for kind in figures_in(
        FigureGroup.TIME, FigureGroup.COUNTS, FigureGroup.ENERGY, FigureGroup.MODELLED
    )
)
"""What only a real machine has."""


def clock_result(
    trial: Trial, facts: ImplementationFacts, count: ClockCount, *, include_raw: bool = False
) -> Result:
    """The result of a simulated trial.

    Args:
        trial: what was simulated.
        facts: what is known of the core.
        count: what the simulator counted.
        include_raw: carry the count along.
    """
    size = trial.workload.mean_bytes
    per_message = count.clocks / count.messages
    per_byte = derive.per_byte(per_message, size)
    reasons = dict.fromkeys((*_FIGURES, "bytes_per_second"), NO_TIME_OF_A_CORE)
    nothing: dict[str, Any] = dict.fromkeys(_FIGURES)
    if per_byte is None:
        reasons["clocks_per_byte"] = NO_COST_PER_BYTE
    if count.key_clocks is None:
        reasons["key_setup_clocks"] = _NO_KEY
    return Result(
        algorithm=trial.algorithm,
        implementation=trial.implementation,
        chosen=None,
        provider=facts.provider,
        target=trial.target,
        size_bytes=trial.workload.size_bytes,
        mean_bytes=size,
        batch=1,
        mode=trial.workload.mode,
        cache=trial.workload.cache,
        key_setup=trial.workload.key_setup,
        evidence=Evidence.SIMULATED,
        bytes_per_second=None,
        clocks_per_message=_exact(per_message),
        clocks_per_byte=None if per_byte is None else _exact(per_byte),
        key_setup_clocks=None if count.key_clocks is None else _exact(count.key_clocks),
        reasons=reasons,
        samples=[count.as_dict()] if include_raw else None,
        **nothing,
    )


def _exact(value: float) -> Figure:
    """A figure without spread: the simulation gives the same at every repetition."""
    return Figure(
        median=value,
        low=value,
        high=value,
        minimum=value,
        quartile_1=value,
        quartile_3=value,
        mad=0.0,
        evidence=Evidence.SIMULATED,
        samples=1,
    )


def latest_reports(stored: Iterable[StoredCoreReport]) -> list[CoreReport]:
    """The newest report of each core, parameters, target and settings, by algorithm and name."""
    newest: dict[str, StoredCoreReport] = {}
    for report in stored:
        newest[_identity(report)] = report
    found = [
        CoreReport(made_at=report.made_at.isoformat(), **asdict(report.report))
        for report in newest.values()
    ]
    return sorted(
        found, key=lambda report: (report.algorithm, report.core, report.target, report.digest)
    )


def _identity(stored_core_report: StoredCoreReport) -> str:
    report = stored_core_report.report
    what: tuple[str, str, Mapping[str, object], Mapping[str, object]]
    what = (report.core, report.target, report.parameters, report.settings)
    return json.dumps(what, sort_keys=True)
