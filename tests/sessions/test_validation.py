# SPDX-License-Identifier: Apache-2.0
"""The windows that count, the adjustments and their number: the loop in virtual time."""

from __future__ import annotations

import pytest

from joulemark.judging import TroubleKind, WindowLimits, adjusted, own_share, step, troubles
from joulemark.measure.session_rounds import (
    MessageLengths,
    Patience,
    Scenario,
    ThreadsPoint,
    take,
    take_rounds,
)

OVER, UNSTEADY, SHORT = TroubleKind.OVER_UTILISED, TroubleKind.UNSTEADY, TroubleKind.TOO_SHORT
LIMITS = WindowLimits()
SECOND = 1_000_000_000


def kinds(item):
    """The kinds of trouble with a window."""
    return [found.kind for found in troubles(item, LIMITS)]


def test_a_good_window_counts(window):
    """All of the core, eight equal parts, five turns each and 10 000 latencies make it count."""
    assert own_share(window()) == 1.0
    assert step(window()) == 0.0
    assert kinds(window()) == []


@pytest.mark.parametrize(("cpu_ns", "counts"), [(9_600_000, True), (9_400_000, False)])
def test_over_utilised(window, session, cpu_ns, counts):
    """A window with 96 % of the core counts, a window with 94 % does not."""
    sessions = tuple(session(thread_cpu_ns=cpu_ns) for _ in range(100))
    item = window(sessions=sessions)
    assert kinds(item) == ([] if counts else [OVER])


def test_who_had_the_cores_is_said(window, session):
    """The sentence shares two cores: 50 % sessions, 30 % other programs, 15 % the hypervisor."""
    sessions = tuple(session(thread_cpu_ns=10_000_000) for _ in range(100))
    item = window(cores=(0, 1), sessions=sessions, busy_ns=1_600_000_000, steal_ns=300_000_000)
    (found,) = troubles(item, LIMITS)
    assert found.sentence == (
        "the sessions had 50.0% of the cores, other programs 30.0%, the hypervisor 15.0%"
    )


def test_time_that_nobody_had_is_said(window, session):
    """Where others and the hypervisor had nothing, no sentence may blame them for it."""
    sessions = tuple(session(thread_cpu_ns=12_000_000) for _ in range(100))
    item = window(cores=(0, 1), sessions=sessions, busy_ns=1_200_000_000, steal_ns=0)
    (found,) = troubles(item, LIMITS)
    assert found.sentence == (
        "the sessions had 60.0% of the cores, other programs 0.0%, the hypervisor 0.0%, nobody "
        "40.0%, as where a quota or a stopped machine holds them back"
    )


def test_steal_alone_spoils(window):
    """Steal spoils a window though the thread's own CPU time may go on during the steal."""
    assert kinds(window(steal_ns=30_000_000)) == [OVER]
    assert kinds(window(steal_ns=None, busy_ns=None)) == []


def test_few_sessions_keep_few_cores_busy(window, session):
    """One session on two cores can have one core at most, and its turns are not looked at."""
    alone = session(thread_cpu_ns=SECOND, involuntary_switches=0)
    item = window(cores=(0, 1), sessions=(alone,))
    assert own_share(item) == 1.0
    assert kinds(item) == []


@pytest.mark.parametrize(
    ("later", "expected"), [(12_500_000, []), (13_000_000, []), (13_500_000, [UNSTEADY])]
)
def test_steady(window, later, expected):
    """A window with 4 % more bytes in its later half counts, a window with 8 % more does not."""
    assert kinds(window(part_bytes=(12_500_000,) * 4 + (later,) * 4)) == expected


def test_a_half_without_work_is_not_steady(window):
    """A first half without bytes is unsteady, and nothing is divided by 0."""
    assert kinds(window(part_bytes=(0,) * 4 + (25_000_000,) * 4)) == [UNSTEADY]


def test_turns(window, session):
    """Two turns of half of the sessions are too few, three enough; an idle session has none."""
    few = tuple(session(involuntary_switches=1) for _ in range(100))
    (found,) = troubles(window(sessions=few), LIMITS)
    assert (found.kind, found.longer) == (SHORT, 1.5)
    assert kinds(window(sessions=few[:49] + tuple(session() for _ in range(51)))) == []
    enough = tuple(session(involuntary_switches=2) for _ in range(100))
    assert kinds(window(sessions=enough)) == []
    assert troubles(window(sessions=few), WindowLimits(least_turns=0)) == []
    assert session(messages=0, involuntary_switches=3).turns == 0


def test_latencies(window):
    """500 latencies of the 1000 that a 99.9th percentile needs ask for twice the length."""
    (found,) = troubles(window(latencies=((96, 500),)), LIMITS)
    assert (found.kind, found.longer) == (SHORT, 2.0)


def test_adjusting(window):
    """Short windows get longer, unsteady windows later and longer, disturbed windows neither."""

    def next_of(item):
        return adjusted(300, 1000, troubles(item, LIMITS), longest_ns=4000)

    too_short = {"latencies": ((96, 500),)}
    disturbed = {"steal_ns": 30_000_000}
    moving = {"part_bytes": (10,) * 4 + (20,) * 4}
    assert next_of(window(**too_short)) == (300, 2500)
    assert next_of(window(latencies=((96, 1),))) == (300, 4000)
    assert next_of(window(**disturbed)) == (300, 1000)
    assert next_of(window(**moving)) == (600, 2000)
    assert next_of(window(**moving, **disturbed)) == (300, 1000)


def taken_with(ask, attempts):
    """Windows of a second, at most ten, until one counts."""
    scenario = Scenario(100, (0,), SECOND // 4, SECOND, 10 * SECOND, attempts)
    return take(ask, lambda item: troubles(item, LIMITS), scenario)


def test_the_loop_ends_with_the_first_window_that_counts(window):
    """After a short, a disturbed and a good window the loop ends; the third attempt is best."""
    answers = [window(latencies=((96, 500),)), window(steal_ns=30_000_000), window(), window()]
    asked = []

    def ask(warm_up_ns, window_ns):
        asked.append((warm_up_ns, window_ns))
        return answers[len(asked) - 1]

    taken = taken_with(ask, 9)
    assert asked == [(SECOND // 4, SECOND)] + [(SECOND // 4, 5 * SECOND // 2)] * 2
    assert [len(attempt.troubles) for attempt in taken.attempts] == [1, 1, 0]
    assert taken.counts
    assert taken.best is taken.attempts[2]


def test_the_loop_gives_up(window, session):
    """The loop ends after its last attempt; the least disturbed window stands, with its trouble."""
    shares = iter((7_000_000, 9_000_000, 8_000_000))

    def ask(_warm_up_ns, _window_ns):
        cpu_ns = next(shares)
        return window(sessions=tuple(session(thread_cpu_ns=cpu_ns) for _ in range(100)))

    taken = taken_with(ask, 3)
    assert len(taken.attempts) == 3
    assert not taken.counts
    assert taken.best is taken.attempts[1]


def rounds_of(windows, attempts=4):
    """Two points in three rounds, whose windows come in this order, with patience."""
    coming, paused = iter(windows), []
    scenario = Scenario(100, (0,), SECOND // 4, SECOND, SECOND, attempts)
    points = [ThreadsPoint("a/b", MessageLengths(size), scenario) for size in (64, 1024)]
    patience = Patience(paused.append)
    found = take_rounds(
        points,
        3,
        lambda _point: lambda _warm_up_ns, _window_ns: next(coming),
        lambda item: troubles(item, LIMITS),
        patience=patience,
    )
    return found, patience, paused


def test_three_spoilt_windows_in_a_row_end_the_run(window):
    """As `energy` does: after three windows that others spoilt no more are taken, at any point."""
    found, patience, paused = rounds_of([window(steal_ns=30_000_000)] * 3)
    assert patience.ended
    assert paused == [1.0, 1.0]
    assert sorted(len(point.rounds) for point in found) == [0, 1]
    assert all(not point.good and not point.counts for point in found)


def test_single_attempts_end_the_run_too(window):
    """With one attempt a round the three windows are of three rounds."""
    found, patience, _ = rounds_of([window(steal_ns=30_000_000)] * 3, attempts=1)
    assert patience.ended
    assert sum(len(point.rounds) for point in found) == 3


def test_a_window_that_counts_gives_new_patience(window):
    """Two spoilt windows and a good one in each round end nothing; figures stand on the good."""
    spoilt = window(steal_ns=30_000_000)
    found, patience, _ = rounds_of([spoilt, spoilt, window()] * 6)
    assert not patience.ended
    assert [(point.counts, len(point.good)) for point in found] == [(True, 3), (True, 3)]


def test_other_troubles_are_no_reason_to_give_up(window):
    """Windows that are too short are lengthened, however many they are."""
    found, patience, _ = rounds_of([window(latencies=((96, 500),))] * 24)
    assert not patience.ended
    assert [len(point.rounds) for point in found] == [3, 3]


def test_figures_stand_on_windows_that_count(window):
    """Of three rounds, of which one has no good window, two windows stand."""
    short = window(latencies=((96, 500),))
    found, _, _ = rounds_of([window(), window(), *[short] * 4, window(), window(), window()])
    assert sorted((point.counts, len(point.good)) for point in found) == [(False, 2), (True, 3)]
