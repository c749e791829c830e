# SPDX-License-Identifier: Apache-2.0
"""A/A simulations: how often equal implementations are called different.

All runs share a drift of 5 % and a random walk of 0.2 % a round; single rounds have noise with
heavy tails (t with two degrees of freedom, or delays of 30 % in a tenth of the rounds), and each
process start has an offset of 0.5 %. One comparison at alpha = 5 %, so no adjustment hides
anything.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fake_runs import layout, taking, trial

from joulemark.analyse.compare import compare_runs, compare_within
from joulemark.analyse.verdict import Verdict

SIMULATIONS = 1000
CHANCE = 3 * (0.05 * 0.95 / SIMULATIONS) ** 0.5
"""Three standard deviations of the share of false calls of an exact 5 % test: 2.1 %."""
OFFSET = 0.005
ONE, TWIN = trial("hmac-sha256/shani"), trial("hmac-sha256/shani#2")

Noise = Callable[[np.random.Generator, int], np.ndarray]
NOISES: dict[str, Noise] = {
    "heavy tails": lambda generator, n: 0.003 * generator.standard_t(2, size=n),
    "delays": lambda generator, n: (
        generator.normal(scale=0.002, size=n)
        + (generator.random(n) < 0.1) * generator.exponential(0.3, size=n)
    ),
    "next to none": lambda generator, n: generator.normal(scale=0.0003, size=n),
}


def different(
    noise: Noise, rounds: int, generations: int, *, runs: bool, simulations: int = SIMULATIONS
) -> float:
    """Share of A/A comparisons called faster or slower."""
    generator = np.random.default_rng(2024)
    calls = 0
    offset = OFFSET if generations > 1 else 0.0
    for _ in range(simulations):
        walk = np.linspace(0, 0.05, rounds) + np.cumsum(generator.normal(scale=0.002, size=rounds))
        first, second = (
            taking(
                100e-9
                * np.exp(
                    (0 if runs else walk)
                    + layout(generator, rounds, generations, offset)
                    + noise(generator, rounds)
                ),
                generations,
            )
            for _ in "ab"
        )
        if runs:
            (found,) = compare_runs({ONE: first}, {ONE: second}).comparisons
        else:
            (found,) = compare_within({ONE: first, TWIN: second}, ONE.implementation)
        calls += found.verdict in {Verdict.FASTER, Verdict.SLOWER}
    return calls / simulations


@pytest.mark.parametrize(
    ("rounds", "generations", "noise"),
    [
        (20, 1, "heavy tails"),
        (8, 2, "heavy tails"),
        *((20, 4, noise) for noise in NOISES),
        *(pytest.param(*layout, noise, marks=pytest.mark.exhaustive)
          for layout in ((20, 1), (8, 2)) for noise in ("delays", "next to none")),
    ],
)  # fmt: skip
def test_equal_implementations_are_called_different_at_most_as_often_as_alpha_says(
    rounds: int, generations: int, noise: str
) -> None:
    """5 % of 1000 comparisons within a run, but for chance."""
    share = different(NOISES[noise], rounds, generations, runs=False)
    assert share <= 0.05 + CHANCE


@pytest.mark.parametrize("generations", [2, 4])
def test_equal_runs_are_called_different_at_most_as_often_as_alpha_says(generations: int) -> None:
    """5 % of 1000 comparisons between two runs, whose processes have their own offsets."""
    share = different(NOISES["heavy tails"], 16, generations, runs=True)
    assert share <= 0.05 + CHANCE


def test_many_comparisons_together_raise_one_false_alarm_in_twenty_runs() -> None:
    """Ten equal contenders against one baseline: any false call in at most 5 % of 150 runs."""
    generator = np.random.default_rng(7)
    alarms = 0
    for _ in range(150):
        samples = {
            trial(f"hmac-sha256/v{index}"): taking(
                100e-9 * np.exp(0.003 * generator.standard_t(3, size=12))
            )
            for index in range(11)
        }
        found = compare_within(samples, "hmac-sha256/v0")
        alarms += any(
            comparison.verdict in {Verdict.FASTER, Verdict.SLOWER} for comparison in found
        )
    assert alarms / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5


def test_rounds_taken_as_independent_would_fail_this_calibration() -> None:
    """The same simulation with the generations hidden calls far more than 5 % different."""
    generator = np.random.default_rng(1)
    calls = 0
    for _ in range(200):
        first, second = (
            taking(
                100e-9
                * np.exp(layout(generator, 20, 4, OFFSET) + generator.normal(scale=0.001, size=20))
            )
            for _ in "ab"
        )
        (found,) = compare_within({ONE: first, TWIN: second}, ONE.implementation)
        calls += found.verdict in {Verdict.FASTER, Verdict.SLOWER}
    assert calls / 200 > 0.2
