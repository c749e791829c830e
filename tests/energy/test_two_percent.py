# SPDX-License-Identifier: Apache-2.0
"""Two kernels whose power differs by 2 % are told apart at 10 rounds; two equal ones are equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from virtual_run import run_on, trial

from joulemark.analyse.compare import compare_points
from joulemark.analyse.run_energy import RunEnergy, energy_points
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.meters.simulated import SimulatedDomain
from virtual_bench import VirtualBench

BASE, RIVAL = trial("base"), trial("rival")
PACKAGE = SimulatedDomain(
    "intel-rapl:0", "package-0", static_w=10.0, jitter=0.02, noise=0.02, update_period_s=0.001
)


def compared(energy: RunEnergy, *, gross: bool) -> Comparison:
    """The rival against the base, at the command line's own settings."""
    (found,) = compare_points(
        energy_points(energy, gross=gross), BASE.implementation, alpha=0.05, threshold=0.01,
        words=(Verdict.LESS, Verdict.MORE),
    )  # fmt: skip
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("rival_w", "verdict", "ratio"),
    [(30.8, Verdict.MORE, 1.02), (29.2, Verdict.LESS, 0.98), (30.0, Verdict.EQUAL, 1.0)],
)
def test_gross_power_of_40_w(
    tmp_path: Path, seed: int, rival_w: float, verdict: Verdict, ratio: float
) -> None:
    """The rival has 40.8, 39.2 or 40 W against 40 W, in windows of 100 ms, with noise of 2 %."""
    bench = VirtualBench(tmp_path, [PACKAGE], seed=seed, reading_w=30.0)
    energy = run_on(bench, {BASE: 30.0, RIVAL: rival_w}, window_s=0.1, seed=seed)
    found = compared(energy, gross=True)
    assert (found.verdict, found.pairs) == (verdict, 10)
    assert found.low < ratio < found.high


def test_net_energy_shows_the_same_difference_larger(tmp_path: Path) -> None:
    """A difference of 0.8 W in 30 W net is 2.7 %, and the net figures hold the truth."""
    bench = VirtualBench(tmp_path, [PACKAGE], reading_w=16.0)
    energy = run_on(bench, {BASE: 30.0, RIVAL: 30.8}, window_s=0.1, active_idle_w=16.0)
    found = compared(energy, gross=False)
    assert found.verdict is Verdict.MORE
    assert found.low < 30.8 / 30 < found.high
    for trial_key, watts in ((BASE, 30.0), (RIVAL, 30.8)):
        (domain,) = energy.of(trial_key)
        assert domain.joules_per_message is not None
        assert domain.joules_per_message.low < watts * 1e-6 < domain.joules_per_message.high
        assert domain.static_watts is not None
        assert domain.static_watts.low < 10.0 < domain.static_watts.high
        assert domain.active_net_joules_per_message is not None
        expected = (watts - 16.0) * 1e-6
        figure = domain.active_net_joules_per_message
        assert figure.low < expected < figure.high
