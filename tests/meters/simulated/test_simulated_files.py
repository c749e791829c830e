# SPDX-License-Identifier: Apache-2.0
"""The simulated files are in the kernel's formats, and torn numbers cannot be read from them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from joulemark.meters import read_count, read_text
from joulemark.meters.simulated import AcpiRate, SimulatedDomain
from joulemark.meters.simulated.machine import SimulatedMachine
from simulated_world import World

MS = 1_000_000
SECOND = 1_000_000_000


def test_powercap_zones_are_linked_side_by_side_and_nested_as_devices(tmp_path: Path) -> None:
    """A sub-zone has a link beside its zone's and lies in its folder; limits are in microwatts."""
    package = SimulatedDomain("intel-rapl:0", "package-0", limit_w=45.0)
    World(tmp_path, [package, SimulatedDomain("intel-rapl:0:0", "core")])
    zones = tmp_path / "sys/class/powercap"
    assert sorted(path.name for path in zones.iterdir()) == [
        "intel-rapl",
        "intel-rapl:0",
        "intel-rapl:0:0",
    ]
    zone = zones / "intel-rapl:0"
    assert (zones / "intel-rapl:0:0").resolve() == (zone / "intel-rapl:0:0").resolve()
    assert not zone.readlink().is_absolute()
    assert read_text(zone / "name") == "package-0"
    assert read_text(zone / "constraint_0_name") == "long_term"
    assert read_count(zone / "constraint_0_power_limit_uw") == 45_000_000
    assert not (zones / "intel-rapl:0:0" / "constraint_0_name").exists()


def test_a_battery_reports_power_and_whole_steps_of_energy(tmp_path: Path) -> None:
    """Power is the mean over the update period; energy falls in steps of 10 mWh."""
    battery = SimulatedDomain("BAT0", static_w=15.0, update_period_s=2.0)
    world = World(tmp_path, [battery])
    folder = tmp_path / "sys/class/power_supply/BAT0"
    assert read_text(folder / "type") == "Battery"
    world.sleep_ns(2 * SECOND)
    world.run_load(SECOND, 8.0)
    world.sleep_ns(SECOND)
    assert read_count(folder / "power_now") == 19_000_000
    world.sleep_ns(3596 * SECOND)
    assert read_count(folder / "power_now") == 15_000_000
    assert read_count(folder / "energy_now") == 34_990_000
    assert world.true_energy_j("BAT0", world.start_ns, world.now_ns()) > 15.0 * 3600


@pytest.mark.parametrize(
    ("rate", "shown", "left"),
    [
        (AcpiRate.MILLIWATT, "18450 mW", "49990 mWh"),
        (AcpiRate.MILLIAMPERE, "1619 mA", "4388 mAh"),
        (AcpiRate.MISLABELLED, "1619 mW", "4388 mWh"),
    ],
)
def test_the_old_battery_file_is_as_in_the_paper(
    tmp_path: Path, rate: AcpiRate, shown: str, left: str
) -> None:
    """Six lines in the order and columns of Westermann's figure 1, in either unit."""
    battery = SimulatedDomain("BAT0", static_w=18.45, update_period_s=1.0, acpi_rate=rate)
    World(tmp_path, [battery]).sleep_ns(1500 * MS)
    assert (tmp_path / "proc/acpi/battery/BAT0/state").read_text().splitlines() == [
        "present:                 yes",
        "capacity state:          ok",
        "charging state:          discharging",
        f"present rate:            {shown}",
        f"remaining capacity:      {left}",
        "present voltage:         11391 mV",
    ]
    assert "last full capacity:" in (tmp_path / "proc/acpi/battery/BAT0/info").read_text()


def test_hwmon_chips_hold_their_sensors(tmp_path: Path) -> None:
    """An energy counts microjoules, a power is a mean in microwatts, each with its label."""
    energy = SimulatedDomain("hwmon3/energy1", "Esocket0", static_w=5.0, quantum_j=1e-6)
    power = SimulatedDomain("hwmon4/power1", "board", static_w=7.0, update_period_s=0.05)
    world = World(tmp_path, [energy, power])
    world.sleep_ns(100 * MS)
    chips = tmp_path / "sys/class/hwmon"
    assert read_text(chips / "hwmon3/name") == "amd_energy"
    assert read_text(chips / "hwmon3/energy1_label") == "Esocket0"
    assert read_count(chips / "hwmon3/energy1_input") == 500_000
    assert read_text(chips / "hwmon4/name") == "ina2xx"
    assert read_count(chips / "hwmon4/power1_input") == 7_000_000
    assert read_count(chips / "hwmon4/update_interval") == 50
    assert (chips / "hwmon4/device").resolve().name == "ina2xx.4"


def test_a_reader_never_sees_a_torn_number(tmp_path: Path) -> None:
    """A thread that reads as fast as it can sees only numbers that were shown, in order."""
    package = SimulatedDomain(
        "intel-rapl:0", "package-0", static_w=1e6, quantum_j=1e-6, wraps_at_j=1e9
    )
    machine = SimulatedMachine(tmp_path, [package], (), seed=0, start_ns=0, shared=True)
    path = tmp_path / "sys/class/powercap/intel-rapl:0/energy_uj"
    seen: list[str] = []
    stop = threading.Event()

    def hammer() -> None:
        while not stop.is_set():
            with path.open() as file:
                seen.append(file.read())

    reader = threading.Thread(target=hammer)
    reader.start()
    end_s = time.monotonic() + 0.7
    moment_ns = 0
    while time.monotonic() < end_s:
        moment_ns += MS
        machine.latch_now(moment_ns, 0)
    stop.set()
    reader.join()
    counts = [int(text) for text in seen if text.endswith("\n")]
    assert len(counts) == len(seen) > 100
    assert counts == sorted(counts)
    assert all(count % 1_000_000_000 == 0 for count in counts)
    names = {neighbour.name for neighbour in path.parent.iterdir()}
    assert names == {"energy_uj", "enabled", "name", "max_energy_range_uj"}
