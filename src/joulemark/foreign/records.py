# SPDX-License-Identifier: Apache-2.0
"""Foreign JSON and TOML as records: each field has the type that its record declares."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from joulemark.foreign import ForeignError, read_whole, shortened, visible, visible_values
from joulemark.records.figures import Evidence
from joulemark.records.sample import LONGEST_WINDOW_NS, ClockCount, FirmwareCount, RawSample

# JSON from outside, by the letter of RFC 8259 and within bounds that our own writers keep.

_DEEPEST: Final = 64
"""Objects within one another; our own files have fewer than ten."""
_LARGEST: Final = 2**64
"""Counters of kernels and processors have 64 bits."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text, with every string in it made visible.

    Python's reader takes NaN, infinities, lone surrogates and numbers of any length, with which no
    other code can print or compute; so they are refused here or made visible.

    Raises:
        ForeignError: the text is no JSON, is nested too deeply, or has a number that is not finite
            or a whole number of more than 64 bits.
    """
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_finite
        )
        if isinstance(value, dict | list):
            _require_shallow(value, _DEEPEST)
    except RecursionError:
        raise ForeignError("it is nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise ForeignError(f"no JSON: {shortened(str(error))}") from None
    return value if _is_visible(text) else visible_values(value)


def _is_visible(text: str | bytes) -> bool:
    """Whether all signs of a JSON text are visible, so that `visible_values` changes none."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:  # JSON may also be in UTF-16
            return False
    return "\\" not in text and text.strip().isprintable()


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > 21 or abs(int(digits)) > _LARGEST:
        raise ValueError(f"{shortened(digits, 30)} has more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{shortened(digits, 30)} is too large")
    return value


def _require_shallow(value: dict[str, object] | list[object], deepest: int) -> None:
    if deepest < 0:
        raise RecursionError
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            _require_shallow(item, deepest - 1)


# Foreign values as records.

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
    """The line, from 1 on, of the key at a path, or of the nearest table that holds it.

    The path has names and places from the top down; a number is a place in an array of tables. None
    if no part of the path is a key or a table of the text, which is TOML that can be read.
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


# Samples and clock counts from outside: a worker's answer, a database, a file.

_MOST_ROUNDS: Final = 1 << 31


def sample_from(values: Mapping[str, Any]) -> RawSample:
    """A sample from values that come from outside: a database, a file, a worker's answer.

    Raises:
        ForeignError: a field is missing, unknown, no whole number, or no number of a window.
    """
    sample = counters_from(RawSample, values, {"messages": 1, "wall_ns": 1})
    if sample.wall_ns > LONGEST_WINDOW_NS:
        raise ForeignError(f"wall_ns is {sample.wall_ns}, more than a day")
    for name in ("round_index", "position", "generation", "window_index"):
        if getattr(sample, name) > _MOST_ROUNDS:
            raise ForeignError(f"{name} is {getattr(sample, name)}, more than any run has")
    return sample


def clock_count_from(values: Mapping[str, Any]) -> ClockCount:
    """The count of a simulation, from values that come from outside.

    Raises:
        ForeignError: as `sample_from`.
    """
    return counters_from(ClockCount, values, {"messages": 1, "clocks": 1})


def counters_from(kind: type[T], values: Mapping[str, Any], least: Mapping[str, int]) -> T:
    """A record whose fields are whole numbers, in less time than `record_from_json` takes.

    The kind is a data class: fields whose type allows None may be None, and fields with a default
    may be missing. `least` has the smallest value of a field; it is 0 for the others.

    Raises:
        ForeignError: a field is missing or unknown, or no whole number from its least to 2^63 - 1.
    """
    required, optional, known = _counters(cast("Hashable", kind))
    if not required <= values.keys() <= known:
        lacking, strange = sorted(required - values.keys()), sorted(values.keys() - known, key=str)
        raise ForeignError(
            f"it lacks {lacking[0]}"
            if lacking
            else f"it has the unknown field '{shortened(str(strange[0]))}'"
        )
    for name, value in values.items():
        if value is None and name in optional:
            continue
        smallest = least.get(name, 0)
        if type(value) is not int or not smallest <= value < 2**63:
            shown = shortened(repr(value), 30)
            raise ForeignError(f"{name} is {shown}, not a whole number of at least {smallest}")
    return kind(**values)


@cache
def _counters(kind: Any) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Names of the fields of a data class: those without a default, those with None, and all."""
    every = fields(kind)
    return (
        frozenset(field.name for field in every if field.default is MISSING),
        frozenset(field.name for field in every if "None" in str(field.type)),
        frozenset(field.name for field in every),
    )


# Counts of firmware targets from outside: a file, or counts that wait for a server.

_LEAST: Final = {"core_cycles": 1, "instructions": 1}
"""Field -> the smallest value that it may have; 0 for the others."""
_MOST_WORD: Final = 255
"""Most signs in `compiler` and `simulator`, as in their columns of a database."""
_EVIDENCE: Final = (Evidence.SIMULATED, Evidence.MODELLED)


def firmware_count_from(values: Mapping[str, Any]) -> FirmwareCount:
    """The count of a trial on a firmware target, from values that come from outside.

    Raises:
        ForeignError: a field is missing, unknown or of another type, a number is not from 0 (core
            cycles and instructions: 1) to 2^63 - 1, a word is too long, or the evidence is neither
            `simulated` nor `modelled`.
    """
    known = [field.name for field in fields(FirmwareCount)]
    strange = sorted(values.keys() - set(known))
    if strange:
        raise ForeignError(f"it has the unknown field '{shortened(strange[0])}'")
    count = record_from_json(FirmwareCount, values)
    for name in known:
        value = getattr(count, name)
        least = _LEAST.get(name, 0)
        if isinstance(value, int) and not least <= value < 2**63:
            raise ForeignError(f"{name} is {value}, not a whole number of at least {least}")
    if count.evidence not in _EVIDENCE:
        raise ForeignError("evidence is neither simulated nor modelled")
    for name in ("compiler", "simulator"):
        if len(getattr(count, name)) > _MOST_WORD:
            raise ForeignError(f"{name} has more than {_MOST_WORD} signs")
    return count
