# SPDX-License-Identifier: Apache-2.0
"""A study of a paper, and its outcome as the JSON file has it: tables, charts, and verdicts.

`SCHEMA_VERSION` history:
    1  first version.
    2  `ground` of a claim; the verdict `the paper contradicts itself`; `not tested` instead of
       `cannot be tested here`; `verdicts` counts them; `reference_url`.
    3  the verdict `agrees with itself` and the ground `published figures`; `done`.
    4  `started_at` is the begin (it was the end); `ended_at`; `conditions`, also as the last table;
       the last table but one has the bounds of the verdicts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeVar, cast

from pydantic import Field, computed_field, field_serializer, model_validator

from joulemark import __version__
from joulemark.catalogue.vectors import bibliography
from joulemark.report import Cell, Chart, Heading, JsonObject, Notes, Sheet, Table, Tone, text_table
from joulemark.report.circumstances import moment_text
from joulemark.studies.papers import Claim, Paper, PaperRecord

SCHEMA_VERSION: Final = 4


class ClaimVerdict(StrEnum):
    """Our verdict on a claim."""

    HOLDS = "holds"
    FAILS = "does not hold here"
    AGREES = "agrees with itself"
    """The paper's own figures or text support the claim, and nothing of it was tested here."""
    CONTRADICTED = "the paper contradicts itself"
    """The paper's own figures or text refute the claim: no machine could make it hold."""
    UNTESTED = "not tested"


_COUNTED: Final = {
    ClaimVerdict.HOLDS: ("holds", "hold"),
    ClaimVerdict.FAILS: ("does not hold here", "do not hold here"),
    ClaimVerdict.AGREES: (
        "agrees with the paper's own figures",
        "agree with the paper's own figures",
    ),
    ClaimVerdict.CONTRADICTED: (
        "contradicts the paper's own figures",
        "contradict the paper's own figures",
    ),
    ClaimVerdict.UNTESTED: ("was not tested", "were not tested"),
}
"""Words behind a count of one claim, and of several claims."""
_TONES: Final = {
    ClaimVerdict.HOLDS: Tone.HOLDS,
    ClaimVerdict.FAILS: Tone.FAILS,
    ClaimVerdict.AGREES: Tone.LEVEL,
    ClaimVerdict.CONTRADICTED: Tone.DOUBTFUL,
    ClaimVerdict.UNTESTED: Tone.OPEN,
}


class Ground(StrEnum):
    """How a claim was judged."""

    PROVED = "proved"
    """By an argument or a counter-example that anyone can repeat on paper."""
    COMPUTED = "computed"
    """By running code whose output is right or wrong."""
    PUBLISHED = "published figures"
    """By arithmetic on the paper's own figures."""
    MEASURED = "measured"
    """By an instrument on this machine."""
    SIMULATED = "simulated"
    """By a simulator that is exact, or with a simulated meter."""
    MODELLED = "modelled"
    """By a cell library or a formula."""
    NONE = "not tested"


class JudgedClaim(PaperRecord):
    """A claim of the paper and our answer."""

    id: str
    place: str
    """The place in the paper that makes the claim."""
    text: str
    verdict: ClaimVerdict
    ground: Ground
    why: str
    """A sentence or two with the figures that decide."""

    @model_validator(mode="after")
    def _fits(self) -> JudgedClaim:
        grounds = _GROUNDS.get(self.verdict, _TESTS)
        if self.ground not in grounds:
            raise ValueError(f"{self.id}: '{self.verdict}' cannot be '{self.ground}'")
        return self


_TESTS: Final = frozenset(Ground) - {Ground.PUBLISHED, Ground.NONE}
_GROUNDS: Final = {
    ClaimVerdict.AGREES: frozenset({Ground.PUBLISHED}),
    ClaimVerdict.CONTRADICTED: frozenset({Ground.PUBLISHED, Ground.COMPUTED, Ground.PROVED}),
    ClaimVerdict.UNTESTED: frozenset({Ground.NONE}),
}
"""Grounds that a verdict may have: a paper that is read back is not tested."""


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """The answer to one claim."""

    verdict: ClaimVerdict
    ground: Ground
    why: str

    def of(self, claim: Claim) -> JudgedClaim:
        """Returns the claim with this answer."""
        return JudgedClaim(
            **claim.model_dump(), verdict=self.verdict, ground=self.ground, why=self.why
        )


def either(ground: Ground, why: str, *, holds: bool | None) -> ClaimAnswer:
    """Answers a claim that was tested; None if the intervals hold both answers."""
    if holds is None:
        return not_tested(f"{why} The intervals are too wide to tell.")
    return ClaimAnswer(ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS, ground, why)


def by_its_figures(why: str, *, agrees: bool) -> ClaimAnswer:
    """Answers a claim by the paper's own figures alone."""
    verdict = ClaimVerdict.AGREES if agrees else ClaimVerdict.CONTRADICTED
    return ClaimAnswer(verdict, Ground.PUBLISHED, why)


def not_tested(why: str) -> ClaimAnswer:
    """Answers a claim that was not tested."""
    return ClaimAnswer(ClaimVerdict.UNTESTED, Ground.NONE, why)


class StudyOutcome(PaperRecord):
    """The whole outcome of a study."""

    schema_version: int = SCHEMA_VERSION
    study: str
    """Id of the paper."""
    title: str
    reference: str
    """Citation of the paper."""
    reference_url: str
    """Address of the paper: the DOI if there is one."""
    started_at: str
    """Begin of the study, ISO 8601, UTC. A study that goes on with kept parts begins again."""
    ended_at: str
    joulemark_version: str
    machine: str
    conditions: dict[str, str]
    """Fact -> its value: command line, options, CPU, kernel, compiler, begin, end and the like, as
    far as known."""
    done: str
    """A sentence on what was built or measured here, and on what was not."""
    summary: str
    """The answer in one paragraph."""
    notes: list[str]
    """Facts to know before the figures are read: load, missing meters, interpretations."""
    claims: list[JudgedClaim]
    tables: list[Table]
    charts: list[Chart] = Field(default_factory=list)
    data: JsonObject
    """Part of the study -> its figures, in SI units."""
    missing: list[str] = Field(default_factory=list)
    """Parts that were asked for and could not be done, each with its reason."""

    @field_serializer("tables")
    def _as_texts(self, tables: list[Table]) -> list[JsonObject]:
        return [
            {
                "title": table.title,
                "caption": table.caption,
                "headings": [heading.text for heading in table.headings],
                "rows": table.texts(),
            }
            for table in tables
        ]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdicts(self) -> dict[str, int]:
        """Verdict -> how many claims have it; every verdict is there."""
        verdicts = [claim.verdict for claim in self.claims]
        return {verdict.value: verdicts.count(verdict) for verdict in ClaimVerdict}

    @property
    def counts(self) -> str:
        """The same as a sentence: "Of 9 claims 3 hold, 5 do not, 1 not tested."."""
        tested = self.verdicts[ClaimVerdict.HOLDS.value] + self.verdicts[ClaimVerdict.FAILS.value]
        parts = [] if tested else ["none was tested here"]
        for verdict, (one, several) in _COUNTED.items():
            number = self.verdicts[verdict.value]
            if number:
                parts.append(f"{number} {one if number == 1 else several}")
        return f"Of {len(self.claims)} claims {', '.join(parts)}."

    @property
    def repeated(self) -> str:
        """The time of the study, as in "2 January 2026, 03:04 UTC"."""
        return moment_text(self.started_at)

    @property
    def claims_table(self) -> Table:
        """The claims and our answers."""
        headings = [
            Heading("Verdict"),
            Heading("Claim", prose=True),
            *map(Heading, ("Place", "Judged by")),
            Heading("Why", prose=True),
        ]
        rows = [
            [
                Cell(claim.verdict.value, tone=_TONES[claim.verdict]),
                *map(Cell, (claim.text, claim.place, claim.ground.value, claim.why)),
            ]
            for claim in self.claims
        ]
        return Table("Claims", headings, rows)

    @property
    def sheet(self) -> Sheet:
        """The study as a document: the summary, the claims and every table."""
        about = (
            f"Repeated {self.repeated} on {self.machine}. Joulemark {self.joulemark_version}. "
            f"The paper: {self.reference}"
        )
        return Sheet(
            f"{self.study}: {self.title}",
            [
                Notes("", [self.summary, about], listed=False),
                Notes("", [*self.missing, *self.notes]),
                self.claims_table,
                *self.tables,
            ],
            f"{self.done} {self.counts}",
        )


# A study, and the way from its paper to its outcome, which is the same for every paper.

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
    data: JsonObject
    missing: list[str]


RowT = TypeVar("RowT")


def beside(
    title: str, caption: str, rows: Iterable[RowT], cells: Mapping[str, Callable[[RowT], str]]
) -> Table:
    """What the paper printed beside what was built or measured here, with a record for each row.

    Args:
        title: of the table.
        caption: says of which evidence the figures are.
        rows: the records, printed or ours.
        cells: heading -> writes the cell of a record; "-" stands for a missing figure.
    """
    texts = [[cell(row) for cell in cells.values()] for row in rows]
    return text_table(title, list(cells), texts, caption=caption)


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
    equipment: Literal["cpu", "metered cpu", "cores"]
    """Whether the study measures with `CpuEquipment`, without or with a meter, or `CoreEquipment`.
    `cli/reproduce.py` has the options that come with the equipment."""
    seconds: Callable[[OptionsT], float]
    """Returns about how long the work takes on a quiet machine, which is said before it begins."""
    bounds: Sequence[str]
    """Sentences with the bounds by which claims are judged; they stand on the page."""
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

    def reproduce(
        self,
        options: OptionsT,
        equipment: EquipmentT,
        *,
        machine: str,
        conditions: Mapping[str, str] = MappingProxyType({}),
    ) -> StudyOutcome:
        """Measures, judges, and records the study with its begin and end.

        Args:
            options: those of the study.
            equipment: the equipment that the study asks for.
            machine: names the machine in the record.
            conditions: facts of the machine and of the call, for the last table.
        """
        started_at = _now()
        paper = self.paper()
        findings = self.measure(paper, options, equipment)
        answers = self.judge(paper, findings)
        cited = bibliography()[paper.references[0]]
        page, ended_at = self.page(paper, findings), _now()
        known = {
            **conditions,
            "options": _options_text(options),
            "begin": moment_text(started_at),
            "end": moment_text(ended_at),
        }
        both = [_bounds_table(self.bounds), _conditions_table(known)]
        page = replace(page, tables=[*page.tables, *both])
        return StudyOutcome(
            study=paper.id,
            title=paper.title,
            reference=cited.citation(),
            reference_url=str(cited.url),
            started_at=started_at,
            ended_at=ended_at,
            joulemark_version=__version__,
            machine=machine,
            conditions=known,
            claims=[answers[claim.id]().of(claim) for claim in paper.claims],
            **vars(page),
        )


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _options_text(options: object) -> str:
    """Writes all options of a study, those that were not given too."""
    return ", ".join(
        f"{field.name.replace('_', '-')} "
        + ("not given" if (value := getattr(options, field.name)) is None else str(value))
        for field in fields(cast("Any", options))
    )


def _bounds_table(bounds: Sequence[str]) -> Table:
    caption = "What makes a claim hold, beside the reason of each claim."
    rows = [[Cell(bound)] for bound in bounds]
    return Table("Bounds of the verdicts", [Heading("bound", prose=True)], rows, caption)


def _conditions_table(conditions: Mapping[str, str]) -> Table:
    headings = [Heading("fact"), Heading("value", prose=True)]
    rows = [[Cell(fact), Cell(value)] for fact, value in conditions.items()]
    return Table("Conditions", headings, rows, "Where and how this was done.")
