# SPDX-License-Identifier: Apache-2.0
"""Published test vectors, read from `vectors/<algorithm>/<source>.json`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from joulemark.catalogue.algorithms import data_folder, every_algorithm
from joulemark.errors import JoulemarkError


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
    """Every published case of an algorithm, source by source, as the catalogue lists them.

    Raises:
        JoulemarkError: a file is missing or breaks the schema.
    """
    folder = data_folder("vectors") / algorithm
    return tuple(
        case
        for source in every_algorithm()[algorithm].vectors
        for case in _read(folder / f"{source}.json").cases
    )
