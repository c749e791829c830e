# SPDX-License-Identifier: Apache-2.0
"""Foreign values as records: each field has the type that its record declares, or it is refused."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from joulemark.foreign.text import shortened

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["ForeignError", "Least", "counters_from", "record_from_json"]

T = TypeVar("T")

Least = Mapping[str, int]
"""Field -> the smallest value that it may have."""


class ForeignError(ValueError):
    """A value from outside is not what its place asks for; the text says where within it."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import

    return TypeAdapter(kind)


def record_from_json(kind: type[T], values: Any) -> T:
    """A record (data class, model or typed dictionary) from the JSON value of its fields.

    Nothing is converted but what JSON has no form for: words become members of their enumeration,
    lists become tuples. Fields that the record lacks are passed over.

    Raises:
        ForeignError: a field is missing or of another type; the text begins with its name.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - slow to import
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415

    try:
        found: T = _adapter(cast("Hashable", kind)).validate_json(to_json(values), strict=True)
    except ValidationError as error:
        raise ForeignError(_first(error.errors(include_url=False, include_context=False))) from None
    except PydanticSerializationError as error:
        raise ForeignError(shortened(str(error))) from None
    return found


def _first(errors: Iterable[Mapping[str, Any]]) -> str:
    """The first of the errors that pydantic found, as the end of a sentence."""
    first = next(iter(errors))
    where = ".".join(shortened(str(part)) for part in first["loc"])
    what = first["msg"][:1].lower() + first["msg"][1:]
    return f"{where}: {what}" if where else what


def counters_from(kind: type[T], values: Mapping[str, Any], least: Least) -> T:
    """A record whose fields are whole numbers, without the cost of the general way.

    Args:
        kind: a data class; fields whose type allows None may be None.
        values: a value for each field, but for those with a default.
        least: see `Least`; 0 for fields that are not in it.

    Raises:
        ForeignError: a field is missing or unknown, or no whole number of 0 to 2^63 - 1.
    """
    required, optional, known = _counters(cast("Hashable", kind))
    if not required <= values.keys() <= known:
        lacking, strange = sorted(required - values.keys()), sorted(values.keys() - known, key=str)
        raise ForeignError(f"it lacks {lacking[0]}" if lacking else
                           f"it has the unknown field '{shortened(str(strange[0]))}'")  # fmt: skip
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
    """Names of the fields of a data class: without a default, with None, and all."""
    every = fields(kind)
    return (
        frozenset(one.name for one in every if one.default is MISSING),
        frozenset(one.name for one in every if "None" in str(one.type)),
        frozenset(one.name for one in every),
    )
