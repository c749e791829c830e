# SPDX-License-Identifier: Apache-2.0
"""The documents that the catalogue cites, read from `catalogue/bibliography.toml`."""

from __future__ import annotations

import tomllib
from functools import cache

from pydantic import BaseModel, ConfigDict, HttpUrl, ValidationError

from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import JoulemarkError


class Reference(BaseModel):
    """One document, whose id is the name of its table in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    """Title, and after a full stop the series and number, or the venue."""
    authors: list[str]
    year: int
    url: HttpUrl

    def citation(self) -> str:
        """One line: authors, title, year, address."""
        return f"{'; '.join(self.authors)}: {self.title} ({self.year}). {self.url}"


@cache
def bibliography() -> dict[str, Reference]:
    """Every document of the catalogue by id.

    Raises:
        JoulemarkError: the file is missing or breaks the schema; the message names the entry.
    """
    path = data_folder("catalogue") / "bibliography.toml"
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    references = {}
    for name, entry in entries.items():
        try:
            references[name] = Reference.model_validate(entry)
        except ValidationError as error:
            raise JoulemarkError(f"{path}, entry {name}: {error}") from error
    return references
