# SPDX-License-Identifier: Apache-2.0
"""Doubts about a run as a whole."""

from __future__ import annotations

from fake_runs import altered, trial

from joulemark.analyse.doubts import Doubt, DoubtKind, trial_doubts
from joulemark.analyse.machine_load import common_to_the_run, run_warnings
from joulemark.records.trial import Trial

QUIET = {"virtualised": False, "governor": "performance", "turbo": False, "smt_active": False}


def doubts(disturbed: int, quiet: int) -> list[list[Doubt]]:
    """Trials during which another program ran, and others."""
    ms = 1_000_000
    loud = {"wall_ns": 100 * ms, "thread_cpu_ns": 100 * ms, "machine_busy_ns": 180 * ms}
    return [
        trial_doubts(trial(size_bytes=size), altered(lambda _, c=changes: c))
        for size, changes in enumerate([loud] * disturbed + [{}] * quiet)
    ]


def test_a_quiet_run_on_a_quiet_machine_has_no_warning() -> None:
    """A run of which nothing is known, or without results, has no warning either."""
    assert run_warnings(doubts(0, 5), QUIET) == []
    assert run_warnings(doubts(0, 1), {}) == []
    assert run_warnings([], QUIET) == []


def test_the_machine_is_named() -> None:
    """Virtual machine, governor, turbo and SMT each have their sentence."""
    loud = {"virtualised": True, "governor": "powersave", "turbo": True, "smt_active": True}
    sentences = run_warnings(doubts(0, 1), loud)
    for word in ("virtual machine", "powersave", "Turbo", "SMT"):
        assert sum(word in sentence for sentence in sentences) >= 1
    assert len(sentences) == 4


def test_load_in_many_trials_is_the_runs_problem() -> None:
    """Load in one trial of five is the trial's doubt; load in two of five is the run's."""
    assert run_warnings(doubts(1, 4), QUIET) == []
    (sentence,) = run_warnings(doubts(2, 3), QUIET)
    assert "2 of 5 trials" in sentence


def with_clock(moving: int, steady: int) -> dict[Trial, list[Doubt]]:
    """Trials during which the core clock moved by a tenth, and others."""
    probes = {"chain_ticks_before": 9000}
    return {
        trial(size_bytes=size): trial_doubts(
            trial(size_bytes=size), altered(lambda i, m=moves: probes if m and i == 0 else {})
        )
        for size, moves in enumerate([True] * moving + [False] * steady)
    }


def test_a_clock_that_moves_for_most_is_said_once() -> None:
    """Three trials of four carry it: the run says so, with the count, and the trials do not."""
    kept, sentences = common_to_the_run(with_clock(3, 1))
    assert list(kept.values()) == [[], [], [], []]
    (sentence,) = sentences
    assert sentence.startswith("core clock: ")
    assert "3 of the 4 trials" in sentence


def test_the_figure_of_one_trial_is_not_that_of_all() -> None:
    """Of several percentages the worst stands for all and says so; others are told apart."""
    intervals = [f"The interval is +-{share} % of the median." for share in (2.5, 38, 27, 5)]
    found = {
        trial(size_bytes=size): [Doubt(DoubtKind.WIDE_INTERVAL, text)]
        for size, text in enumerate(intervals)
    }
    _, (sentence,) = common_to_the_run(found)
    assert "+-38 %" in sentence
    assert sentence.endswith("4 of the 4 trials, at worst as here.")
    clocks = {
        trial(size_bytes=size): [Doubt(DoubtKind.CORE_CLOCK, f"It moved to {size} GHz.")]
        for size in range(4)
    }
    _, (sentence,) = common_to_the_run(clocks)
    assert sentence.endswith("4 of the 4 trials, each with figures of its own.")


def test_a_clock_that_moves_for_few_stays_with_them() -> None:
    """Two of four, or three of three, are left where they are."""
    for moving, steady in ((2, 2), (3, 0)):
        kept, sentences = common_to_the_run(with_clock(moving, steady))
        assert sentences == []
        assert sum(map(bool, kept.values())) == moving


def test_other_warnings_stay_with_their_trial() -> None:
    """Warnings of other kinds stay with the trial."""
    slow = Doubt(DoubtKind.DRIFT, "slow.")
    found = with_clock(4, 0)
    found[trial(size_bytes=0)].append(slow)
    kept, _ = common_to_the_run(found)
    assert list(kept.values()) == [[slow], [], [], []]
