# SPDX-License-Identifier: Apache-2.0
"""Samples and clock counts from outside: a worker's answer, a database, a file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final, TypeVar, cast

from joulemark.foreign.text import ForeignError, shortened
from joulemark.records.sample import LONGEST_WINDOW_NS, ClockCount, RawSample

T = TypeVar("T")
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
    """A record whose fields are whole numbers, in less time than `records` takes.

    Args:
        kind: a data class; fields whose type allows None may be None.
        values: a value for each field; fields with a default may be missing.
        least: field -> its smallest value; 0 for fields that are not in it.

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
