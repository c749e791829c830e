# SPDX-License-Identifier: Apache-2.0
"""What any study comes to, as its JSON file has it: tables, charts, and a verdict on each claim.

`SCHEMA_VERSION` history:
    1  first version.
    2  `ground` of a claim; the verdict `the paper contradicts itself`; `not tested` instead of
       `cannot be tested here`; `verdicts` counts them; `reference_url`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator

from joulemark.report.context import moment_text
from joulemark.studies.papers import Claim

__all__ = [
    "SCHEMA_VERSION",
    "Answer",
    "Chart",
    "Ground",
    "JudgedClaim",
    "StudyOutcome",
    "Table",
    "Verdict",
    "either",
    "not_tested",
]

SCHEMA_VERSION: Final = 2


class Verdict(StrEnum):
    """What we say of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold here"
    CONTRADICTED = "the paper contradicts itself"
    """Wrong on paper, by its own figures or its own text: no machine could make it hold."""
    UNTESTED = "not tested"


_COUNTED: Final = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.FAILS: ("does not", "do not"),
    Verdict.CONTRADICTED: ("the paper contradicts", "the paper contradicts"),
    Verdict.UNTESTED: ("not tested", "not tested"),
}
"""Words behind a count of one, and of several."""


class Ground(StrEnum):
    """How a claim was judged."""

    PROVED = "proved"
    """By an argument or a counter-example that anyone can repeat on paper."""
    COMPUTED = "computed"
    """By arithmetic on published figures, or by running code whose output is right or wrong."""
    MEASURED = "measured"
    """By an instrument on this machine."""
    SIMULATED = "simulated"
    """By a simulator that is exact, or with a simulated meter."""
    MODELLED = "modelled"
    """By a cell library or a formula."""
    NONE = "not tested"


class JudgedClaim(BaseModel):
    """A claim of the paper and our answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    place: str
    """Where in the paper."""
    text: str
    verdict: Verdict
    ground: Ground
    why: str
    """A sentence or two with the figures that decide."""

    @model_validator(mode="after")
    def _fits(self) -> JudgedClaim:
        if (self.verdict is Verdict.UNTESTED) != (self.ground is Ground.NONE):
            raise ValueError(f"{self.id}: '{self.verdict}' cannot be '{self.ground}'")
        return self


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judging of one claim comes to."""

    verdict: Verdict
    ground: Ground
    why: str

    def of(self, claim: Claim) -> JudgedClaim:
        """The claim with this answer."""
        return JudgedClaim(
            **claim.model_dump(), verdict=self.verdict, ground=self.ground, why=self.why
        )


def either(ground: Ground, why: str, *, holds: bool) -> Answer:
    """A claim that was tested."""
    return Answer(Verdict.HOLDS if holds else Verdict.FAILS, ground, why)


def not_tested(why: str) -> Answer:
    """A claim that was not."""
    return Answer(Verdict.UNTESTED, Ground.NONE, why)


class Table(BaseModel):
    """Text ready to be shown; the figures behind it are in `StudyOutcome.data`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    caption: str
    headings: list[str]
    rows: list[list[str]]


class Chart(BaseModel):
    """A Vega-Lite specification, or the reason why there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Letters, digits and underscores: it becomes an id of the page."""
    title: str
    caption: str
    spec: dict[str, Any] | None
    reason: str | None = None


class StudyOutcome(BaseModel):
    """Everything a study has to say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    study: str
    """Id of the paper."""
    title: str
    reference: str
    """The paper, cited."""
    reference_url: str
    """Its address: a DOI where there is one."""
    started_at: str
    """ISO 8601, UTC."""
    joulemark_version: str
    machine: str
    summary: str
    """The answer in one paragraph."""
    notes: list[str]
    """What must be known before the figures are read: load, missing meters, interpretations."""
    claims: list[JudgedClaim]
    tables: list[Table]
    charts: list[Chart] = Field(default_factory=list)
    data: dict[str, Any]
    """Figures, in SI units, by part of the study."""
    missing: list[str] = Field(default_factory=list)
    """Parts that were asked for and could not be done, each with its reason."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict, those that none has included."""
        found = [claim.verdict for claim in self.claims]
        return {verdict.value: found.count(verdict) for verdict in Verdict}

    @property
    def counts(self) -> str:
        """The same in words, as in "3 hold, 6 do not, 2 the paper contradicts, 1 not tested"."""
        parts = []
        for verdict, (one, several) in _COUNTED.items():
            number = self.verdicts[verdict.value]
            if number:
                parts.append(f"{number} {one if number == 1 else several}")
        return f"Of {len(self.claims)} claims {', '.join(parts)}."

    @property
    def repeated(self) -> str:
        """When, as in "2 January 2026, 03:04 UTC"."""
        return moment_text(self.started_at)
