# SPDX-License-Identifier: Apache-2.0
"""The visits behind the samples of a trial: what the machine did round all windows of one round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.records.sample import RawSample


@dataclass(frozen=True, slots=True)
class Visit:
    """Counters from before the first warm-up of a trial's windows in one round to their end."""

    round_index: int
    generation: int
    wall_ns: int
    thread_cpu_ns: int
    machine_busy_ns: int | None
    machine_steal_ns: int | None


def visits(samples: Iterable[RawSample]) -> list[Visit]:
    """The visits of one trial, by round; a sample older than visits is a visit by itself."""
    first: dict[int, RawSample] = {}
    for sample in samples:
        first.setdefault(sample.round_index, sample)
    return [
        Visit(
            round_index=sample.round_index,
            generation=sample.generation,
            wall_ns=sample.wall_ns if sample.visit_wall_ns is None else sample.visit_wall_ns,
            thread_cpu_ns=sample.thread_cpu_ns
            if sample.visit_thread_cpu_ns is None
            else sample.visit_thread_cpu_ns,
            machine_busy_ns=sample.machine_busy_ns,
            machine_steal_ns=sample.machine_steal_ns,
        )
        for _, sample in sorted(first.items())
    ]
