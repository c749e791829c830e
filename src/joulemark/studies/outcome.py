# SPDX-License-Identifier: Apache-2.0
"""What any study comes to, as its JSON file has it: tables, charts, and a verdict on each claim.

`SCHEMA_VERSION` history:
    1  first version.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["SCHEMA_VERSION", "Chart", "JudgedClaim", "StudyOutcome", "Table", "Verdict"]

SCHEMA_VERSION: Final = 1


class Verdict(StrEnum):
    """What this machine says of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold here"
    UNTESTED = "cannot be tested here"


class JudgedClaim(BaseModel):
    """A claim of the paper and our answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    place: str
    """Where in the paper."""
    text: str
    verdict: Verdict
    why: str
    """A sentence or two with the figures that decide."""


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
    started_at: str
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
