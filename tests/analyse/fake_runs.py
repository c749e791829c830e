# SPDX-License-Identifier: Apache-2.0
"""Raw samples of runs that never took place, for tests of the analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from joulemark.records import ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

MESSAGES = 1_000_000
"""Messages in each window, so that times of some hundred nanoseconds keep seven digits."""

SAMPLE = RawSample(
    round_index=0,
    position=0,
    generation=0,
    messages=1000,
    wall_start_ns=10**12,
    wall_ns=100_000,
    thread_cpu_ns=99_900,
    tsc_ticks=210_000,
    perf_core_cycles=None,
    voluntary_switches=0,
    involuntary_switches=0,
    run_queue_wait_ns=0,
    machine_busy_ns=0,
    machine_steal_ns=0,
    chain_adds=8192,
    chain_ticks_before=8192,
    chain_ticks_after=8192,
)
"""A quiet window: 100 ns per message on a core whose clock is the TSC's, 2.1 GHz."""


_QUIET = SAMPLE.as_dict()


def trial(implementation: str = "hmac-sha256/shani", size_bytes: int = 64, **more: Any) -> Trial:
    """A trial on the host."""
    return Trial(implementation, Workload(size_bytes, **more))


def facts(implementation: str = "hmac-sha256/shani", **more: Any) -> ImplementationFacts:
    """Facts of a made-up implementation."""
    known: dict[str, Any] = {
        "kind": "mac", "provider": "joulemark", "library_version": "1", "compiler": "gcc",
        "flags": "-O2", "cpu_features": (), "lanes": 1, "constant_time": True, "block_bytes": 64,
        "output_bytes": 32, "key_bytes_min": 0, "key_bytes_max": None, "key_bytes": 32,
    }  # fmt: skip
    return ImplementationFacts(implementation, **(known | more))


def altered(changes: Callable[[int], dict[str, Any]], count: int = 10) -> list[RawSample]:
    """`count` quiet windows, one per round, each with the changes of its round."""
    return [_sample(**{"round_index": index, **changes(index)}) for index in range(count)]


def taking(seconds: np.ndarray, generations: int = 1) -> list[RawSample]:
    """Samples that took these seconds per message, the rounds cut into generations."""
    rounds = len(seconds)
    return [
        _sample(
            round_index=index,
            generation=index * generations // rounds,
            messages=MESSAGES,
            wall_ns=round(value * MESSAGES * 1e9),
            thread_cpu_ns=round(value * MESSAGES * 1e9),
        )
        for index, value in enumerate(seconds)
    ]


def layout(generator: np.random.Generator, rounds: int, generations: int, sd: float) -> np.ndarray:
    """Offset of each round from the memory layout of its process, shape (rounds,)."""
    offsets = generator.normal(scale=sd, size=generations)
    return offsets[np.arange(rounds) * generations // rounds]


def _sample(**changes: Any) -> RawSample:
    """`SAMPLE` with changes; dataclasses.replace would slow the simulations."""
    return RawSample(**(_QUIET | changes))
