# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of sensors, graphics boards and outside instruments: averaged, lost, in other units.

The pitfalls are those of the survey's section "Energy meters in detail": the part "GPU", and the
column "what goes wrong".
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pitfalls import (
    LOAD_W,
    STATIC_W,
    bench_of,
    fault,
    folder,
    is_right,
    judged,
    one_window,
    powers,
    why_void,
)

from joulemark.analyse.window import WindowPower, power_of
from joulemark.judging.domains import usable
from joulemark.judging.void import Void, VoidReason
from joulemark.meters import MeterError, Roots
from joulemark.meters.instruments.nvml import NvmlMeter
from joulemark.meters.simulated import FaultKind, SimulatedDomain
from joulemark.meters.watt_stream import WattStream
from joulemark.meters.window import take_window
from joulemark.records.energy_window import Domain, MeterRecord, Quantity, WindowRequest
from joulemark.records.figures import Evidence
from simulated_world import World
from virtual_bench import WorldActivity, WorldLoad

TRUTH_W = STATIC_W + LOAD_W
BOARD = "hwmon0/energy1"


def test_pitfall_stuck_gauge_is_not_a_steady_one() -> None:
    """A sensor that says the same to the last digit in every sample is not believed."""
    rail = SimulatedDomain("hwmon0/power1", static_w=10.0, update_period_s=0.5, noise=0.01)
    frozen = fault(FaultKind.STUCK, 0.2, "hwmon0/power1")
    with bench_of(rail, faults=[frozen], meter_name="hwmon") as bench:
        bench.world.run_load(1_000_000_000, LOAD_W)
        assert why_void(judged(bench, 10.0)) is VoidReason.STUCK


def test_pitfall_sensor_is_read_at_its_own_interval() -> None:
    """An INA226 converts every 2 ms to 2253 ms, as it says: it is not asked in between."""
    rail = SimulatedDomain("hwmon0/power1", static_w=10.0, update_period_s=0.5, noise=0.01)
    with bench_of(rail, meter_name="hwmon") as bench:
        (domain,) = bench.domains()
        assert domain.update_period_s == 0.5
        window, record = one_window(bench, 20.0, skip_s=1.0)
    assert 40 <= len(window.traces[0].points) <= 41
    assert is_right(powers(window, record)[domain.id], TRUTH_W)


class _Board(ModuleType):
    """A false pynvml whose board uses the energy of a simulated sensor."""

    class NVMLError(Exception):
        """The error class of pynvml, which this double never raises."""

    def __init__(self, world: World) -> None:
        super().__init__("pynvml")
        self.world = world
        self.lost_mj = 0

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nvml"):
            raise AttributeError(name)
        said = {"nvmlDeviceGetCount": 1, "nvmlDeviceGetUUID": "GPU-0", "nvmlDeviceGetName": "Board",
                "nvmlDeviceGetEnforcedPowerLimit": 700_000, "nvmlSystemGetDriverVersion": "1",
                "nvmlDeviceGetPowerUsage": 10_000}  # fmt: skip
        return lambda *_: said.get(name)

    def nvmlDeviceGetTotalEnergyConsumption(self, _board: object) -> int:  # noqa: N802
        """The count in millijoules, moved every 10 ms."""
        now_ns = self.world._now_ns // 10_000_000 * 10_000_000
        used_j = self.world.true_energy_j(BOARD, self.world.start_ns, now_ns)
        return int(used_j * 1000) - self.lost_mj


def _on_board(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, reloaded: bool = False
) -> tuple[WindowPower | Void, tuple[Domain, ...]]:
    """One window of the board's energy counter."""
    sensor = SimulatedDomain(BOARD, static_w=60.0)
    world = World(root / "machine", [sensor], reading_w=LOAD_W)
    board = _Board(world)
    monkeypatch.setitem(sys.modules, "pynvml", board)
    meter = NvmlMeter(Roots(root, root, world.now_ns))
    domains = meter.survey().domains

    class _Reloading(WorldLoad):
        def run(self, duration_ns: int) -> None:
            super().run(duration_ns)
            if reloaded and world._now_ns > world.start_ns + 10_500_000_000:
                board.lost_mj = board.lost_mj or board.nvmlDeviceGetTotalEnergyConsumption(0)

    world.sleep_ns(10_000_000_000)
    window = take_window(
        meter, domains[:1], _Reloading(world, LOAD_W), world, WorldActivity(world),
        WindowRequest(1_000_000_000, {domains[0].id: 0.01}),
    )  # fmt: skip
    meter.close()
    record = MeterRecord("nvml", "", Evidence.SIMULATED, "edges", domains, domains[0].id, 1.0)
    return power_of(window, domains[0], record), domains


def test_pitfall_nvml_counts_millijoules(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyJoules read NVML's millijoules as microjoules (issue 20): 100 W are 100 W."""
    with folder() as root:
        power, _ = _on_board(root, monkeypatch)
    assert is_right(power, 60.0 + LOAD_W)


def test_pitfall_nvml_power_is_averaged_over_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """The board's power gauge is a slow mean: where there is a counter of energy, that is used."""
    with folder() as root:
        _, domains = _on_board(root, monkeypatch)
    assert [domain.quantity for domain in domains] == [Quantity.ENERGY, Quantity.POWER]
    assert [domain.quantity for domain in usable(domains)] == [Quantity.ENERGY]


def test_pitfall_nvml_driver_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the driver sets the counter to 0 in a window: the fall is never an energy."""
    with folder() as root:
        power, _ = _on_board(root, monkeypatch, reloaded=True)
    assert why_void(power) is VoidReason.STEPPED_BACK


def _stream(lines: str) -> WattStream:
    stream = WattStream("a test", "monotonic")
    for line in lines.splitlines():
        stream.line(line)
    return stream


def test_pitfall_lost_samples_are_a_break_and_not_0_w() -> None:
    """USB drops appear as NaN (pyjoulescope_ui issue 2): the gap is counted, nothing is added."""
    whole = "time_s,power_w\n" + "".join(f"{n},10\n" for n in range(12))
    stream = _stream(whole + "12,NaN\n13,NaN\n14,10\n15,10\n")
    assert stream.breaks >= 1
    assert stream.microjoules == 12 * 10_000_000
    assert _stream(whole).breaks == 0


def test_pitfall_amperes_without_volts_are_no_power() -> None:
    """An instrument in ampere mode states no voltage (ppk2-api issue 39): refused, not guessed."""
    with pytest.raises(MeterError, match="names no power with its unit"):
        _stream("time_s,current_a\n0,0.5\n")
