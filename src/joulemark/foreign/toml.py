# SPDX-License-Identifier: Apache-2.0
"""TOML files of the user's as records; what is wrong is told with its line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.text import shortened, visible

__all__ = ["line_of", "read_record", "read_text"]

Model = TypeVar("Model", bound=BaseModel)
_MOST_BYTES: Final = 1 << 20
_TABLE: Final = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""")


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        ForeignError: it cannot be read, is no UTF-8, or has more than a mebibyte.
    """
    try:
        return read_whole(path, _MOST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise ForeignError(f"{visible(str(path))}: it is no UTF-8 ({error.reason})") from None
    except ForeignError as error:
        raise ForeignError(f"{visible(str(path))}: {error}") from None


def read_record(model: type[Model], path: Path) -> Model:
    """A TOML file as a record.

    Raises:
        ForeignError: the text begins with the file, and the line and the key where one is wrong.
    """
    text = read_text(path)
    name = visible(str(path))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ForeignError(f"{name}: it is no TOML: {shortened(str(error), 120)}") from None
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where, what = ".".join(shortened(str(part)) for part in first["loc"]), _said(first)
        if not where:  # a check of the whole file, whose sentence begins with the key
            where, _, what = what.partition(": ")
        line = line_of(text, first["loc"] or where.split("."))
        at = "" if line is None else f", line {line}"
        raise ForeignError(f"{name}{at}: {where}: {what}") from None


def _said(error: Mapping[str, Any]) -> str:
    """One error of pydantic's as the end of a sentence."""
    kind = error["type"]
    if kind == "missing":
        return "the key is missing"
    if kind == "extra_forbidden":
        return "there is no such key"
    text = str(error["msg"]).removeprefix("Value error, ")
    return shortened(text[:1].lower() + text[1:], 200)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line of the key at a path of names and places, or of the nearest table that holds it.

    Args:
        text: of a TOML file that can be read.
        path: keys from the top down; a number is a place in an array of tables.

    Returns:
        From 1 on; None where no part of the path is written as a key or a table.
    """
    found, best = None, 0
    table: tuple[str | int, ...] = ()
    places: dict[tuple[str | int, ...], int] = {}
    wanted = tuple(path)
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            names = _names(header[2])
            if header[1] == "[[":
                places[names] = places.get(names, -1) + 1
                table = (*names, places[names])
            else:
                table = names
            here: tuple[str | int, ...] = table
        elif key := _KEY.match(line):
            here = (*table, *_names(key[1]))
        else:
            continue
        if here == wanted[: len(here)] and len(here) > best:
            found, best = number, len(here)
    return found


def _names(dotted: str) -> tuple[str | int, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
