# SPDX-License-Identifier: Apache-2.0
"""Foreign values as records: each field has the type that its record declares, or it is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from joulemark.foreign.files import read_whole
from joulemark.foreign.text import ForeignError, shortened, visible

T = TypeVar("T")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def record_from_json(kind: type[T], values: Any) -> T:
    """A record (data class, model or typed dictionary) from the JSON value of its fields.

    Only values for which JSON has no form are converted: words become members of their enumeration,
    lists become tuples. Fields that the record lacks are passed over.

    Raises:
        ForeignError: a field is missing or of another type; the text begins with its name.
    """
    try:
        record: T = _adapter(cast("Hashable", kind)).validate_json(to_json(values), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(shortened(str(part)) for part in first["loc"])
        what = first["msg"][:1].lower() + first["msg"][1:]
        raise ForeignError(f"{where}: {what}" if where else what) from None
    except PydanticSerializationError as error:
        raise ForeignError(shortened(str(error))) from None
    return record


# TOML files of the user's as records; a refusal names the line and the key.

Model = TypeVar("Model", bound=BaseModel)
_MOST_BYTES: Final = 1 << 20
_TABLE: Final = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""")


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        ForeignError: the file cannot be read, is no UTF-8, or has more than a mebibyte.
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
        ForeignError: the text begins with the file, and with line and key where a key is wrong.
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
        where, what = ".".join(shortened(str(part)) for part in first["loc"]), _in_words(first)
        if not where:  # a check of the whole file, whose sentence begins with the key
            where, _, what = what.partition(": ")
        line = line_of(text, first["loc"] or where.split("."))
        at = "" if line is None else f", line {line}"
        raise ForeignError(f"{name}{at}: {where}: {what}") from None


def _in_words(error: Mapping[str, Any]) -> str:
    """One error of pydantic's as the end of a sentence."""
    known = {"missing": "the key is missing", "extra_forbidden": "there is no such key"}
    text = str(error["msg"]).removeprefix("Value error, ")
    return known.get(error["type"]) or shortened(text[:1].lower() + text[1:], 200)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line of the key at a path of names and places, or of the nearest table that holds it.

    Args:
        text: a TOML file that can be read.
        path: keys from the top down; a number is a place in an array of tables.

    Returns:
        The number of the line, from 1 on; None if no part of the path is a key or a table there.
    """
    best_line, best_length = None, 0
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
        if here == wanted[: len(here)] and len(here) > best_length:
            best_line, best_length = number, len(here)
    return best_line


def _names(dotted: str) -> tuple[str | int, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
