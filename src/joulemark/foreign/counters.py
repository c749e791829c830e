# SPDX-License-Identifier: Apache-2.0
"""Foreign values as records of whole numbers, without the cost of the general way."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar, cast

from joulemark.foreign.errors import ForeignError
from joulemark.foreign.text import shortened

__all__ = ["Least", "counters_from"]

T = TypeVar("T")

Least = Mapping[str, int]
"""Field -> the smallest value that it may have."""


def counters_from(kind: type[T], values: Mapping[str, Any], least: Least) -> T:
    """A record whose fields are whole numbers.

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
        frozenset(field.name for field in every if field.default is MISSING),
        frozenset(field.name for field in every if "None" in str(field.type)),
        frozenset(field.name for field in every),
    )
