# SPDX-License-Identifier: Apache-2.0
"""From a study's answers and its page to its outcome: the same way for every paper."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from joulemark import __version__
from joulemark.catalogue.bibliography import bibliography
from joulemark.studies.outcome import Answer, Chart, JudgedClaim, StudyOutcome, Table
from joulemark.studies.papers import Paper

__all__ = ["Answers", "Page", "judge", "outcome_of"]

Answers = Mapping[str, Callable[[], Answer]]
"""Id of a claim -> how it is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a study shows beside its claims; `StudyOutcome` says what each field means."""

    summary: str
    notes: list[str]
    tables: list[Table]
    charts: list[Chart]
    data: dict[str, Any]
    missing: list[str]


def judge(paper: Paper, answers: Answers) -> list[JudgedClaim]:
    """Every claim of the paper's file, in its order.

    Raises:
        KeyError: the file has a claim without an answer.
    """
    return [answers[claim.id]().of(claim) for claim in paper.claims]


def outcome_of(paper: Paper, answers: Answers, page: Page, *, machine: str) -> StudyOutcome:
    """The record of a study that was made now on this machine.

    Raises:
        KeyError: the paper's file has a claim without an answer.
    """
    cited = bibliography()[paper.references[0]]
    return StudyOutcome(
        study=paper.id,
        title=paper.title,
        reference=cited.cited(),
        reference_url=str(cited.url),
        started_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        joulemark_version=__version__,
        machine=machine,
        summary=page.summary,
        notes=page.notes,
        claims=judge(paper, answers),
        tables=page.tables,
        charts=page.charts,
        data=page.data,
        missing=page.missing,
    )
