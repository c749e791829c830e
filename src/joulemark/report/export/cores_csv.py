# SPDX-License-Identifier: Apache-2.0
"""Reports of hardware cores, one row per figure: area, clock, power and energy with the evidence.

Figures differ from target to target, so each is a row rather than a column. The unit is in the
figure's name. Cells are escaped like those of `csv`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from joulemark.analyse.results import ResultSet
from joulemark.records.core_report import StoredCoreReport
from joulemark.report.core_tables import settings_of
from joulemark.report.export.csv import plain_text

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
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(_HEADER)
    for report in results.core_reports:
        writer.writerows(_rows(report))
    return stream.getvalue().encode()


def _rows(report: StoredCoreReport) -> Iterator[list[str | float]]:
    """A row for each figure that is a number or missing."""
    before = [
        plain_text(report.algorithm),
        plain_text(report.core),
        plain_text(report.configuration or ""),
        plain_text(" ".join(f"{name}={value}" for name, value in report.parameters.items())),
        plain_text(report.target),
    ]
    after = [
        plain_text(json.dumps(settings_of(report), ensure_ascii=False)),
        report.made_at,
        plain_text(report.joulemark_version),
        plain_text(report.digest),
    ]
    for name, value in report.figures.items():
        figure = plain_text(name)
        if value is not None:
            evidence = plain_text(report.evidence.get(name, "evidence not recorded"))
            yield [*before, figure, value, evidence, "", *after]
        else:
            reason = plain_text(report.reasons.get(name, "no reason recorded"))
            yield [*before, figure, "", "", reason, *after]
