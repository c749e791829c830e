# SPDX-License-Identifier: Apache-2.0
"""What a study is, and the way from its paper to its outcome, which is the same for every paper."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from joulemark import __version__
from joulemark.catalogue.bibliography import bibliography
from joulemark.studies.outcome import Answer, Chart, StudyOutcome, Table
from joulemark.studies.papers import Paper

__all__ = ["Answers", "Page", "Study"]

Answers = Mapping[str, Callable[[], Answer]]
"""Id of a claim -> how it is judged."""
PaperT = TypeVar("PaperT", bound=Paper)
AskedT = TypeVar("AskedT")
EquipmentT = TypeVar("EquipmentT")
FoundT = TypeVar("FoundT")


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a study shows beside its claims; `StudyOutcome` says what each field means."""

    summary: str
    notes: list[str]
    tables: list[Table]
    charts: list[Chart]
    data: dict[str, Any]
    missing: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Generic[PaperT, AskedT, EquipmentT, FoundT]):
    """How a paper is repeated here: `STUDY` in `studies/<id>/study.py`."""

    paper: Callable[[], PaperT]
    """Its facts and its claims."""
    asked: type[AskedT]
    """The study's options: a frozen dataclass whose fields carry their typer declaration."""
    equipment: Literal["cpu", "cores"]
    """What the study measures with: `CpuEquipment` or `CoreEquipment`. A module of that name in
    `cli/reproduce` has the options that come with it."""
    check: Callable[[AskedT], None] = lambda _asked: None
    """Refuses, before anything is made or measured, what cannot be done."""
    measure: Callable[[PaperT, AskedT, EquipmentT], FoundT]
    """Measures what is missing."""
    judge: Callable[[PaperT, FoundT], Answers]
    """Has an answer for each claim of the paper."""
    page: Callable[[PaperT, FoundT], Page]
    exit_codes: str
    """What the exit codes mean, as lines of help."""
    examples: tuple[str, ...]
    """Command lines."""

    def reproduce(self, asked: AskedT, equipment: EquipmentT, *, machine: str) -> StudyOutcome:
        """Measures, judges, and makes the record of a study that was made now.

        Args:
            asked: how much, and of what.
            equipment: what to measure with.
            machine: what the figures come from, for the record.

        Raises:
            KeyError: the paper's file has a claim without an answer.
            JoulemarkError: something that every part of the study needs cannot be had.
        """
        paper = self.paper()
        found = self.measure(paper, asked, equipment)
        answers = self.judge(paper, found)
        cited = bibliography()[paper.references[0]]
        return StudyOutcome(
            study=paper.id,
            title=paper.title,
            reference=cited.citation(),
            reference_url=str(cited.url),
            started_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            joulemark_version=__version__,
            machine=machine,
            claims=[answers[claim.id]().of(claim) for claim in paper.claims],
            **vars(self.page(paper, found)),
        )
