# SPDX-License-Identifier: Apache-2.0
"""Each simulated fault changes the files as described, at its moment and not before."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from joulemark import meters
from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, read_count, read_text
from joulemark.meters.instruments import powercap
from joulemark.meters.simulated import FaultKind, SimulatedDomain, SimulatedFault
from simulated_world import World

MS = 1_000_000
ZONES = "sys/class/powercap"


def _world(root: Path, *faults: SimulatedFault, read_cost_ns: int = 3) -> World:
    domains = [
        SimulatedDomain("intel-rapl:0", "package-0", quantum_j=1e-6),
        SimulatedDomain("intel-rapl:0:0", "core", quantum_j=1e-6),
        SimulatedDomain("intel-rapl:1", "package-1", quantum_j=1e-6),
        SimulatedDomain("BAT0"),
        SimulatedDomain("hwmon0/power1", "board"),
    ]
    return World(root, domains, faults=faults, read_cost_ns=read_cost_ns)


def _count(root: Path, zone: str = "intel-rapl:0") -> int:
    return read_count(root / ZONES / zone / "energy_uj")


@pytest.mark.parametrize(
    ("domain", "file"),
    [
        ("intel-rapl:0", f"{ZONES}/intel-rapl:0/energy_uj"),
        ("BAT0", "sys/class/power_supply/BAT0/power_now"),
        ("BAT0", "proc/acpi/battery/BAT0/state"),
        ("hwmon0/power1", "sys/class/hwmon/hwmon0/power1_input"),
    ],
)
def test_permission_is_refused_even_to_root(tmp_path: Path, domain: str, file: str) -> None:
    """From its moment on the count may not be read, by whatever user the test runs as."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.PERMISSION, domain))
    world.sleep_ns(10 * MS - 1)
    assert read_text(tmp_path / file)
    world.sleep_ns(10 * MS)
    with pytest.raises(meters.MeterError) as caught:
        read_text(tmp_path / file)
    assert caught.value.fault is meters.Fault.PERMISSION
    assert _count(tmp_path, "intel-rapl:1") == 190_000


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
def test_permission_is_refused_to_an_ordinary_user() -> None:
    """A user who owns the files and is not root is refused as well."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o777)
        os.seteuid(65534)
        try:
            world = _world(
                root / "machine", SimulatedFault(0.01, FaultKind.PERMISSION, "intel-rapl:0")
            )
            world.sleep_ns(20 * MS)
            with pytest.raises(meters.MeterError) as caught:
                _count(root / "machine")
        finally:
            os.seteuid(0)
    assert caught.value.fault is meters.Fault.PERMISSION


def test_a_zone_vanishes_with_its_sub_zones(tmp_path: Path) -> None:
    """The zone's folder and links go, its sub-zone with them; its neighbour goes on."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.VANISH, "intel-rapl:0"))
    meter = powercap.make(world.roots, None)
    world.sleep_ns(9 * MS)
    assert meter.read("intel-rapl:0").counts == 90_000
    world.sleep_ns(9 * MS)
    for zone in ("intel-rapl:0", "intel-rapl:0:0"):
        with pytest.raises(meters.MeterError) as caught:
            meter.read(zone)
        assert caught.value.fault is meters.Fault.VANISHED
    assert sorted(path.name for path in (tmp_path / ZONES).iterdir()) == [
        "intel-rapl",
        "intel-rapl:1",
    ]
    assert _count(tmp_path, "intel-rapl:1") == 180_000


def test_battery_and_sensor_vanish(tmp_path: Path) -> None:
    """A battery taken out leaves neither of its interfaces behind; a chip leaves no sensor."""
    faults = [SimulatedFault(0, FaultKind.VANISH, text) for text in ("BAT0", "hwmon0/power1")]
    _world(tmp_path, *faults).sleep_ns(5 * MS)
    assert not list((tmp_path / "sys/class/power_supply").iterdir())
    assert not list((tmp_path / "proc/acpi/battery").iterdir())
    assert not list((tmp_path / "sys/class/hwmon").iterdir())


def test_a_stuck_counter_keeps_its_count(tmp_path: Path) -> None:
    """The count stays as it was at the fault while its neighbour counts on."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.STUCK, "intel-rapl:0"))
    world.sleep_ns(500 * MS)
    assert _count(tmp_path) == 100_000
    assert _count(tmp_path, "intel-rapl:1") == 5_000_000


def test_a_negative_step_falls_once(tmp_path: Path) -> None:
    """The count falls by the step at the fault, and counts on from there."""
    world = _world(
        tmp_path, SimulatedFault(0.01, FaultKind.NEGATIVE_STEP, "intel-rapl:0", step_j=0.03)
    )
    world.sleep_ns(10 * MS - 1)
    assert _count(tmp_path) == 90_000
    world.sleep_ns(1)
    assert _count(tmp_path) == 70_000
    world.sleep_ns(10 * MS)
    assert _count(tmp_path) == 170_000


def test_a_reset_counter_starts_at_zero(tmp_path: Path) -> None:
    """After a reset the count is what was used since."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.RESET, "intel-rapl:0"))
    world.sleep_ns(10 * MS)
    assert _count(tmp_path) == 0
    world.sleep_ns(3 * MS)
    assert _count(tmp_path) == 30_000


def test_a_charging_battery_says_so(tmp_path: Path) -> None:
    """Both interfaces of the battery change their word when the mains are plugged in."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.CHARGING, "BAT0"))
    status = tmp_path / "sys/class/power_supply/BAT0/status"
    state = tmp_path / "proc/acpi/battery/BAT0/state"
    assert read_text(status) == "Discharging"
    assert "charging state:          discharging" in read_text(state)
    world.sleep_ns(10 * MS)
    assert read_text(status) == "Charging"
    assert "charging state:          charging" in read_text(state)


def test_a_late_reader_loses_time_and_no_energy(tmp_path: Path) -> None:
    """The look at the clock that the fault hits returns later by its duration; counters go on."""
    world = _world(tmp_path, SimulatedFault(0.01, FaultKind.LATE, duration_s=0.2))
    world.sleep_ns(9 * MS)
    before_ns = world.now_ns()
    world.sleep_ns(MS)
    assert world.now_ns() - before_ns == 201 * MS + 1
    assert world.now_ns() - before_ns == 201 * MS + 2
    assert _count(tmp_path) == 2_100_000


def test_both_trees_are_marked_as_a_test_double(tmp_path: Path) -> None:
    """Whatever reads the files can tell that they are no machine's."""
    world = _world(tmp_path)
    assert (tmp_path / "sys" / SIMULATED_MARK).is_file()
    assert (tmp_path / "proc" / SIMULATED_MARK).is_file()
    assert powercap.make(world.roots, None).evidence() == "simulated"


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"kind": FaultKind.STUCK}, "names the domain"),
        ({"kind": FaultKind.LATE, "domain": "BAT0", "duration_s": 1.0}, "names the domain"),
        ({"kind": FaultKind.LATE}, "duration_s"),
        ({"kind": FaultKind.NEGATIVE_STEP, "domain": "BAT0"}, "step_j"),
        ({"kind": FaultKind.STUCK, "domain": "BAT7"}, "no domain 'BAT7'"),
        ({"kind": FaultKind.STUCK, "domain": "BAT0", "at_s": float("nan")}, "at_s"),
    ],
)
def test_faults_that_make_no_sense_are_refused(
    tmp_path: Path, facts: dict[str, object], word: str
) -> None:
    """Each bad fault gets a sentence that says what it lacks."""
    with pytest.raises(UsageError, match=word):
        _world(tmp_path, SimulatedFault(**{"at_s": 1.0, **facts}))
