# SPDX-License-Identifier: Apache-2.0
"""The procedure of westermann2010 as a named method, on a battery in each possible format."""

from __future__ import annotations

from pathlib import Path

import pytest
from virtual_run import run_on, trial

from joulemark.measure.plan import WESTERMANN2010, Effort, Plan, energy_rounds
from joulemark.meters.simulated import SimulatedDomain
from joulemark.records.energy_window import WindowKind
from virtual_bench import VirtualBench

MD5, BMW = trial("md5"), trial("bmw")


def test_the_protocol_is_that_of_the_paper() -> None:
    """Sections 2.2, 2.3: 30 samples 2 s apart, 4 s skipped, 15 s of rest, idle before each load."""
    assert WESTERMANN2010.samples == 30
    assert WESTERMANN2010.sample_s == 2.0
    assert WESTERMANN2010.skip_s == 4.0
    assert WESTERMANN2010.rest_s == 15.0
    assert not WESTERMANN2010.active_idle
    rounds = list(energy_rounds(Plan((MD5, BMW), Effort(10, 1, 1)), WESTERMANN2010, seed=3))
    assert len(rounds) == 10
    for steps in rounds:
        kinds = [step.kind for step in steps]
        assert kinds == [WindowKind.DEEP_IDLE, WindowKind.LOAD] * 2
    orders = {tuple(step.trial for step in steps if step.trial) for steps in rounds}
    assert orders == {(MD5, BMW), (BMW, MD5)}


@pytest.mark.parametrize("meter", ["battery", "acpi-battery"])
def test_ten_rounds_give_the_power_and_energy_of_each(tmp_path: Path, meter: str) -> None:
    """The rounds show 11.09 and 14.56 W over 22 W at rest, as in the paper's first table."""
    battery = SimulatedDomain("BAT0", static_w=22.0, update_period_s=2.0, noise=0.01, jitter=0.02)
    bench = VirtualBench(tmp_path, [battery], meter_name=meter, reading_w=11.0)
    watts = {MD5: 11.09, BMW: 14.56}
    energy = run_on(bench, watts, window_s=60.0, protocol=WESTERMANN2010, ns_per_message=1_000_000)
    for trial_key, truth in watts.items():
        (found,) = energy.of(trial_key)
        assert found.method == "westermann2010"
        assert found.windows_kept == 10
        assert found.net_watts is not None
        assert found.net_watts.low < truth < found.net_watts.high
        assert found.net_watts.high - found.net_watts.low < 0.1 * truth
        assert found.joules_per_byte is not None
        per_byte = truth * 1e-3 / 1024
        assert found.joules_per_byte.low < per_byte < found.joules_per_byte.high
        assert found.active_net_joules_per_message is None
        assert "before each run" in found.baseline
