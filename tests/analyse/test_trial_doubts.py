# SPDX-License-Identifier: Apache-2.0
"""Doubts about a trial: each kind just below and just above its threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fake_runs import altered, trial

from joulemark.analyse.doubts import DoubtKind, trial_doubts
from joulemark.judging import chosen
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache

MS = 1_000_000
COUNTS = {DoubtKind.INTERRUPTED: 20}
"""Windows where ten are not enough: of ten, six must be clean for a figure."""
Changes = Callable[[int], dict[str, Any]]


def kinds(samples: list[RawSample], **workload: Any) -> list[DoubtKind]:
    """Kinds of doubt about a trial."""
    return [doubt.kind for doubt in trial_doubts(trial(**workload), samples)]


def text(samples: list[RawSample]) -> str:
    """The one sentence about a trial."""
    (doubt,) = trial_doubts(trial(), samples)
    return doubt.text


def window(wall_ns: int = 10 * MS, **more: Any) -> dict[str, Any]:
    """A window that ran on its CPU throughout."""
    return {"wall_ns": wall_ns, "thread_cpu_ns": wall_ns, "tsc_ticks": wall_ns * 21 // 10} | more


def test_a_quiet_trial_is_not_doubted() -> None:
    """Ten equal windows have no doubt; nor has a trial without samples."""
    assert kinds(altered(lambda _: {})) == []
    assert kinds([]) == []


@pytest.mark.parametrize(
    ("kind", "below", "above"),
    [
        (
            DoubtKind.OUTLIERS,
            lambda i: window(10 * MS + 10_000 * (i % 3) + (90_000 if i in {4, 7} else 0)),
            lambda i: window(10 * MS + 10_000 * (i % 3) + (200_000 if i in {4, 7} else 0)),
        ),
        (
            DoubtKind.OUTLIERS,
            lambda i: window(10 * MS + 10_000 * (i % 3) + (200_000 if i == 4 else 0)),
            lambda i: window(10 * MS + 10_000 * (i % 3) + (200_000 if i in {4, 7} else 0)),
        ),
        (
            DoubtKind.DRIFT,
            lambda i: window(10 * MS + 8_000 * i),
            lambda i: window(10 * MS + 13_000 * i),
        ),
        (
            DoubtKind.WIDE_INTERVAL,
            lambda i: window(10 * MS + 180_000 * (-1) ** i),
            lambda i: window(10 * MS + 230_000 * (-1) ** i),
        ),
        (
            DoubtKind.OFF_CPU,
            lambda _: window(thread_cpu_ns=9_910_000),
            lambda _: window(thread_cpu_ns=9_890_000),
        ),
        (
            DoubtKind.INTERRUPTED,
            lambda i: window(involuntary_switches=i % 2),
            lambda i: window(involuntary_switches=i % 2 or i in {0, 2}),
        ),
        (
            DoubtKind.SLOW_MEDIAN,
            lambda i: window(13 * MS if i else 10 * MS),
            lambda i: window(1_301 * MS // 100 if i else 10 * MS),
        ),
        (
            DoubtKind.FOREIGN_CPU,
            lambda i: window(100 * MS, machine_busy_ns=(109 if i else 110) * MS),
            lambda i: window(100 * MS, machine_busy_ns=(111 if i else 110) * MS),
        ),
        (
            DoubtKind.STEAL,
            lambda i: window(100 * MS, machine_steal_ns=10 * MS if i < 4 else 0),
            lambda i: window(100 * MS, machine_steal_ns=10 * MS if i < 5 else 0),
        ),
        (
            DoubtKind.CORE_CLOCK,
            lambda i: window(chain_ticks_before=8192 + (200 if i == 5 else 0)),
            lambda i: window(chain_ticks_after=8192 + (300 if i == 5 else 0)),
        ),
    ],
)
def test_each_kind_speaks_above_its_threshold_and_not_below(
    kind: DoubtKind, below: Changes, above: Changes
) -> None:
    """The same disturbance, a little smaller and a little larger than the threshold."""
    for changes, found in ((below, []), (above, [kind])):
        samples = altered(changes, count=COUNTS.get(kind, 10))
        used = chosen({"one": samples})["one"]
        assert [doubt.kind for doubt in trial_doubts(trial(), samples, used)] == found


def test_too_few_samples() -> None:
    """Four are too few, five are not."""
    assert kinds(altered(lambda _: {}, count=4)) == [DoubtKind.TOO_FEW_SAMPLES]
    assert kinds(altered(lambda _: {}, count=5)) == []
    assert "Only 1 sample:" in text(altered(lambda _: {}, count=1))


def test_one_tick_is_no_evidence_of_another_program() -> None:
    """In ten windows of 1 ms a tick of 10 ms is 100 % of a CPU, and means nothing."""
    ticks = altered(lambda i: window(MS, machine_busy_ns=10 * MS if i < 2 else 0))
    assert kinds(ticks) == []
    many = altered(lambda i: window(MS, machine_busy_ns=10 * MS if i < 7 else 0))
    assert kinds(many) == [DoubtKind.FOREIGN_CPU]


def test_our_own_cpu_time_is_not_foreign() -> None:
    """A CPU that was busy exactly as long as our thread had no other program."""
    assert kinds(altered(lambda _: window(100 * MS, machine_busy_ns=100 * MS))) == []


def test_cold_trials_are_not_blamed_for_their_own_flushing() -> None:
    """Counters of the whole window are not compared with the timed stretches of a cold trial."""
    busy = window(100 * MS, machine_busy_ns=400 * MS, machine_steal_ns=20 * MS)
    assert kinds(altered(lambda _: busy), cache=Cache.COLD) == []
    assert set(kinds(altered(lambda _: busy))) == {DoubtKind.FOREIGN_CPU, DoubtKind.STEAL}


def test_a_slow_median_says_why() -> None:
    """Core cycles and generations tell whether the clock, the process or neither is the cause."""
    slow = altered(lambda i: window((20 if i else 10) * MS, chain_ticks_before=8192 * (2 - (not i)),
                                    chain_ticks_after=8192 * (2 - (not i))), count=12)  # fmt: skip
    said = {doubt.kind: doubt.text for doubt in trial_doubts(trial(), slow)}
    assert "2.00 times the minimum: the clock of the core moved" in said[DoubtKind.SLOW_MEDIAN]
    by_process = altered(lambda i: window((20 if i > 3 else 10) * MS, generation=i // 4), count=12)
    said = {doubt.kind: doubt.text for doubt in trial_doubts(trial(), by_process)}
    assert "some processes were slower throughout" in said[DoubtKind.SLOW_MEDIAN]
    within = altered(lambda i: window((20 if i % 4 else 10) * MS, generation=i // 4), count=12)
    said = {doubt.kind: doubt.text for doubt in trial_doubts(trial(), within)}
    assert "it varies within a process" in said[DoubtKind.SLOW_MEDIAN]


def test_windows_of_a_shared_core_are_counted() -> None:
    """The doubt is raised if more than half of the windows were left out of the figures."""
    samples = altered(lambda _: {}, count=20)
    assert trial_doubts(trial(), samples, samples[10:]) == []
    (doubt,) = trial_doubts(trial(), samples, samples[11:])
    assert doubt.kind is DoubtKind.SHARED_CORE
    assert doubt.text.startswith("In 11 of 20 windows another hardware thread used the same core;")


def test_counters_of_a_visit_count_once() -> None:
    """Four windows of one visit carry the same counters of the machine: one visit, not four."""
    four = [
        sample
        for i in range(10)
        for sample in altered(
            lambda k, i=i: window(
                MS, round_index=i, window_index=k, machine_busy_ns=110 * MS,
                visit_wall_ns=100 * MS, visit_thread_cpu_ns=100 * MS,
            ),
            count=4,
        )
    ]  # fmt: skip
    assert kinds(four) == []
    alone = [sample for sample in four if sample.window_index == 0]
    assert kinds([*alone]) == kinds(four)


def test_no_more_of_a_cpu_is_said_than_ticks_prove() -> None:
    """In ten visits of 1 ms six ticks prove that somebody ran, and less than 600 % of a CPU."""
    short = text(altered(lambda _: window(MS, machine_busy_ns=7 * MS)))
    assert short.startswith("Another program used at least 126 % of a CPU")


def test_missing_counters_raise_no_doubt() -> None:
    """A counter that does not exist is not a counter that stood still."""
    gone = dict.fromkeys(
        ("tsc_ticks", "run_queue_wait_ns", "machine_busy_ns", "machine_steal_ns",
         "chain_ticks_before", "chain_ticks_after")
    )  # fmt: skip
    assert kinds(altered(lambda _: gone)) == []
    assert kinds(altered(lambda _: {"wall_ns": 0, "thread_cpu_ns": 0})) == []


def test_sentences_say_how_much_and_what_to_do() -> None:
    """The figures in the sentences are those of the samples."""
    foreign = text(altered(lambda _: window(100 * MS, machine_busy_ns=150 * MS)))
    assert foreign.startswith("Another program used at least 45 % of a CPU while this was")
    assert foreign.endswith("close it, or repeat with more rounds.")
    clock = text(altered(lambda i: window(chain_ticks_before=4096 if i else 8192)))
    assert "between 2.1 GHz and 4.2 GHz" in clock
    no_tsc = text(altered(lambda i: {"tsc_ticks": None, "chain_ticks_before": 4096 * (1 + i % 2)}))
    assert "between 1 and 2 core cycles per TSC tick" in no_tsc
    away = text(altered(lambda _: window(thread_cpu_ns=5 * MS)))
    sleeps = text(altered(lambda _: window(thread_cpu_ns=5 * MS, voluntary_switches=3)))
    assert sleeps.startswith("In 10 of 10 windows the code gave up the CPU by itself")
    assert away.startswith("10 of 10 windows were interrupted and too few others are left")
    assert "off its CPU for 50 % of the time" in away
    drift = text(altered(lambda i: window(10 * MS + 20_000 * i)))
    assert "became 1.8 % longer" in drift
    outlier = text(
        altered(lambda i: window(10 * MS + (MS // 5 if i in {3, 6} else 5000 * (i % 2))))
    )
    assert outlier.startswith("2 of 10 samples are outliers, the farthest 1.9 % slower")
