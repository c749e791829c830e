# SPDX-License-Identifier: Apache-2.0
"""The load of other programs, seen over all trials of a run together."""

from __future__ import annotations

from dataclasses import replace

from joulemark.analyse.doubts import DoubtKind
from joulemark.analyse.machine_load import load_doubts, machine_loads
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial, Workload

WINDOW_NS = 2_000_000
TICK_NS = 10_000_000


def sample(round_index: int, generation: int, busy_ns: int, steal_ns: int = 0) -> RawSample:
    """A quiet sample, except for the given counters of the machine."""
    return RawSample(
        round_index=round_index, position=0, generation=generation, messages=1000,
        wall_start_ns=0, wall_ns=WINDOW_NS, thread_cpu_ns=WINDOW_NS, tsc_ticks=None,
        perf_core_cycles=None, voluntary_switches=0, involuntary_switches=0,
        run_queue_wait_ns=0, machine_busy_ns=busy_ns, machine_steal_ns=steal_ns, chain_adds=8192,
        chain_ticks_before=None, chain_ticks_after=None,
    )  # fmt: skip


def run(share: float, *, rounds: int = 20, trials: int = 20) -> dict[Trial, list[RawSample]]:
    """A run beside which a program takes `share` of one CPU, counted in ticks as the kernel does.

    A window shows a whole tick whenever the program's CPU time since the start crosses one.
    """
    found: dict[Trial, list[RawSample]] = {}
    foreign_ns = 0.0
    own_ns = 0
    for round_index in range(rounds):
        for number in range(trials):
            before = int(foreign_ns // TICK_NS) + own_ns // TICK_NS
            foreign_ns += share * WINDOW_NS
            own_ns += WINDOW_NS
            busy = (int(foreign_ns // TICK_NS) + own_ns // TICK_NS - before) * TICK_NS
            trial = Trial(f"a/{number}", Workload(64))
            found.setdefault(trial, []).append(sample(round_index, round_index // 5, busy))
    return found


def test_a_busy_neighbour_is_seen() -> None:
    """The run proves a loop on another core, though no single trial could."""
    doubts = load_doubts(run(1.0))
    assert [doubt.kind for doubt in doubts] == [DoubtKind.FOREIGN_CPU]
    assert "rounds" in doubts[0].text


def test_a_quiet_machine_is_not_accused() -> None:
    """Without a neighbour there is no warning, although single windows show whole ticks."""
    samples = run(0.0)
    assert any(raw_sample.machine_busy_ns for taken in samples.values() for raw_sample in taken)
    assert load_doubts(samples) == []


def test_a_small_run_proves_nothing() -> None:
    """Two windows cannot tell a neighbour from a tick of our process."""
    assert load_doubts(run(1.0, rounds=2, trials=1)) == []


def test_steal_is_seen() -> None:
    """Time taken by the hypervisor is summed like time of other programs."""
    samples = {
        trial: [
            replace(raw_sample, machine_steal_ns=TICK_NS if raw_sample.round_index % 4 == 0 else 0)
            for raw_sample in taken
        ]
        for trial, taken in run(0.0).items()
    }
    assert [doubt.kind for doubt in load_doubts(samples)] == [DoubtKind.STEAL]


def test_sums_are_by_generation_and_leave_cold_trials_out() -> None:
    """Each generation is one sum over its rounds; gaps between cold stretches are not ours."""
    samples = run(0.0, trials=3)
    cold = Trial("a/cold", Workload(64, cache=Cache.COLD))
    samples[cold] = [sample(0, 0, 50 * TICK_NS)]
    loads = machine_loads(samples)
    assert [(load.first_round, load.last_round) for load in loads] == [
        (0, 4), (5, 9), (10, 14), (15, 19)
    ]  # fmt: skip
    assert {load.visits for load in loads} == {15}
    assert loads[0].wall_ns == 15 * WINDOW_NS


def test_missing_counters_are_not_zero() -> None:
    """Where the kernel keeps no such counter there is no warning."""
    samples = {trial: [replace(raw_sample, machine_busy_ns=None) for raw_sample in taken]
               for trial, taken in run(1.0).items()}  # fmt: skip
    assert machine_loads(samples) == []
    assert load_doubts(samples) == []
