# SPDX-License-Identifier: Apache-2.0
"""Comparisons within a run and between runs: the pairs and the verdicts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from fake_runs import layout, taking, trial

from joulemark.analyse.compare import compare_runs, compare_within
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.errors import UsageError
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial

BASE, RIVAL = "hmac-sha256/portable", "hmac-sha256/shani"


def noisy(
    seed: int, *, ratio: float = 1.0, rounds: int = 20, sd: float = 0.002, generations: int = 1
) -> list[RawSample]:
    """About 100 ns times the ratio, with noise on every round."""
    generator = np.random.default_rng(seed)
    seconds = 100e-9 * ratio * np.exp(generator.normal(scale=sd, size=rounds))
    return taking(seconds, generations)


def duel(ratio: float, *, threshold: float = 0.0, **more: object) -> Comparison:
    """One contender against the baseline."""
    samples = {trial(BASE): noisy(1, **more), trial(RIVAL): noisy(2, ratio=ratio, **more)}  # type: ignore[arg-type]
    (found,) = compare_within(samples, BASE, threshold=threshold)
    return found


@pytest.mark.parametrize("generations", [1, 5, 20])
def test_a_real_difference_is_found_with_its_size(generations: int) -> None:
    """10 % slower and 10 % faster, whatever the generations."""
    slower, faster = duel(1.1, generations=generations), duel(1 / 1.1, generations=generations)
    assert (slower.verdict, faster.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    assert slower.low < 1.1 < slower.high
    assert faster.low < 1 / 1.1 < faster.high
    assert slower.ratio == pytest.approx(1.1, rel=0.005)
    assert (slower.baseline, slower.contender) == (BASE, RIVAL)
    assert (slower.pairs, slower.generations) == (20, generations)


def test_no_difference_is_said_only_with_a_narrow_interval() -> None:
    """With noise of 0.2 % the verdict is no difference; noise of 40 % could hide any difference."""
    assert duel(1.0).verdict is Verdict.NO_DIFFERENCE
    assert duel(1.0, sd=0.4).verdict is Verdict.TOO_NOISY


def test_a_difference_below_the_threshold_does_not_count() -> None:
    """2 % is certain, but 5 % was asked for; 10 % counts."""
    assert duel(1.02).verdict is Verdict.SLOWER
    assert duel(1.02, threshold=0.05).verdict is Verdict.EQUAL
    assert duel(1.1, threshold=0.05).verdict is Verdict.SLOWER
    assert duel(1 / 1.1, threshold=0.05).verdict is Verdict.FASTER
    assert duel(1.05, threshold=0.05).verdict is Verdict.PERHAPS_SLOWER
    assert duel(1 / 1.05, threshold=0.05).verdict is Verdict.PERHAPS_FASTER


def test_five_rounds_are_too_few_and_the_note_says_how_many_are_needed() -> None:
    """2^(1-5) = 0.0625 cannot fall below 0.05; six rounds can."""
    few = duel(2.0, rounds=5)
    assert few.verdict is Verdict.TOO_FEW
    assert any("--rounds 6 or more" in note for note in few.notes)
    assert duel(2.0, rounds=6).verdict is Verdict.SLOWER


def test_few_generations_are_named() -> None:
    """One cannot tell layout from code; two or three leave a wide interval; five need no note."""
    assert any("memory layout" in note for note in duel(1.0).notes)
    assert any("Only 2 process generations" in note for note in duel(1.0, generations=2).notes)
    assert duel(1.0, generations=5).notes == ()
    offsets = taking(100e-9 * np.exp(np.repeat([0.0, 0.05], 10)), 2)
    samples = {trial(BASE): noisy(1, generations=2), trial(RIVAL): offsets}
    assert compare_within(samples, BASE)[0].verdict is Verdict.TOO_FEW


def test_offsets_of_processes_are_not_taken_for_a_difference() -> None:
    """Twenty rounds, four processes with offsets of 1 %: no verdict, though every round agrees."""
    generator = np.random.default_rng(3)
    quiet = taking(np.full(20, 100e-9), 4)
    shaken = taking(100e-9 * np.exp(np.repeat([0.01, 0.02, -0.005, 0.015], 5)), 4)
    found = compare_within({trial(BASE): quiet, trial(RIVAL): shaken}, BASE)[0]
    assert found.verdict is Verdict.NO_DIFFERENCE
    as_one = [replace(sample, generation=0) for sample in shaken]
    blind = compare_within({trial(BASE): taking(np.full(20, 100e-9)), trial(RIVAL): as_one}, BASE)[
        0
    ]
    assert blind.p_value < found.p_value
    assert layout(generator, 20, 4, 0.01).shape == (20,)


def test_drift_that_both_share_cancels() -> None:
    """The machine becomes twice as slow during the run; a difference of 1 % is still seen."""
    drift = np.linspace(1, 2, 20)
    generator = np.random.default_rng(4)
    base, rival = (100e-9 * drift * np.exp(generator.normal(scale=0.001, size=20)) for _ in "ab")
    found = compare_within({trial(BASE): taking(base), trial(RIVAL): taking(1.01 * rival)}, BASE)[0]
    assert found.verdict is Verdict.SLOWER
    assert found.ratio == pytest.approx(1.01, abs=0.002)


def test_pairs_are_rounds_that_both_have() -> None:
    """Rounds are matched by number, not by place; a window of zero time pairs with nothing."""
    base, rival = noisy(1), noisy(2)
    shuffled = [rival[index] for index in np.random.default_rng(5).permutation(20)]
    together = compare_within({trial(BASE): base, trial(RIVAL): rival}, BASE)
    assert compare_within({trial(BASE): base, trial(RIVAL): shuffled}, BASE) == together
    stopped = [*rival[:15], replace(rival[15], wall_ns=0), *rival[17:]]
    assert compare_within({trial(BASE): base, trial(RIVAL): stopped}, BASE)[0].pairs == 18


def test_only_the_same_workload_is_compared() -> None:
    """Two sizes, three implementations, one of them at one size: three comparisons."""
    samples = {
        trial(name, size): noisy(index)
        for index, (name, size) in enumerate(
            [(BASE, 64), (BASE, 1024), (RIVAL, 64), (RIVAL, 1024), ("hmac-sha256/openssl", 64)]
        )
    }
    found = compare_within(samples, BASE)
    assert [(comparison.contender, comparison.workload.size_bytes) for comparison in found] == [
        ("hmac-sha256/openssl", 64),
        (RIVAL, 64),
        (RIVAL, 1024),
    ]
    assert all(comparison.p_adjusted >= comparison.p_value for comparison in found)
    assert all(comparison.level >= 1 - 0.05 / 3 for comparison in found)


def test_exchanging_baseline_and_contender_mirrors_everything() -> None:
    """Ratios invert, "faster" becomes "slower", p stays."""
    samples = {trial(BASE): noisy(1), trial(RIVAL): noisy(2, ratio=1.05)}
    there = compare_within(samples, BASE, threshold=0.01)[0]
    back = compare_within(samples, RIVAL, threshold=0.01)[0]
    assert (there.verdict, back.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    assert (back.ratio, back.low, back.high) == pytest.approx(
        (1 / there.ratio, 1 / there.high, 1 / there.low)
    )
    assert back.p_value == pytest.approx(there.p_value)


@pytest.mark.parametrize("settings", [{"alpha": 0.0}, {"alpha": 1.0}, {"threshold": -0.1},
                                      {"threshold": math.nan}])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    """Alpha outside 0 to 1, a negative threshold and an unmeasured baseline are refused."""
    samples = {trial(BASE): noisy(1)}
    with pytest.raises(UsageError):
        compare_within(samples, BASE, **settings)
    with pytest.raises(UsageError):
        compare_runs(samples, samples, **settings)
    with pytest.raises(UsageError, match="has no sample"):
        compare_within(samples, "hmac-sha256/absent")


def test_a_baseline_alone_has_nothing_to_be_compared_with() -> None:
    """No contender, no comparison."""
    assert compare_within({trial(BASE): noisy(1)}, BASE) == []
    assert compare_within({trial(BASE): noisy(1), trial(RIVAL): []}, BASE) == []


def run(
    seed: int, ratios: dict[Trial, float], generations: int = 5
) -> dict[Trial, list[RawSample]]:
    """A stored run."""
    return {
        trial_key: noisy(seed + index, ratio=ratio, generations=generations)
        for index, (trial_key, ratio) in enumerate(sorted(ratios.items()))
    }


@pytest.mark.parametrize("generations", [1, 5])
def test_two_runs_are_compared_trial_by_trial(generations: int) -> None:
    """One of eight became 10 % slower: it alone is called slower, and the common shift is none."""
    trials = [trial(BASE, size) for size in range(8)]
    before = run(100, dict.fromkeys(trials, 1.0), generations)
    after = run(200, dict.fromkeys(trials, 1.0) | {trials[3]: 1.1}, generations)
    found = compare_runs(before, after, threshold=0.02)
    slower = [c.workload.size_bytes for c in found.comparisons if c.verdict is Verdict.SLOWER]
    assert slower == [3]
    assert found.common_shift is not None
    assert found.common_shift.low < 1 < found.common_shift.high
    assert found.common_shift.spread < 0.003
    assert found.comparisons[3].low < 1.1 < found.comparisons[3].high


def test_what_all_trials_share_is_reported_and_not_subtracted() -> None:
    """The machine became 8 % slower: so is every trial, and the common shift says so."""
    trials = [trial(BASE, size) for size in range(8)]
    before = run(100, dict.fromkeys(trials, 1.0))
    found = compare_runs(before, run(200, dict.fromkeys(trials, 1.08)))
    assert found.common_shift is not None
    assert found.common_shift.ratio == pytest.approx(1.08, abs=0.002)
    assert found.common_shift.trials == 8
    assert all(
        comparison.ratio == pytest.approx(1.08, abs=0.01) for comparison in found.comparisons
    )
    assert all(comparison.verdict is Verdict.SLOWER for comparison in found.comparisons)


def test_order_of_rounds_means_nothing_between_runs() -> None:
    """Renumbering the rounds of one run, generations kept, changes nothing."""
    before, after = run(1, {trial(): 1.0}), run(2, {trial(): 1.01})
    turned = {
        trial_key: [replace(s, round_index=19 - s.round_index) for s in samples]
        for trial_key, samples in after.items()
    }
    assert compare_runs(before, turned) == compare_runs(before, after)


def test_trials_without_counterpart_are_listed() -> None:
    """Missing and added trials are listed; runs without a common trial have no shift."""
    trial_key, two = trial(size_bytes=1), trial(size_bytes=2)
    found = compare_runs({trial_key: noisy(1), two: []}, {two: noisy(2)})
    assert (found.missing, found.added) == ((trial_key,), (two,))
    assert found.common_shift is None
    assert found.comparisons == ()
