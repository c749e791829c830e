# SPDX-License-Identifier: Apache-2.0
"""Facts from TOML as a record: each field has the type that its data class declares.

Authenticating reads the catalogue's files too, so this file needs no package beside Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

__all__ = ["facts_from"]

T = TypeVar("T")


def facts_from(kind: type[T], values: Mapping[str, Any]) -> T:
    """A record of a data class with fields of text, whole numbers, truths, choices and lists.

    Args:
        kind: the data class.
        values: its fields, as `tomllib` gives them.

    Raises:
        ValueError: a field is missing, unknown, or of another type; the text begins with its name.
    """
    hints = _hints(kind)  # type: ignore[arg-type]
    declared = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for name in values.keys() - declared.keys():
        raise ValueError(f"{name}: there is no such field")
    for name, field in declared.items():
        if name in values:
            _require(name, hints[name], values[name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{name}: the field is missing")
    return kind(**values)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _require(name: str, wanted: Any, value: Any) -> None:
    """Refuses a value of another type. TOML has no None: a file leaves such a field out."""
    if get_origin(wanted) is UnionType:
        wanted = next(kind for kind in get_args(wanted) if kind is not NoneType)
    if get_origin(wanted) is Literal:
        if value not in get_args(wanted):
            choices = ", ".join(map(str, get_args(wanted)))
            raise ValueError(f"{name}: {value!r} is none of {choices}")
    elif get_origin(wanted) is list:
        if not isinstance(value, list):
            raise ValueError(f"{name}: {value!r} is no list")
        for place, item in enumerate(value):
            _require(f"{name}[{place}]", get_args(wanted)[0], item)
    elif type(value) is not wanted:  # not isinstance, for which a truth is a number
        raise ValueError(f"{name}: {value!r} is not of type {wanted.__name__}")
