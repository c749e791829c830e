# SPDX-License-Identifier: Apache-2.0
"""Reports of hardware cores, one row per figure: area, clock, power and energy with the evidence.

Figures differ from target to target, so each is a row rather than a column. The unit is in the
figure's name. Cells are escaped like those of `csv`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from joulemark.analyse import ResultSet
from joulemark.records.core_report import StoredCoreReport
from joulemark.report import JsonObject
from joulemark.report.export.csv import csv_bytes
from joulemark.report.tables import settings_of

SUFFIX = ".csv"
SUMMARY = "one row per figure of each hardware core's report"

_HEADER = (
    "algorithm",
    "core",
    "configuration",
    "parameters",
    "target",
    "figure",
    "value",
    "evidence",
    "missing_because",
    "settings",
    "made_at",
    "joulemark_version",
    "digest",
)


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The table, comma-separated, UTF-8, lines ending in CR LF (RFC 4180)."""
    return csv_bytes(_HEADER, (row for report in results.core_reports for row in _rows(report)))


def _rows(report: StoredCoreReport) -> Iterator[JsonObject]:
    """A row for each figure that is a number or missing."""
    about = {
        "algorithm": report.algorithm,
        "core": report.core,
        "configuration": report.configuration,
        "parameters": " ".join(f"{name}={value}" for name, value in report.parameters.items()),
        "target": report.target,
        "settings": json.dumps(settings_of(report), ensure_ascii=False),
        "made_at": report.made_at,
        "joulemark_version": report.joulemark_version,
        "digest": report.digest,
    }
    for name, value in report.figures.items():
        if value is not None:
            evidence = report.evidence.get(name, "evidence not recorded")
            yield {**about, "figure": name, "value": value, "evidence": evidence}
        else:
            reason = report.reasons.get(name, "no reason recorded")
            yield {**about, "figure": name, "missing_because": reason}
