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
from joulemark.studies.study import Page, done_words

__all__ = ["page"]


def page(paper: Castellon2022, measurement: Measurement) -> Page:
    """Returns the page beside the claims."""
    findings = measurement.findings
    return Page(
        done=_done(findings),
        summary=_summary(findings),
        notes=[*_notes(paper, findings, measurement.subjects), *measurement.warnings],
        tables=tables(paper, findings, measurement.clock),
        charts=charts(paper, findings),
        data={
            "run": measurement.run_id,
            "asked": asdict(measurement.work),
            "published": paper.model_dump(mode="json", exclude={"claims"}),
            **findings.model_dump(mode="json"),
        },
        missing=measurement.missing,
    )


def _done(findings: Findings) -> str:
    """What was measured here and what was not."""
    measured = ["the time of both programs, alone and through ctypes"]
    absent = []
    if findings.energy is None:
        absent.append(f"their energy ({findings.energy_reason})")
    else:
        measured.append(f"their energy ({findings.energy.evidence})")
    if findings.memory is None:
        absent.append(f"visits of memory banks ({findings.memory_reason or 'not asked for'})")
    else:
        measured.append("visits of memory banks")
    return done_words(measured, absent)


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
    notes = []
    if findings.energy is None:
        notes.append(
            f"Without joules ({findings.energy_reason}), claims about energy are judged by time, "
            "as if both programs drew the same power."
        )
    elif findings.energy.kind == "gross":
        notes.append(
            "Joules are gross for all programs, since idle power could not be subtracted for "
            "every one of them."
        )
    crossing = [row.programs["nothing"].median / row.programs["standard"].median
                for row in findings.ctypes]  # fmt: skip
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
    experiment = paper.experiment
    notes += [
        f"The paper measured on: {experiment.machine}.",
        f"Chunks of {experiment.chunk_bytes} bytes: {experiment.chunk_interpretation}.",
        programs,
        call,
        meters,
    ]
    absent = [name for name in RIVALS if name not in subjects]
    if absent:
        notes.append(f"Not available here, so not in the last chart: {', '.join(absent)}.")
    engine = subjects.get("engine")
    if engine is not None and engine.workload.batch == 1:
        notes.append("The engine was measured with one message at a time.")
    return notes
