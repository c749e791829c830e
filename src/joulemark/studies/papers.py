# SPDX-License-Identifier: Apache-2.0
"""Reading `catalogue/papers/<id>.toml`, by whatever model a study has for its paper."""

from __future__ import annotations

import tomllib
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import JoulemarkError

__all__ = ["Claim", "Count", "Facts", "Paper", "Positive", "read_paper"]

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class Facts(BaseModel):
    """Something that the paper did or printed, and where it says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: str
    """Where in the paper."""


class Claim(BaseModel):
    """A sentence of the paper, in our words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    place: str
    text: str


class Paper(BaseModel):
    """What the file of every paper has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    references: list[str]
    """Ids in `catalogue/bibliography.toml`, the paper itself first."""
    claims: list[Claim]


Model = TypeVar("Model", bound=Paper)


def read_paper(model: type[Model], identifier: str) -> Model:
    """The facts of one paper.

    Raises:
        JoulemarkError: the file is missing or breaks the schema.
    """
    path = data_folder("catalogue") / "papers" / f"{identifier}.toml"
    try:
        paper = model.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    if paper.id != identifier:
        raise JoulemarkError(f"{path}: id is '{paper.id}' but the file's name says other")
    return paper
