# SPDX-License-Identifier: Apache-2.0
"""Published test vectors, read from `vectors/<algorithm>/<source>.json`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, HttpUrl, ValidationError

from joulemark.catalogue import data_folder, every_algorithm
from joulemark.errors import JoulemarkError

# The documents that the catalogue cites, read from `catalogue/bibliography.toml`.


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
    """Every document of the catalogue by id."""
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


class VectorCase(BaseModel):
    """One published input and output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    key_hex: str = ""
    nonce_hex: str = ""
    """The nonce, where the algorithm takes one."""
    message_hex: str
    message_repeat: int = 1
    """Number of times that `message_hex` is repeated in the message."""
    output_hex: str
    """The output or, where the source truncates it, its first bytes; compared as a prefix."""


class _VectorFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: str
    source: str
    cases: list[VectorCase]


def _read(path: Path) -> _VectorFile:
    try:
        file = _VectorFile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    if (file.algorithm, file.source) != (path.parent.name, path.stem):
        raise JoulemarkError(f"{path} says it is {file.algorithm}/{file.source}")
    return file


@cache
def vectors(algorithm: str) -> tuple[VectorCase, ...]:
    """Every published case of an algorithm, source by source, as the catalogue lists them."""
    folder = data_folder("vectors") / algorithm
    return tuple(
        case
        for source in every_algorithm()[algorithm].vectors
        for case in _read(folder / f"{source}.json").cases
    )
