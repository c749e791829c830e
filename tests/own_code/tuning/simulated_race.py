# SPDX-License-Identifier: Apache-2.0
"""Candidates whose true times are known, timed on a simulated machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from joulemark.own_code.choice import FlagChoice, Race, choose, timings_of
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

MESSAGES = 1_000_000
ROUNDS, GENERATIONS = 8, 4
"""Rounds of each block, and generations among them."""


@dataclass
class Machine:
    """Times candidates; every start of a process has an offset, every round noise of heavy tails.

    Args:
        ns: candidate -> length in bytes -> true nanoseconds per message.
        seed: of all chance.
        noise: scale of the noise of a round.
        offset: standard deviation of the offset of a process.
    """

    ns: Mapping[str, Mapping[int, float]]
    seed: int = 1
    noise: float = 0.003
    offset: float = 0.003
    samples: dict[Trial, list[RawSample]] = field(default_factory=dict)
    blocks: int = 0
    visits: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(self.seed)
        self.trials = [
            Trial(name, Workload(size)) for name, sizes in self.ns.items() for size in sizes
        ]

    def race(self, **more: float) -> Race:
        """A race of all candidates, the first of which is the usual one."""
        names = list(self.ns)
        return Race(names, names[0], self.trials, ROUNDS, more.pop("budget_s", 1e9), **more)  # type: ignore[arg-type]

    def ended(self, race: Race) -> FlagChoice:
        """Runs the race to its end and chooses."""
        going: Collection[Trial] = self.trials
        while going:
            self._take(going)
            self.blocks += 1
            going = race(self.blocks, self.samples)
        found = choose(timings_of(self.samples), race.left, race.usual, len(self.ns))
        assert found is not None
        return found

    def _take(self, trials: Collection[Trial]) -> None:
        drift = np.cumsum(self._chance.normal(scale=0.002, size=ROUNDS))
        for trial in trials:
            starts = self._chance.normal(scale=self.offset, size=GENERATIONS)
            noise = self.noise * self._chance.standard_t(2, size=ROUNDS)
            true_ns = self.ns[trial.implementation][trial.workload.size_bytes]
            for index in range(ROUNDS):
                within = index * GENERATIONS // ROUNDS
                logarithm = drift[index] + starts[within] + noise[index]
                wall_ns = round(true_ns * float(np.exp(logarithm)) * MESSAGES)
                self.samples.setdefault(trial, []).append(
                    _sample(
                        self.blocks * ROUNDS + index, self.blocks * GENERATIONS + within, wall_ns
                    )
                )
            self.visits[trial.implementation] = self.visits.get(trial.implementation, 0) + ROUNDS


def _sample(round_index: int, generation: int, wall_ns: int) -> RawSample:
    return RawSample(
        round_index=round_index, position=0, generation=generation, messages=MESSAGES,
        wall_start_ns=10**12, wall_ns=wall_ns, thread_cpu_ns=wall_ns, tsc_ticks=None,
        perf_core_cycles=None, voluntary_switches=0, involuntary_switches=0, run_queue_wait_ns=0,
        machine_busy_ns=0, machine_steal_ns=0, chain_adds=8192, chain_ticks_before=8192,
        chain_ticks_after=8192,
    )  # fmt: skip


def equal(count: int, *sizes: int) -> dict[str, dict[int, float]]:
    """Candidates that take the same time, 100 ns and a nanosecond a byte."""
    return {f"c{number}": {size: 100.0 + size for size in sizes or (64, 4096)}
            for number in range(count)}  # fmt: skip
