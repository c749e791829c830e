# SPDX-License-Identifier: Apache-2.0
"""The gate over two builds, simulated: false alarms, slow-downs that it must find, and wrong ok.

Two trials, generations of two rounds with an offset of 0.3 % for each process and noise of 0.5 %
in each round, looked at as `joulemark check` looks: after 8, 16, 32 and 64 generations, until
every trial is decided.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fake_runs import layout, taking, trial

from joulemark.analyse.gate import check_pairs, pairs_decided
from joulemark.analyse.gate_outcome import GateCode, GateOutcome, Vanished
from joulemark.analyse.verdict import Verdict
from joulemark.measure.paired_run import GENERATIONS_AT_LOOKS, LOOKS
from joulemark.records.sample import RawSample
from joulemark.records.trial import NEW, OLD, Trial, of_build

ROUNDS = 2
PAIRS = [
    (of_build(trial_key, OLD), of_build(trial_key, NEW))
    for trial_key in (trial(size_bytes=64), trial(size_bytes=1))
]
ALPHA = 0.05
Samples = dict[Trial, list[RawSample]]


def measured(generator: np.random.Generator, ratio: float) -> Samples:
    """Samples of all generations that a run could take; the first pair's new code is slower."""
    generations = GENERATIONS_AT_LOOKS[-1]
    rounds = generations * ROUNDS
    found: Samples = {}
    for index, pair in enumerate(PAIRS):
        for trial_key in pair:
            factor = ratio if index == 0 and trial_key == pair[1] else 1.0
            logs = layout(generator, rounds, generations, 0.003)
            logs += generator.normal(scale=0.005, size=rounds)
            found[trial_key] = taking(100e-9 * factor * np.exp(logs), generations)
    return found


def answered(samples: Samples, threshold: float, alpha: float = ALPHA) -> GateOutcome:
    """The answer at the look that ends the run."""
    for generations in GENERATIONS_AT_LOOKS:
        seen = {trial_key: taken[: generations * ROUNDS] for trial_key, taken in samples.items()}
        outcome = check_pairs(seen, PAIRS, threshold=threshold, alpha=alpha, looks=LOOKS)
        if pairs_decided(outcome):
            break
    return outcome


@pytest.mark.parametrize("ratio", [pytest.param(1.0, marks=pytest.mark.exhaustive), 1.02])
def test_false_alarms_are_at_most_as_many_as_alpha_says(ratio: float) -> None:
    """Equal code without a threshold, and a slow-down of just the threshold: the worst cases."""
    generator = np.random.default_rng(16)
    alarms = sum(
        answered(measured(generator, ratio), ratio - 1).code is GateCode.REGRESSED
        for _ in range(100)
    )
    assert alarms / 100 <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / 100) ** 0.5


def test_a_slow_down_beyond_the_threshold_is_found() -> None:
    """A slow-down of 3 % against a threshold of 2 % is found in at least 9 of 10 runs."""
    generator = np.random.default_rng(17)
    codes = [answered(measured(generator, 1.03), 0.02).code for _ in range(40)]
    assert codes.count(GateCode.REGRESSED) >= 36


@pytest.mark.parametrize("ratio", [0.97, 1.0, 1.01, 1.02, 1.025, 1.05])
def test_ok_is_never_said_of_an_interval_that_holds_the_threshold(ratio: float) -> None:
    """Ok needs an interval that ends below the threshold; equal needs one within both limits."""
    generator = np.random.default_rng(18)
    for _ in range(8):
        outcome = answered(measured(generator, ratio), 0.02)
        highs = [comparison.high for comparison in outcome.runs.comparisons]
        assert (outcome.code is GateCode.OK) == (max(highs) <= 1.02)
        for comparison in outcome.runs.comparisons:
            inside = comparison.low > 1 / 1.02 and comparison.high < 1.02
            assert (comparison.verdict is Verdict.EQUAL) == inside


def test_looking_more_than_once_costs_alpha() -> None:
    """Without a part of alpha for each look, equal code would alarm oftener than alpha says."""
    samples = measured(np.random.default_rng(19), 1.0)
    strict, loose = (
        check_pairs(samples, PAIRS, threshold=0.0, alpha=ALPHA, looks=looks).runs.comparisons
        for looks in (LOOKS, 1)
    )
    for one, other in zip(strict, loose, strict=True):
        assert one.high - one.low > 1.1 * (other.high - other.low)
        assert one.level >= 1 - ALPHA / LOOKS / len(PAIRS)


def test_what_failed_is_not_compared() -> None:
    """Broken new code is red, were the old code so too; broken old code leaves its trials out."""
    samples = measured(np.random.default_rng(20), 1.0)
    (old, new), _ = PAIRS
    for failed in ({new.implementation}, {old.implementation, new.implementation}):
        broken = check_pairs(samples, PAIRS, threshold=0.05, alpha=ALPHA, looks=1, failed=failed)
        assert broken.code is GateCode.REGRESSED
        assert broken.broken == (new.implementation,)
    other = replace(trial("siphash-2-4/portable"), workload=old.workload)
    mixed = [(of_build(other, OLD), of_build(other, NEW))]
    more = samples | {mixed[0][0]: samples[old], mixed[0][1]: samples[new]}
    outcome = check_pairs(more, [*PAIRS, *mixed], threshold=0.05, alpha=ALPHA, looks=1,
                          failed={old.implementation})  # fmt: skip
    assert [comparison.contender for comparison in outcome.runs.comparisons] == [
        mixed[0][1].implementation
    ]
    assert len(outcome.runs.missing) == 2


def test_what_only_the_old_code_can_do_is_a_regression() -> None:
    """A length that the new code refuses, or an implementation that it lacks: never ok."""
    samples = measured(np.random.default_rng(5), 1.0)

    def asked(seen: Samples, **more: object) -> GateOutcome:
        return check_pairs(seen, PAIRS, threshold=0.5, alpha=ALPHA, looks=LOOKS, **more)

    assert asked(samples).code is GateCode.OK
    refused = asked(samples | {PAIRS[0][1]: []})
    assert refused.code is GateCode.REGRESSED
    assert refused.reasons[0].endswith("at 64 B has no figure in the new build.")
    neither = samples | {trial_key: [] for trial_key in PAIRS[0]}
    assert asked(neither).code is GateCode.OK, "the old code does not take it either"
    lacking = asked(samples, lacking=[Vanished("sha256/fast", None)])
    assert (lacking.code, lacking.reasons[0]) == (
        GateCode.REGRESSED, "The new build lacks sha256/fast."
    )  # fmt: skip


def test_what_only_the_old_build_can_run_is_a_regression() -> None:
    """What is lacking, cannot run here, or has no round with the old code is named."""
    samples = measured(np.random.default_rng(20), 1.0)
    lost = [
        Vanished("sha1/gone", None),
        Vanished("sha1/wide", None, "of the new build cannot run here: it needs avx512f"),
    ]
    apart = {
        trial_key: [replace(sample, round_index=sample.round_index + 10_000) for sample in taken]
        if trial_key == PAIRS[1][1]
        else taken
        for trial_key, taken in samples.items()
    }
    outcome = check_pairs(apart, PAIRS, threshold=0.05, alpha=ALPHA, looks=LOOKS, lacking=lost)
    assert outcome.code is GateCode.REGRESSED
    assert outcome.reasons[:3] == (
        "The new build lacks sha1/gone.",
        "sha1/wide of the new build cannot run here: it needs avx512f.",
        "hmac-sha256/shani at 1 B has no figure in the new build.",
    )
    assert len(outcome.vanished) == 3
    alone = check_pairs(apart, PAIRS, threshold=0.05, alpha=ALPHA, looks=LOOKS)
    assert alone.code is GateCode.REGRESSED
