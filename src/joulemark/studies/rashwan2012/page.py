# SPDX-License-Identifier: Apache-2.0
"""The page of rashwan2012: its first sentences, its notes and its figures."""

from __future__ import annotations

from dataclasses import asdict

from joulemark.stats.location import median
from joulemark.studies.rashwan2012.charts import charts
from joulemark.studies.rashwan2012.claims import ratios
from joulemark.studies.rashwan2012.findings import BUILDS, Findings
from joulemark.studies.rashwan2012.libraries import LIBRARIES
from joulemark.studies.rashwan2012.paper import Rashwan2012
from joulemark.studies.rashwan2012.tables import tables
from joulemark.studies.study import Page, done_words
from joulemark.units import format_bytes, format_seconds

__all__ = ["page"]


def page(paper: Rashwan2012, findings: Findings) -> Page:
    """Returns the page beside the claims."""
    return Page(
        done=_done(findings),
        summary=_summary(findings),
        notes=_notes(paper, findings),
        tables=tables(findings),
        charts=charts(findings),
        data={**asdict(findings), "unit": findings.unit},
        missing=findings.missing,
    )


def _done(findings: Findings) -> str:
    """What was measured here and what was not."""
    functions = {cell.function for cell in findings.cells if cell.windows}
    return done_words([f"{len(functions)} functions"] if functions else [], [*findings.absent])


def _summary(findings: Findings) -> str:
    parts = []
    largest = max((cell.size_bytes for cell in findings.cells), default=0)
    for build in BUILDS:
        order = findings.order(build, findings.scopes[-1], largest)
        if order:
            parts.append(
                f"{build.capitalize()}, at {format_bytes(largest)}, {order[0].function} is the "
                f"cheapest ({findings.absolute(order[0]):.3g} {findings.unit} a byte) and "
                f"{order[-1].function} the dearest ({findings.absolute(order[-1]):.3g})."
            )
    if values := ratios(findings, "apparent", counted=True):
        spent = ratios(findings, "absolute")
        parts.append(
            f"On {len(findings.cores)} cores apparent processing is {median(values):.3f} of that "
            f"on one core, and absolute processing {median(spent):.3f} of it."
        )
    return " ".join(parts) or "Nothing could be measured."


def _notes(paper: Rashwan2012, findings: Findings) -> list[str]:
    experiment, cores = paper.experiment, findings.cores
    windows = [row for cell in findings.cells for row in cell.windows]
    bad = sum(bool(window.troubles) for window in windows)
    notes = [
        (
            f"{findings.sessions} sessions, each a thread with a separate key, message and tag, on "
            f"core {cores[0]} and on cores {', '.join(map(str, cores))}; {findings.rounds} rounds "
            f"of windows of {format_seconds(findings.window_s)}, longer where that was too short."
        ),
        f"{LIBRARIES[findings.library].note} The paper compiled Crypto++ in two ways.",
        f"Sizes: {experiment.sizes_interpretation}.",
        f"The paper: {experiment.machine}; {experiment.library}.",
        (
            "Per session, apparent is the window over n times the session's bytes; were all "
            "sessions alike, that were the apparent processing of all. This is our reading of "
            f"{experiment.per_thread_place}."
        ),
    ]
    lost = len(findings.cells) * findings.rounds - len(windows)
    if lost:
        notes.append(f"In {lost} windows no session tagged a message; no figure stands on them.")
    if bad:
        notes.append(
            f"{bad} of {len(windows)} windows do not count after all attempts, for the most part "
            "because others used the cores: repeat the study with --fresh at a quiet moment."
        )
    if findings.beyond:
        notes.append(
            f"Beyond the paper, and so in no claim: {', '.join(findings.beyond)}. A MAC with "
            "nonces gets another nonce for each message."
        )
    if findings.absent:
        notes.append(f"Not here yet: {', '.join(findings.absent)}.")
    return notes
