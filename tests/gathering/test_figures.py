# SPDX-License-Identifier: Apache-2.0
"""Figures of gathering from counters known by hand, and which windows count."""

from __future__ import annotations

from fractions import Fraction

import pytest

from joulemark.analyse.gathering import (
    core_seconds_per_message,
    gather_figures,
    gather_latency_seconds,
    messages_per_second,
)
from joulemark.judging import TroubleKind, WindowLimits, gather_troubles, kept_up
from joulemark.measure.session_rounds import Scenario, take
from joulemark.records.sample import bucket_middle

LIMITS = WindowLimits()
SECOND = 1_000_000_000


def test_figures_by_hand(window) -> None:
    """2 000 000 ticks for 1000 messages at 2 ticks a ns are a microsecond each.

    Beside them 100 batches read the clock, which takes 20 ticks.
    """
    found = gather_figures([window(), window(), window()])
    assert found.core_seconds_per_message.median == pytest.approx(1e-6)
    assert found.messages_per_core_second.median == pytest.approx(1e6)
    assert found.messages_per_second.median == pytest.approx(1e5)
    assert found.busy_share.median == pytest.approx(0.1)
    assert found.batch.median == pytest.approx(10)
    assert found.latency_s["p50"].median == pytest.approx(bucket_middle(480) / 2e9)
    assert found.kept_up


def test_an_interruption_spoils_one_part(window) -> None:
    """4 ms in the middle of a batch spoil one part, and do not change the median of the parts."""
    parts = ((1000, 0, 2_000_000),) * 99 + ((1000, 0, 10_000_000),)
    assert core_seconds_per_message(window(parts=parts)) == pytest.approx(1e-6)


def test_parts_without_messages_have_no_cost(window) -> None:
    """Parts without messages are left out; without any message the cost is None, not 0."""
    parts = ((0, 0, 0),) * 60 + ((1000, 0, 2_000_000),) * 40
    assert core_seconds_per_message(window(parts=parts)) == pytest.approx(1e-6)
    assert core_seconds_per_message(window(parts=((0, 0, 0),) * 100)) is None
    assert gather_latency_seconds(window(latencies=()), Fraction(1, 2)) is None


def test_two_gatherers_add_up(window, gatherer) -> None:
    """Two gatherers add up, each with its messages over its own time."""
    both = window(cores=(0, 1), gatherers=(gatherer(), gatherer(wall_ns=SECOND // 2)))
    assert messages_per_second(both) == pytest.approx(3e5)
    assert (both.messages, both.batches) == (200_000, 20_000)


@pytest.mark.parametrize(("cpu_ns", "counts"), [(960_000_000, True), (940_000_000, False)])
def test_others_on_the_core(window, gatherer, cpu_ns, counts) -> None:
    """A gatherer never sleeps, so the time that is not its CPU time was used by others."""
    found = gather_troubles(window(gatherers=(gatherer(thread_cpu_ns=cpu_ns),)), LIMITS)
    assert [trouble.kind for trouble in found] == ([] if counts else [TroubleKind.OVER_UTILISED])


def test_steal_and_few_messages(window, gatherer) -> None:
    """Time of the hypervisor spoils a window; too few messages ask for a longer window."""
    (stolen,) = gather_troubles(window(steal_ns=30_000_000), LIMITS)
    assert stolen.kind is TroubleKind.OVER_UTILISED
    (few,) = gather_troubles(window(gatherers=(gatherer(messages=250),)), LIMITS)
    assert (few.kind, few.longer) == (TroubleKind.TOO_SHORT, 4.0)


@pytest.mark.parametrize(("after", "kept"), [(1003, True), (1100, False)])
def test_kept_up(window, gatherer, after, kept) -> None:
    """Of 100 000 messages 1000 may be left behind; of few messages, a batch on each core."""
    assert kept_up(window(gatherers=(gatherer(backlog_after=after),))) is kept
    assert kept_up(window(gatherers=(gatherer(messages=100, backlog_after=67),)))
    assert not kept_up(window(gatherers=(gatherer(messages=100, backlog_after=68),)))


def taken_with(ask, attempts: int):
    """Windows of a second, at most four, until one counts."""
    scenario = Scenario(100, (0,), 0, SECOND, 4 * SECOND, attempts)
    return take(ask, lambda item: gather_troubles(item, LIMITS), scenario)


def test_windows_until_one_counts(window, gatherer) -> None:
    """A short window is repeated longer, a disturbed window as it was, and a good window ends."""
    answers = [
        window(gatherers=(gatherer(messages=250),)),
        window(steal_ns=30_000_000),
        window(),
        window(),
    ]
    asked: list[int] = []

    def ask(_warm_up_ns: int, window_ns: int):
        asked.append(window_ns)
        return answers[len(asked) - 1]

    taken = taken_with(ask, 9)
    assert asked == [SECOND, 4 * SECOND, 4 * SECOND]
    assert [len(attempt.troubles) for attempt in taken.attempts] == [1, 1, 0]


def test_windows_end_with_the_attempts(window) -> None:
    """If no window counts, the last attempt ends the loop, and all attempts are kept."""
    taken = taken_with(lambda *_times: window(steal_ns=30_000_000), 2)
    assert [bool(attempt.troubles) for attempt in taken.attempts] == [True, True]
