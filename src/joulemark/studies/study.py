# SPDX-License-Identifier: Apache-2.0
"""A study, and the way from its paper to its outcome, which is the same for every paper."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from joulemark import __version__
from joulemark.catalogue.vectors import bibliography
from joulemark.report.sheet import Chart, Table
from joulemark.studies.outcome import ClaimAnswer, StudyOutcome
from joulemark.studies.papers import Paper

Answers = Mapping[str, Callable[[], ClaimAnswer]]
"""Id of a claim -> judges the claim."""
PaperT = TypeVar("PaperT", bound=Paper)
OptionsT = TypeVar("OptionsT")
EquipmentT = TypeVar("EquipmentT")
FindingsT = TypeVar("FindingsT")


@dataclass(frozen=True, kw_only=True)
class StudyPage:
    """The parts of a study's page beside the claims; `StudyOutcome` explains each field."""

    done: str
    summary: str
    notes: list[str]
    tables: list[Table]
    charts: list[Chart]
    data: dict[str, Any]
    missing: list[str]


def done_words(done: Sequence[str], absent: Sequence[str], *, verb: str = "measured") -> str:
    """Says what was built or measured here and what was not, as in "Built here: nothing.".

    Args:
        done: parts that were.
        absent: parts that were not.
        verb: of both, as a participle.
    """
    text = f"{verb.capitalize()} here: {', '.join(done) or 'nothing'}"
    return f"{text}; not {verb}: {', '.join(absent)}." if absent else f"{text}."


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperStudy(Generic[PaperT, OptionsT, EquipmentT, FindingsT]):
    """The repetition of a paper: `STUDY` in `studies/<id>/study.py`."""

    paper: Callable[[], PaperT]
    """Reads the facts and the claims of the paper."""
    options: type[OptionsT]
    """The study's options: a frozen dataclass whose fields carry their typer declaration."""
    equipment: Literal["cpu", "cores"]
    """Whether the study measures with `CpuEquipment` or `CoreEquipment`. A module of that name in
    `cli/reproduce.py` has the options that come with the equipment."""
    check: Callable[[OptionsT], None] = lambda _options: None
    """Refuses, before anything is made or measured, options that cannot be fulfilled."""
    measure: Callable[[PaperT, OptionsT, EquipmentT], FindingsT]
    """Measures the parts that were not measured before, and returns the findings of all parts."""
    judge: Callable[[PaperT, FindingsT], Answers]
    """Has an answer for each claim of the paper."""
    page: Callable[[PaperT, FindingsT], StudyPage]
    exit_codes: str
    """Lines of help that explain the exit codes."""
    examples: tuple[str, ...]
    """Command lines for the help."""

    def reproduce(self, options: OptionsT, equipment: EquipmentT, *, machine: str) -> StudyOutcome:
        """Measures, judges, and records the study with the time of now.

        Args:
            options: those of the study.
            equipment: the equipment that the study asks for.
            machine: names the machine in the record.
        """
        paper = self.paper()
        findings = self.measure(paper, options, equipment)
        answers = self.judge(paper, findings)
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
            **vars(self.page(paper, findings)),
        )
