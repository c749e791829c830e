# SPDX-License-Identifier: Apache-2.0
"""Windows of a shared core: found by the core's additions, left out for all trials or none."""

from __future__ import annotations

from typing import Any

import pytest

from joulemark import _core
from joulemark.judging import additions_per_cycle, core_was_shared, standing
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

ADDS, CHAIN = 32768, 8192
ALONE = {"width_ticks_before": 5824, "width_ticks_after": 5824}
SHARED = {"width_ticks_before": 5824, "width_ticks_after": 7000}
A, B, OTHER = (Trial(name, Workload(size)) for name, size in (("a/x", 64), ("a/y", 64), ("a/x", 8)))


def sample(round_index: int = 0, **changes: Any) -> RawSample:
    """A clean window on a core whose clock runs at twice the TSC's rate."""
    clean = {
        "round_index": round_index, "position": 0, "generation": 0, "messages": 1000,
        "wall_start_ns": 1, "wall_ns": 200_000, "thread_cpu_ns": 200_100, "tsc_ticks": 1,
        "perf_core_cycles": None, "voluntary_switches": 0, "involuntary_switches": 0,
        "run_queue_wait_ns": None, "machine_busy_ns": None, "machine_steal_ns": None,
        "chain_adds": CHAIN, "chain_ticks_before": 5760, "chain_ticks_after": 5760,
        "width_adds": ADDS,
    }  # fmt: skip
    return RawSample(**(clean | ALONE | changes))


def test_the_worse_of_both_probes_counts() -> None:
    """The lower additions per core cycle of both probes counts; without both it is unknown."""
    assert additions_per_cycle(sample()) == pytest.approx(ADDS * 5760 / (5824 * CHAIN))
    slow_clock = sample(**dict.fromkeys(("chain_ticks_before", "chain_ticks_after"), 2 * 5760),
                        **dict.fromkeys(ALONE, 2 * 5824))  # fmt: skip
    assert additions_per_cycle(slow_clock) == additions_per_cycle(sample())
    assert additions_per_cycle(sample(**SHARED)) == pytest.approx(ADDS * 5760 / (7000 * CHAIN))
    for gap in ("width_ticks_before", "width_ticks_after", "chain_ticks_before"):
        assert additions_per_cycle(sample(**{gap: None})) is None
    assert additions_per_cycle(sample(chain_adds=0)) is None


def test_five_percent_fewer_additions_are_a_shared_core() -> None:
    """The core counts as shared from 5 % fewer additions on; an unknown rate does not."""
    best = additions_per_cycle(sample())
    assert not core_was_shared(sample(width_ticks_after=6100), best)
    assert core_was_shared(sample(width_ticks_after=6150), best)
    assert not core_was_shared(sample(**SHARED), None)
    assert not core_was_shared(sample(width_ticks_before=None), best)


def test_competitors_stand_on_windows_of_one_kind() -> None:
    """All competitors of a group leave windows of a shared core out, or none does."""
    mostly = [sample(i, **(SHARED if i < 10 else {})) for i in range(40)]
    hardly = [sample(i, **(SHARED if i < 35 else {})) for i in range(40)]
    assert standing({A: mostly})[A] == mostly[10:]
    both = standing({A: mostly, B: hardly, OTHER: mostly})
    assert (both[A], both[B]) == (mostly, hardly), "B would have 5 windows, A thirty"
    assert both[OTHER] == mostly[10:], "another length is another group"
    assert list(both) == [A, B, OTHER]


def test_a_core_that_is_always_shared_is_taken_as_it_is() -> None:
    """Without a window alone on the core, or without probes, no window is left out."""
    always = [sample(i, **SHARED) for i in range(40)]
    assert standing({A: always})[A] == always
    old = [sample(i, width_ticks_before=None, width_ticks_after=None) for i in range(9)]
    assert standing({A: old, B: []}) == {A: old, B: []}


def test_windows_alone_must_lie_in_several_processes() -> None:
    """Shared windows stay in unless a tenth of all, in several processes, had the core alone."""
    guest = [sample(i, generation=i // 10, **(SHARED if i >= 10 else {})) for i in range(100)]
    assert standing({A: guest})[A] == guest
    often = [sample(i, generation=i // 10, **(SHARED if i % 5 else {})) for i in range(100)]
    assert standing({A: often})[A] == often[::5], "a fifth of the windows, in ten processes"
    rarely = [sample(i, generation=i // 10, **(SHARED if i % 12 else {})) for i in range(100)]
    assert standing({A: rarely})[A] == rarely, "less than a tenth: the best may be an accident"


def test_a_trial_without_clean_windows_keeps_what_it_has() -> None:
    """A trial whose windows alone on the core are all interrupted keeps what it has."""
    short = [sample(i) for i in range(40)]
    long = [sample(i, involuntary_switches=1, **(SHARED if i else {})) for i in range(40)]
    found = standing({A: short, OTHER: long})
    assert found == {A: short, OTHER: long}


def test_two_runs_decide_together() -> None:
    """Shared windows are left out beside a run alone on its core, and kept beside a shared run."""
    alone = [sample(i) for i in range(40)]
    mixed = [sample(i, **(SHARED if i < 35 else {})) for i in range(40)]
    both = [sample(i, **(SHARED if i < 20 else {})) for i in range(40)]
    assert standing({A: both}, {A: alone})[A] == both[20:]
    assert standing({A: both}, {A: mixed})[A] == both


def test_one_bad_probe_of_the_clock_is_not_the_best() -> None:
    """Chains that were interrupted make the rate beside them too high, in a window or two."""
    samples = [sample(i) for i in range(100)]
    samples[7] = sample(7, chain_ticks_before=9000, chain_ticks_after=9000)
    assert standing({A: samples})[A] == samples


def test_the_probe_counts_several_additions_a_cycle() -> None:
    """On a real core: more than one in each cycle, and no more than any core known to us does."""
    loop = _core.Loop(
        next(
            implementation
            for implementation in _core.builtin_plugin().implementations()
            if (implementation.algorithm, implementation.variant) == ("siphash-2-4", "portable")
        ),
        bytes(16),
        64,
    )
    _, windows = loop.visit(1, 0, 100, [0] * 20)
    rates = [additions_per_cycle(RawSample(
        0, 0, 0, **window, run_queue_wait_ns=None, machine_busy_ns=None, machine_steal_ns=None,
    )) for window in windows]  # fmt: skip
    if None in rates:
        pytest.skip("this architecture has no time-stamp counter")
    assert 1.2 < max(rate for rate in rates if rate is not None) < 9
