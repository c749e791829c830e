# SPDX-License-Identifier: Apache-2.0
"""Which trials of a run are not yet as sharp as the user asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from joulemark.measure.interrupted import trusted
from joulemark.measure.plan import Group, Plan
from joulemark.measure.records import RawSample, Trial
from joulemark.stats.clustered import clustered_median_interval
from joulemark.stats.location import median

__all__ = ["half_width", "unsharp_groups"]


def half_width(samples: Sequence[RawSample]) -> float:
    """Half of the interval of the time per message over its median; infinite without one.

    Args:
        samples: of one trial, any number.
    """
    used = trusted(samples)
    if not used:
        return float("inf")
    each = [sample.wall_ns / sample.messages for sample in used]
    found = clustered_median_interval(each, [sample.generation for sample in used])
    centre = median(each)
    return (found.high - found.low) / 2 / centre if centre > 0 else float("inf")


def unsharp_groups(
    plan: Plan, samples: Mapping[Trial, Sequence[RawSample]], wanted: float
) -> Iterator[Group]:
    """Groups of competing trials of which one is wider than `wanted`.

    A group goes on or stops as a whole, so that its trials stay paired and in balanced orders.
    Trials without a sample have failed and keep nobody waiting.
    """
    for group, members in plan.groups().items():
        if any(samples.get(trial) and half_width(samples[trial]) > wanted for trial in members):
            yield group
