# SPDX-License-Identifier: Apache-2.0
"""Reading `catalogue/papers/<id>.toml` by the model that a study has of its paper."""

from __future__ import annotations

import tomllib
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import JoulemarkError

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class PaperRecord(BaseModel):
    """A record of a study; a file that is read into it has these fields and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PaperFacts(PaperRecord):
    """Something that the paper did or printed."""

    place: str
    """The place in the paper that says so."""


class Claim(PaperFacts):
    """A sentence of the paper, in our words."""

    id: str
    text: str


class Paper(PaperRecord):
    """The fields that the file of every paper has."""

    id: str
    title: str
    references: list[str]
    """Ids in `catalogue/bibliography.toml`, the paper itself first."""
    claims: list[Claim]


Model = TypeVar("Model", bound=Paper)


def read_paper(model: type[Model], identifier: str) -> Model:
    """Reads the facts of one paper."""
    path = data_folder("catalogue") / "papers" / f"{identifier}.toml"
    try:
        paper = model.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    if paper.id != identifier:
        raise JoulemarkError(f"{path}: id is '{paper.id}' but the file's name says other")
    return paper
