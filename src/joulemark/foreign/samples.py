# SPDX-License-Identifier: Apache-2.0
"""Samples and clock counts from outside: a worker's answer, a database, a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.foreign.counters import counters_from
from joulemark.foreign.errors import ForeignError
from joulemark.records.sample import LONGEST_WINDOW_NS, ClockCount, RawSample

__all__ = ["clock_count_from", "sample_from"]

_MOST_ROUNDS = 1 << 31


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
    """What a simulation counted, from values that come from outside.

    Raises:
        ForeignError: as `sample_from`.
    """
    return counters_from(ClockCount, values, {"messages": 1, "clocks": 1})
