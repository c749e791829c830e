# SPDX-License-Identifier: Apache-2.0
"""The page of castellon2022: its first sentences, its notes and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from joulemark.records.trial import Trial
from joulemark.studies.castellon2022.charts import charts
from joulemark.studies.castellon2022.findings import Findings
from joulemark.studies.castellon2022.kernel_alone import RIVALS
from joulemark.studies.castellon2022.measurement import Measurement
from joulemark.studies.castellon2022.paper import Castellon2022
from joulemark.studies.castellon2022.tables import tables
from joulemark.studies.castellon2022.words import extremes, percent
from joulemark.studies.study import Page

__all__ = ["page"]


def page(paper: Castellon2022, measured: Measurement) -> Page:
    """Everything beside the claims."""
    findings = measured.findings
    return Page(
        summary=_summary(findings),
        notes=[*_notes(paper, findings, measured.subjects), *measured.warnings],
        tables=tables(paper, findings, measured.clock),
        charts=charts(paper, findings),
        data={
            "run": measured.run_id,
            "asked": asdict(measured.work),
            "published": paper.model_dump(mode="json", exclude={"claims"}),
            **findings.model_dump(mode="json"),
        },
        missing=measured.missing,
    )


def _summary(findings: Findings) -> str:
    by, rows = findings.decisive
    savings = [row.saving.median for row in rows]
    order = [row.order_saving.median for row in findings.kernel]
    source = findings.cycles or findings.seconds
    base = source["standard"]
    others = [name for name in ("engine", "shani", "portable") if name in source]
    better = ""
    if others:
        best = others[0]
        shares = [1 - source[best][size].median / base[size].median for size in base]
        better = f" Beside the same program, Joulemark's {best} costs {extremes(shares)}."
    return (
        f"The paper reports 12 to 17 % less. Here the engineered program costs {extremes(savings)} "
        f"by {by}; the order of the chunks alone makes it cost {extremes(order)}.{better}"
    )


def _notes(paper: Castellon2022, findings: Findings, subjects: Mapping[str, Trial]) -> list[str]:
    crossing = [row.programs["nothing"].median / row.programs["standard"].median
                for row in findings.ctypes]  # fmt: skip
    chunk = paper.experiment.chunk_bytes
    programs = (
        "The programs are ours, written from the paper's text, since its own were not published: "
        "one compression function, one way of filling; only the place of the chunks differs."
    )
    call = (
        f"Crossing from Python to C and back is {percent(min(crossing))} to "
        f"{percent(max(crossing))} of an event through ctypes (a function that does nothing)."
    )
    meters = (
        "A meter of joules is updated about once in a millisecond, an HMAC takes microseconds: no "
        "meter resolves one event, the paper's included. Energy is metered over many messages."
    )
    notes = [
        f"The paper measured on: {paper.experiment.machine}.",
        f"Chunks of {chunk} bytes: {paper.experiment.chunk_interpretation}.",
        programs,
        call,
        meters,
    ]
    if findings.energy is not None and findings.energy.kind == "gross":
        notes.insert(
            0,
            "Joules are gross for all programs, since idle power could not be subtracted for "
            "every one of them.",
        )
    if findings.energy is None:
        notes.insert(
            0,
            f"Without joules ({findings.energy_reason}), claims about energy are judged by time, "
            "as if both programs drew the same power.",
        )
    absent = [name for name in RIVALS if name not in subjects]
    if absent:
        notes.append(f"Not available here, so not in the last chart: {', '.join(absent)}.")
    engine = subjects.get("engine")
    if engine is not None and engine.workload.batch == 1:
        notes.append("The engine was measured with one message at a time.")
    return notes
