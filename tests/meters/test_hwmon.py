# SPDX-License-Identifier: Apache-2.0
"""The hwmon meter on trees like those of real drivers."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.meters import MeterError, Roots
from joulemark.meters.instruments.hwmon import PREFERENCE, HwmonMeter, make
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity

INA226 = {"name": "ina226", "power1_input": "2475000", "curr1_input": "500", "in1_input": "4950",
          "update_interval": "140", "power1_crit": "15000000"}  # fmt: skip
INA3221 = {"name": "ina3221", "in1_label": "VDD_CPU", "in1_input": "5000", "curr1_input": "300",
           "in2_label": "VDD_SOC", "in2_input": "5016", "curr2_input": "104",
           "in4_input": "10", "curr4_input": "404", "update_interval": "16"}  # fmt: skip


def chip(root: Path, number: int, device: str, files: dict[str, str]) -> Path:
    """One hwmon folder with the link to its device."""
    folder = root / "class" / "hwmon" / f"hwmon{number}"
    folder.mkdir(parents=True, exist_ok=True)
    target = root / "devices" / "platform" / device
    target.mkdir(parents=True, exist_ok=True)
    if not (folder / "device").exists():
        (folder / "device").symlink_to(target)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")
    return folder


def topology(root: Path, packages: list[int], nodes: list[str]) -> None:
    """Files of the socket of each CPU and of the CPUs of each NUMA node."""
    for cpu, package in enumerate(packages):
        folder = root / "devices" / "system" / "cpu" / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{package}\n")
    for node, cpus in enumerate(nodes):
        folder = root / "devices" / "system" / "node" / f"node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(f"{cpus}\n")


def amd(root: Path, cores: int, sockets: int) -> None:
    """An amd_energy device as its driver lays it out: cores first, then sockets."""
    files = {"name": "amd_energy"}
    for index in range(cores + sockets):
        core = index < cores
        files[f"energy{index + 1}_label"] = (
            f"Ecore{index:03}" if core else f"Esocket{index - cores}"
        )
        files[f"energy{index + 1}_input"] = str(1_000_000 * (index + 1))
    chip(root, 3, "amd_energy.0", files)


def meter(root: Path) -> HwmonMeter:
    """The meter on a tree."""
    return make(Roots(sysfs=root), None)


def named(root: Path) -> dict[str, Domain]:
    """Domains by their names in the instrument."""
    return {domain.name: domain for domain in meter(root).survey().domains}


def test_ina226_is_a_rail_in_microwatts(tmp_path: Path) -> None:
    """Power is read as it is; the interval and three times the limit are stated."""
    chip(tmp_path, 0, "1-0040", INA226)
    (domain,) = meter(tmp_path).survey().domains
    assert (domain.id, domain.kind, domain.quantity) == (
        "ina226:1-0040:power1", DomainKind.RAIL, Quantity.POWER,
    )  # fmt: skip
    assert (domain.per_count, domain.update_period_s, domain.max_power_w) == (1e-6, 0.14, 45.0)
    assert meter(tmp_path).read(domain.id).counts == 2_475_000
    assert PREFERENCE == 30


def test_ina3221_multiplies_current_and_voltage_of_its_channels(tmp_path: Path) -> None:
    """300 mA at 5000 mV are 1.5 W; shunt voltages and the sum of currents are no channels."""
    chip(tmp_path, 1, "1-0041", INA3221)
    found = named(tmp_path)
    assert set(found) == {"VDD_CPU", "VDD_SOC"}
    assert meter(tmp_path).read(found["VDD_CPU"].id).counts == 1_500_000
    assert found["VDD_CPU"].update_period_s == 0.016


def test_backward_current_is_no_reading(tmp_path: Path) -> None:
    """A negative current is UNREADABLE, neither a negative nor a zero power; the rail stays."""
    chip(tmp_path, 1, "1-0041", {**INA3221, "curr1_input": "-4"})
    assert set(named(tmp_path)) == {"VDD_CPU", "VDD_SOC"}
    with pytest.raises(MeterError, match="flows backwards") as caught:
        meter(tmp_path).read("ina3221:1-0041:curr1")
    assert caught.value.fault is Fault.UNREADABLE


def test_average_has_its_own_interval(tmp_path: Path) -> None:
    """The interval of power1_average is power1_average_interval, in ms, as in acpi_power_meter."""
    files = {"name": "power_meter", "power1_average": "95000000", "power1_average_interval": "1000"}
    chip(tmp_path, 2, "ACPI000D:00", files)
    (domain,) = meter(tmp_path).survey().domains
    assert domain.update_period_s == 1.0
    assert meter(tmp_path).read(domain.id).counts == 95_000_000


def test_instant_power_goes_before_the_average(tmp_path: Path) -> None:
    """If a sensor has both, the sample at an instant is taken, and is taken once."""
    files = {"name": "amdgpu", "power1_input": "30", "power1_average": "20"}
    chip(tmp_path, 2, "0000:03:00.0", files)
    (domain,) = meter(tmp_path).survey().domains
    assert meter(tmp_path).read(domain.id).counts == 30
    assert domain.kind is DomainKind.GPU


def test_amd_cores_are_part_of_their_socket(tmp_path: Path) -> None:
    """Ecore N belongs to the socket of CPU N; nothing wraps; sockets come first."""
    topology(tmp_path, [0, 0, 1, 1], ["0-1", "2-3"])
    amd(tmp_path, 4, 2)
    found = named(tmp_path)
    assert found["Ecore002"].parent == found["Esocket1"].id
    assert found["Ecore001"].parent == found["Esocket0"].id
    assert found["Esocket1"].kind is DomainKind.PACKAGE
    assert (found["Esocket1"].package, found["Ecore003"].package) == (1, 1)
    assert found["Ecore000"].kind is DomainKind.CORE
    assert found["Ecore000"].wraps_at_counts is None
    assert found["Ecore000"].resolution == 2**-16
    assert [domain.name for domain in meter(tmp_path).survey().domains][:2] == [
        "Esocket0",
        "Esocket1",
    ]


def test_amd_nodes_of_one_socket_are_one_register(tmp_path: Path) -> None:
    """With two NUMA nodes in a socket, Esocket1 is Esocket0 under a second name."""
    topology(tmp_path, [0, 0, 0, 0], ["0-1", "2-3"])
    amd(tmp_path, 4, 2)
    found = named(tmp_path)
    assert found["Esocket1"].same_as == found["Esocket0"].id
    assert found["Esocket0"].same_as is None
    assert found["Ecore003"].parent == found["Esocket0"].id


def test_amd_core_of_unknown_socket_is_refused(tmp_path: Path) -> None:
    """Without the topology a core could be added to the socket that contains it."""
    amd(tmp_path, 2, 1)
    survey = meter(tmp_path).survey()
    assert [domain.name for domain in survey.domains] == ["Esocket0"]
    assert len(survey.refused) == 2
    assert "socket" in survey.refused[0].reason


def test_gauge_beside_a_counter_is_the_same_hardware(tmp_path: Path) -> None:
    """energy1 and power1 of one sensor are never used beside each other."""
    files = {"name": "aem", "energy1_input": "5", "power1_average": "7", "power2_average": "9"}
    chip(tmp_path, 0, "aem.0", files)
    found = {domain.id: domain for domain in meter(tmp_path).survey().domains}
    assert found["aem:aem.0:power1"].same_as == "aem:aem.0:energy1"
    assert found["aem:aem.0:power2"].same_as is None


def test_xe_package_is_part_of_its_card(tmp_path: Path) -> None:
    """The xe driver counts the card and the package on it."""
    files = {"name": "xe", "energy1_input": "9", "energy1_label": "card",
             "energy2_input": "4", "energy2_label": "pkg"}  # fmt: skip
    chip(tmp_path, 0, "0000:03:00.0", files)
    found = named(tmp_path)
    assert found["pkg"].parent == found["card"].id
    assert found["card"].kind is DomainKind.GPU


def test_ids_do_not_follow_the_hwmon_number(tmp_path: Path) -> None:
    """The id is made of driver and device, since drivers load in any order."""
    chip(tmp_path / "a", 0, "1-0040", INA226)
    chip(tmp_path / "b", 7, "1-0040", INA226)
    assert (
        meter(tmp_path / "a").survey().domains[0].id == meter(tmp_path / "b").survey().domains[0].id
    )


def test_two_chips_of_one_device_stay_apart(tmp_path: Path) -> None:
    """Where driver and device agree the hwmon number joins the id."""
    chip(tmp_path, 0, "1-0040", INA226)
    chip(tmp_path, 1, "1-0040", INA226)
    assert len({domain.id for domain in meter(tmp_path).survey().domains}) == 2


def test_permission_has_the_exact_remedy(tmp_path: Path) -> None:
    """A file that may not be read is refused with the command that opens it."""
    folder = chip(tmp_path, 0, "1-0040", INA226)
    for parent in (folder, *folder.parents):
        if parent.stat().st_mode & 0o055 != 0o055:
            parent.chmod(parent.stat().st_mode | 0o055)
    (folder / "power1_input").chmod(0)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        survey = meter(tmp_path).survey()
        if root:
            os.seteuid(0)
            folder.parent.chmod(0)
            os.seteuid(65534)
            assert "may not be listed" in (meter(tmp_path).survey().reason or "")
            os.seteuid(0)
            folder.parent.chmod(0o755)
            folder.chmod(0)
            os.seteuid(65534)
            assert "may not be listed" in (meter(tmp_path).survey().reason or "")
    finally:
        if root:
            os.seteuid(0)
        folder.parent.chmod(0o755)
        folder.chmod(0o755)
    assert survey.domains == ()
    assert survey.remedy == f"sudo chmod a+r {folder / 'power1_input'}"


def test_machine_without_sensors_says_so(tmp_path: Path) -> None:
    """No sensor is a reason; temperature alone is no power sensor."""
    chip(tmp_path, 0, "coretemp.0", {"name": "coretemp", "temp1_input": "40000"})
    survey = meter(tmp_path).survey()
    assert survey.reason is not None
    assert "no power sensor" in survey.reason
    with pytest.raises(MeterError) as caught:
        meter(tmp_path).read("coretemp:coretemp.0:power1")
    assert caught.value.fault is Fault.VANISHED


def test_what_a_file_says_is_repeated_visibly(tmp_path: Path) -> None:
    """Text of a file reaches no terminal with a control character in it."""
    chip(tmp_path, 0, "1-0040", {"name": "ina226", "power1_input": "\x00\x1b[2J"})
    survey = meter(tmp_path).survey()
    said = [survey.reason or "", *(refusal.reason for refusal in survey.refused)]
    assert any("\\x00" in name for name in said)
    assert all(name.isprintable() for name in said)


def test_a_file_in_place_of_the_folder_is_no_sensor(tmp_path: Path) -> None:
    """A tree that is no sysfs is refused like an empty one."""
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "hwmon").write_text("")
    assert meter(tmp_path).survey().reason is not None


def test_argument_is_refused(tmp_path: Path) -> None:
    """The meter takes no argument."""
    with pytest.raises(UsageError, match="takes no argument"):
        make(Roots(sysfs=tmp_path), "hwmon0")


@given(text=st.text(max_size=30), value=st.integers())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_gives_a_count_or_a_meter_error(tmp_path: Path, text: str, value: int) -> None:
    """For any text in files, a reading is at least 0 or a MeterError."""
    for said in (text.encode("utf-8", "replace").decode(), str(value)):
        chip(tmp_path, 0, "1-0040", dict.fromkeys(INA226, said) | {"name": "ina226"})
        chip(tmp_path, 1, "1-0041", dict.fromkeys(INA3221, said) | {"name": "ina3221"})
        hwmon_meter = meter(tmp_path)
        for domain in hwmon_meter.survey().domains:
            with suppress(MeterError):  # such as a current below zero
                assert hwmon_meter.read(domain.id).counts >= 0
