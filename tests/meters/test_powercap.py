# SPDX-License-Identifier: Apache-2.0
"""The powercap meter on written file trees: Intel, AMD, virtual machine, and trouble of each kind.

Sources of the trees: Documentation/power/powercap/powercap.rst and
drivers/powercap/intel_rapl_common.c of Linux.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from joulemark.errors import UsageError
from joulemark.measure.records import Evidence
from joulemark.meters import rapl_access
from joulemark.meters.contract import Domain, DomainKind, Fault, MeterError, Roots, Survey
from joulemark.meters.instruments import powercap
from joulemark.meters.instruments.powercap import Powercap
from joulemark.meters.rapl import die_of, filter_of_packages, modulus_uj, step_of
from joulemark.meters.rapl_access import energy_filter
from joulemark.meters.sysfs import SIMULATED_MARK

INTEL_RANGE_UJ: Final = 262_143_328_850
"""(2^32 - 1) * 61.035 µJ, as the kernel computes it for ESU 14."""
MEMORY_RANGE_UJ: Final = 65_712_999_613
"""(2^32 - 1) * 15.3 µJ: memory beside Haswell server processors."""
JOULE_RANGE_UJ: Final = (2**32 - 1) * 1_000_000
"""A psys that counts whole joules."""
NOBODY: Final = 65534


def _zone(root: Path, name: str, title: str, **files: object) -> None:
    """One zone folder as the kernel shows it; a file given as None is left out."""
    values: dict[str, object] = {
        "name": title,
        "energy_uj": 1_000_000,
        "max_energy_range_uj": INTEL_RANGE_UJ,
        "enabled": 0,
        **files,
    }
    folder = root / "sys/class/powercap" / name
    folder.mkdir(parents=True)
    for file, value in values.items():
        if value is not None:
            (folder / file).write_text(f"{value}\n")


def _cpuinfo(
    root: Path,
    vendor: str = "GenuineIntel",
    flags: str = "fpu msr sse2",
    family: object = 6,
    model: object = 0x55,
) -> None:
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/cpuinfo").write_text(
        f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        f"model name\t: any\nflags\t\t: {flags}\n\nprocessor\t: 1\nmodel\t\t: 42\n"
    )


def _kernel(root: Path, release: str) -> None:
    (root / "proc/sys/kernel").mkdir(parents=True, exist_ok=True)
    (root / "proc/sys/kernel/osrelease").write_text(f"{release}\n")


def _register(root: Path, cpu: int, low_byte: int, package: int | None = None) -> Path:
    """A CPU's file of registers, with one bit pattern at IA32_MISC_PACKAGE_CTLS."""
    path = root / f"dev/cpu/{cpu}/msr"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff" * 0xBC + bytes([low_byte]) + bytes(7) + b"\xff" * 8)
    if package is not None:
        folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{package}\n")
    return path


def _meter(root: Path) -> Powercap:
    ticks = count(1_000, 10)
    return Powercap(Roots(sysfs=root / "sys", proc=root / "proc", now_ns=lambda: next(ticks)))


def _by_id(survey: Survey) -> dict[str, Domain]:
    return {one.id: one for one in survey.domains}


@contextmanager
def _as_nobody(root: Path) -> Iterator[None]:
    """Runs as a user to whom file modes apply, for root is stopped by none of them."""
    root_user = os.geteuid() == 0
    if root_user:
        for folder in (root, *root.parents):
            mode = folder.stat().st_mode
            if mode & 0o055 != 0o055:
                folder.chmod(mode | 0o055)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root_user:
            os.seteuid(0)


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A desktop part: psys beside the package, which has cores, graphics and memory below it."""
    _zone(tmp_path, "intel-rapl:0", "package-0")
    _zone(tmp_path, "intel-rapl:0:0", "core")
    _zone(tmp_path, "intel-rapl:0:1", "uncore")
    _zone(tmp_path, "intel-rapl:0:2", "dram", max_energy_range_uj=MEMORY_RANGE_UJ)
    _zone(tmp_path, "intel-rapl:1", "psys", max_energy_range_uj=JOULE_RANGE_UJ)
    (tmp_path / "sys/class/powercap/intel-rapl").mkdir()
    return tmp_path


def test_the_tree_of_a_desktop_part_is_that_of_energy_not_of_folders(client: Path) -> None:
    """The platform holds the package and the memory; the package holds cores and graphics."""
    survey = _meter(client).survey()
    assert survey.reason is None
    assert survey.refused == ()
    assert {one.id: (one.kind, one.parent) for one in survey.domains} == {
        "intel-rapl:1": (DomainKind.PSYS, None),
        "intel-rapl:0": (DomainKind.PACKAGE, "intel-rapl:1"),
        "intel-rapl:0:0": (DomainKind.CORE, "intel-rapl:0"),
        "intel-rapl:0:1": (DomainKind.UNCORE, "intel-rapl:0"),
        "intel-rapl:0:2": (DomainKind.DRAM, "intel-rapl:1"),
    }


def test_parents_come_before_children(client: Path) -> None:
    """Whoever walks the domains once has seen each parent before."""
    seen: set[str | None] = {None}
    for one in _meter(client).survey().domains:
        assert one.parent in seen
        seen.add(one.id)


def test_memory_has_no_parent_without_psys(tmp_path: Path) -> None:
    """It hangs below its package as a folder, and its energy is beside it."""
    _zone(tmp_path, "intel-rapl:0", "package-0")
    _zone(tmp_path, "intel-rapl:0:0", "dram")
    memory = _by_id(_meter(tmp_path).survey())["intel-rapl:0:0"]
    assert memory.parent is None
    assert memory.package == 0


def test_socket_numbers_come_from_names_not_from_indices(tmp_path: Path) -> None:
    """Zone 0 may be socket 1; a sub-zone belongs to the socket of its root."""
    _zone(tmp_path, "intel-rapl:0", "package-1")
    _zone(tmp_path, "intel-rapl:0:0", "core")
    _zone(tmp_path, "intel-rapl:1", "package-0-die-1")
    _zone(tmp_path, "intel-rapl:a", "psys")
    domains = _by_id(_meter(tmp_path).survey())
    assert {one.id: one.package for one in domains.values()} == {
        "intel-rapl:0": 1,
        "intel-rapl:0:0": 1,
        "intel-rapl:1": 0,
        "intel-rapl:a": None,
    }
    assert domains["intel-rapl:1"].kind is DomainKind.PACKAGE
    assert domains["intel-rapl:1"].parent == "intel-rapl:a"


def test_dies_that_are_metered_apart_are_told_by_their_names(tmp_path: Path) -> None:
    """What lies below a die is of the die; a package of one name has no die number."""
    _zone(tmp_path, "intel-rapl:0", "package-1-die-1")
    _zone(tmp_path, "intel-rapl:0:0", "dram")
    _zone(tmp_path, "intel-rapl:1", "package-1-die-0")
    _zone(tmp_path, "intel-rapl:2", "package-3")
    _zone(tmp_path, "intel-rapl:3", "psys-1")
    _zone(tmp_path, "intel-rapl-mmio:0", "package-1-die-1")
    survey = _meter(tmp_path).survey()
    assert {one.id: (one.package, one.die) for one in survey.domains} == {
        "intel-rapl:0": (1, 1),
        "intel-rapl:0:0": (1, 1),
        "intel-rapl:1": (1, 0),
        "intel-rapl:2": (3, None),
        "intel-rapl:3": (1, None),
        "intel-rapl-mmio:0": (1, 1),
    }
    assert die_of("package-0-die-12") == 12
    assert die_of("package-0-die-1-die-2") is None


def test_a_second_psys_holds_its_package_and_counts_as_part_of_the_first(tmp_path: Path) -> None:
    """The kernel numbers the psys of further packages; no sum may take both."""
    _zone(tmp_path, "intel-rapl:0", "package-0")
    _zone(tmp_path, "intel-rapl:1", "package-1")
    _zone(tmp_path, "intel-rapl:2", "psys-1")
    _zone(tmp_path, "intel-rapl:3", "psys")
    domains = _by_id(_meter(tmp_path).survey())
    assert {one.name: one.parent for one in domains.values()} == {
        "psys": None,
        "psys-1": "intel-rapl:3",
        "package-0": "intel-rapl:3",
        "package-1": "intel-rapl:2",
    }


def test_the_twin_through_memory_names_the_zone_of_its_name(tmp_path: Path) -> None:
    """`intel-rapl-mmio` reads the same counter, whatever its index; alone it stands for itself."""
    _zone(tmp_path, "intel-rapl:0", "package-1")
    _zone(tmp_path, "intel-rapl:1", "package-0")
    _zone(tmp_path, "intel-rapl:1:0", "dram")
    _zone(tmp_path, "intel-rapl-mmio:0", "package-0")
    _zone(tmp_path, "intel-rapl-mmio:0:0", "dram")
    _zone(tmp_path, "intel-rapl-mmio:1", "package-2")
    survey = _meter(tmp_path).survey()
    assert {one.id: one.same_as for one in survey.domains if one.same_as} == {
        "intel-rapl-mmio:0": "intel-rapl:1",
        "intel-rapl-mmio:0:0": "intel-rapl:1:0",
    }
    assert survey.facts["control_types"] == ["intel-rapl", "intel-rapl-mmio"]


def test_an_amd_part_has_a_package_and_its_cores(tmp_path: Path) -> None:
    """AMD uses Intel's zone names, a finer unit, and neither memory nor psys."""
    amd_range_uj = (2**32 - 1) * 15_258 // 1000
    _zone(tmp_path, "intel-rapl:0", "package-0", max_energy_range_uj=amd_range_uj)
    _zone(tmp_path, "intel-rapl:0:0", "core", max_energy_range_uj=amd_range_uj)
    package, core = _meter(tmp_path).survey().domains
    assert (package.kind, core.kind, core.parent) == (
        DomainKind.PACKAGE,
        DomainKind.CORE,
        package.id,
    )
    assert package.resolution == pytest.approx(15.258e-6, rel=1e-6)


def test_the_step_of_each_zone_follows_from_its_range(client: Path) -> None:
    """61 µJ, 15.3 µJ and whole joules on one machine, and a count of a microjoule for all."""
    steps = {one.name: one.resolution for one in _meter(client).survey().domains}
    assert steps["package-0"] == pytest.approx(61.035e-6, rel=1e-9)
    assert steps["dram"] == pytest.approx(15.3e-6, rel=1e-9)
    assert steps["psys"] == pytest.approx(1.0, rel=1e-9)
    assert {one.per_count for one in _meter(client).survey().domains} == {1e-6}


def test_the_counter_is_zero_again_one_step_after_its_range() -> None:
    """The range is the highest value of 2^32, so a wrap is worth one step more."""
    assert modulus_uj(JOULE_RANGE_UJ) == 2**32 * 1_000_000
    assert modulus_uj(INTEL_RANGE_UJ) - INTEL_RANGE_UJ == 61
    assert step_of(1000) == 1e-6


@pytest.mark.parametrize("value", [None, 0, "many"])
def test_without_a_range_a_decrease_stays_unknown(tmp_path: Path, value: object) -> None:
    """A missing, zero or garbled range file leaves the wrap unknown and says so."""
    _zone(tmp_path, "intel-rapl:0", "package-0", max_energy_range_uj=value)
    (package,) = _meter(tmp_path).survey().domains
    assert package.wraps_at_counts is None
    assert package.resolution == 2.0**-14
    assert "max_energy_range_uj" in (package.note or "")


def test_limits_give_the_ceiling(tmp_path: Path) -> None:
    """Three times the highest stated limit; zero and a register at its top are no limits."""
    _zone(
        tmp_path,
        "intel-rapl:0",
        "package-0",
        constraint_0_name="long_term",
        constraint_0_power_limit_uw=125_000_000,
        constraint_0_max_power_uw=0,
        constraint_1_power_limit_uw=4_095_875_000,
        constraint_1_max_power_uw="none",
    )
    _zone(tmp_path, "intel-rapl:1", "package-1", constraint_0_power_limit_uw=15_000_000)
    _zone(tmp_path, "intel-rapl:2", "package-2", constraint_0_power_limit_uw=900_000_000)
    _zone(tmp_path, "intel-rapl:3", "package-3", constraint_0_max_power_uw=0)
    ceilings = [one.max_power_w for one in _meter(tmp_path).survey().domains]
    assert ceilings == [375.0, 200.0, 1500.0, None]


def test_limits_are_recorded_in_watts_and_seconds(tmp_path: Path) -> None:
    """Of every zone, in the kernel's order; what is missing, garbled or 0 is left out."""
    _zone(
        tmp_path,
        "intel-rapl:0",
        "package-0",
        constraint_100_name="peak_power",
        constraint_12_max_power_uw=7_000_000,
        constraint_1_name="short_term",
        constraint_1_power_limit_uw=4_095_875_000,
        constraint_1_time_window_us=2_440,
        constraint_1_max_power_uw="none",
        constraint_0_name="long_term",
        constraint_0_power_limit_uw=125_000_000,
        constraint_0_time_window_us=27_983_872,
        constraint_0_max_power_uw=165_500_000,
        constraint_2_power_limit_uw=0,
        constraint_3_power_limit_uw="9" * 400,
    )
    _zone(tmp_path, "intel-rapl:0:0", "core", energy_uj=None)
    limits = _meter(tmp_path).survey().facts["power_limits"]
    assert json.loads(json.dumps(limits, allow_nan=False)) == {
        "intel-rapl:0": [
            {
                "name": "long_term",
                "power_limit_w": 125.0,
                "time_window_s": 27.983872,
                "max_power_w": 165.5,
            },
            {"name": "short_term", "power_limit_w": 4095.875, "time_window_s": 0.00244},
            {"max_power_w": 7.0},
            {"name": "peak_power"},
        ],
        "intel-rapl:0:0": [],
    }


def test_a_zone_of_an_unknown_name_is_a_rail_with_a_note(tmp_path: Path) -> None:
    """What the kernel may add later is shown, and nothing is claimed about it."""
    _zone(tmp_path, "intel-rapl:0", "package-0")
    _zone(tmp_path, "intel-rapl:0:0", "accelerator")
    rail = _by_id(_meter(tmp_path).survey())["intel-rapl:0:0"]
    assert rail.kind is DomainKind.RAIL
    assert rail.parent == "intel-rapl:0"
    assert "unknown name 'accelerator'" in (rail.note or "")


def test_reading_gives_the_count_between_two_moments(client: Path) -> None:
    """The file is read anew each time, and the clock is asked before and after."""
    meter = _meter(client)
    first = meter.read("intel-rapl:0")
    (client / "sys/class/powercap/intel-rapl:0/energy_uj").write_text("1000061\n")
    second = meter.read("intel-rapl:0")
    assert (first.counts, second.counts) == (1_000_000, 1_000_061)
    assert first.before_ns < first.after_ns < second.before_ns < second.after_ns


@pytest.mark.parametrize("domain", ["intel-rapl:7", "../intel-rapl:0", "intel-rapl", ""])
def test_a_zone_that_vanished_is_reported_so(client: Path, domain: str) -> None:
    """So is a name that is no zone; nothing outside the folder is read."""
    outside = client / "sys/class/intel-rapl:0"
    outside.mkdir()
    (outside / "energy_uj").write_text("7\n")
    with pytest.raises(MeterError) as raised:
        _meter(client).read(domain)
    assert raised.value.fault is Fault.VANISHED


def test_a_garbled_counter_is_refused_and_its_children_climb(client: Path) -> None:
    """The package is shown as refused; its cores then lie in psys, which can be read."""
    (client / "sys/class/powercap/intel-rapl:0/energy_uj").write_text("-5\n")
    survey = _meter(client).survey()
    assert survey.reason is None
    assert [one.what for one in survey.refused] == ["intel-rapl:0"]
    assert "'-5', which is no count" in survey.refused[0].reason
    assert _by_id(survey)["intel-rapl:0:0"].parent == "intel-rapl:1"


def test_only_garbage_is_a_reason_not_an_exception(tmp_path: Path) -> None:
    """A tree without one usable zone says which zone says what."""
    _zone(tmp_path, "intel-rapl:0", "package-0", energy_uj="")
    meter = _meter(tmp_path)
    assert meter.domains() == ()
    assert "intel-rapl:0" in (meter.available() or "")


def test_without_permission_reason_and_remedy_are_exact(client: Path) -> None:
    """The user learns why only root may read, and the commands for the group of this user."""
    for file in (client / "sys/class/powercap").glob("*/energy_uj"):
        file.chmod(0o400 if os.geteuid() == 0 else 0)
    meter = _meter(client)
    with _as_nobody(client):
        survey = meter.survey()
        with pytest.raises(MeterError) as raised:
            meter.read("intel-rapl:0")
    assert raised.value.fault is Fault.PERMISSION
    assert survey.domains == ()
    assert len(survey.refused) == 5
    assert "CVE-2020-8694" in (survey.reason or "")
    remedy = survey.remedy or ""
    assert remedy.startswith("sudo chgrp ")
    assert "sudo chmod g+r /sys/class/powercap/intel-rapl*/energy_uj" in remedy
    assert 'SUBSYSTEM=="powercap"' in remedy
    assert "/etc/udev/rules.d/" in remedy


def test_partial_permission_gives_what_can_be_read(client: Path) -> None:
    """Readable zones are domains; the others are refused, each with the remedy."""
    closed = client / "sys/class/powercap/intel-rapl:1/energy_uj"
    closed.chmod(0o400 if os.geteuid() == 0 else 0)
    with _as_nobody(client):
        survey = _meter(client).survey()
    assert survey.reason is None
    assert [one.what for one in survey.refused] == ["intel-rapl:1"]
    assert "chgrp" in (survey.refused[0].remedy or "")
    assert _by_id(survey)["intel-rapl:0"].parent is None


def test_a_virtual_machine_without_rapl_is_told_from_a_missing_module(tmp_path: Path) -> None:
    """A guest can do nothing about it; on the machine itself a module may be missing."""
    _cpuinfo(tmp_path, flags="fpu hypervisor sse2")
    guest = _meter(tmp_path).survey()
    _cpuinfo(tmp_path)
    machine = _meter(tmp_path).survey()
    assert "virtual machine" in (guest.reason or "")
    assert guest.remedy is None
    assert "not loaded" in (machine.reason or "")
    assert machine.remedy == "sudo modprobe intel_rapl_msr"


def test_other_processors_have_no_rapl(tmp_path: Path) -> None:
    """Nobody is sent to load a module for an ARM processor."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor\t: 0\nCPU implementer\t: 0x41\n")
    survey = _meter(tmp_path).survey()
    assert "Intel, AMD and Hygon" in (survey.reason or "")
    assert survey.remedy is None


def test_an_unknown_machine_gets_the_remedy_that_may_help(tmp_path: Path) -> None:
    """Without /proc nothing is known, and the module is still worth a try."""
    assert _meter(tmp_path).survey().remedy == "sudo modprobe intel_rapl_msr"


def test_zones_masked_by_a_container_are_called_hidden(tmp_path: Path) -> None:
    """Container runtimes mask /sys/devices/virtual/powercap and leave the links to it."""
    folder = tmp_path / "sys/class/powercap"
    folder.mkdir(parents=True)
    (folder / "intel-rapl:0").symlink_to("../../devices/virtual/powercap/intel-rapl:0")
    survey = _meter(tmp_path).survey()
    assert "containers" in (survey.reason or "")
    assert "systempaths=unconfined" in (survey.remedy or "")
    assert [(one.what, one.remedy) for one in survey.refused] == [("intel-rapl:0", survey.remedy)]


@pytest.mark.parametrize(
    ("release", "family", "old"),
    [
        ("5.4.0-42-generic", 0x17, True),
        ("5.10.0", 0x19, True),
        ("4.18.0", "garbled", True),
        ("5.11.0-rc1", 0x17, False),
        ("6.1.0", 0x17, False),
        ("5.4.0", 0x15, False),
        ("unknown", 0x17, False),
    ],
)
def test_a_kernel_older_than_its_support_of_amd_is_named(
    tmp_path: Path, release: str, family: object, old: bool
) -> None:
    """With the version that is needed; a module that may be missing is a different trouble."""
    _cpuinfo(tmp_path, vendor="AuthenticAMD", family=family)
    _kernel(tmp_path, release)
    survey = _meter(tmp_path).survey()
    assert (f"this is Linux {release}," in (survey.reason or "")) == old
    assert ("powercap since 5.11" in (survey.reason or "")) == old
    expected = "install Linux 5.11 or later" if old else "sudo modprobe intel_rapl_msr"
    assert survey.remedy == expected
    _cpuinfo(tmp_path, vendor="HygonGenuine", family=0x18)
    assert _meter(tmp_path).survey().remedy == "sudo modprobe intel_rapl_msr"


def test_facts_say_what_is_not_known(client: Path) -> None:
    """The kernel is recorded; another machine's registers cannot be asked, as the record says."""
    _kernel(client, "6.12.0")
    survey = _meter(client).survey()
    assert survey.facts["kernel"] == "6.12.0"
    assert survey.facts["control_types"] == ["intel-rapl"]
    assert "not that of the running machine" in survey.facts["energy_filter"]
    assert survey.facts["sgx"] is None
    assert survey.facts["modelled_by_processor"] is None
    assert _by_id(survey)["intel-rapl:0"].note is None
    _cpuinfo(client)
    assert _meter(client).survey().facts["sgx"] is False


@pytest.mark.parametrize(
    ("vendor", "family", "model", "modelled"),
    [
        ("GenuineIntel", 6, 0x2A, True),
        ("GenuineIntel", 6, 0x2D, True),
        ("GenuineIntel", 6, 0x3A, True),
        ("GenuineIntel", 6, 0x3E, True),
        ("GenuineIntel", 6, 0x3F, None),
        ("GenuineIntel", 15, 0x2A, None),
        ("AuthenticAMD", 6, 0x2A, None),
        ("GenuineIntel", 6, "old", None),
    ],
)
def test_figures_of_a_model_are_called_so(
    client: Path, vendor: str, family: int, model: object, modelled: bool | None
) -> None:
    """Before Haswell the processor computes what it shows; the note is on every domain."""
    _cpuinfo(client, vendor=vendor, family=family, model=model)
    survey = _meter(client).survey()
    assert survey.facts["modelled_by_processor"] is modelled
    for one in survey.domains:
        assert ("from a model of its own" in (one.note or "")) == bool(modelled)
    assert "memory, which" in (_by_id(survey)["intel-rapl:0:2"].note or "")


def test_filtered_readings_carry_a_note(client: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bit of the running machine, or SGX in use, is said beside every figure."""
    _cpuinfo(client, flags="fpu sgx sgx_lc")
    survey = _meter(client).survey()
    assert survey.facts["sgx"] is True
    assert all("SGX is on" in (one.note or "") for one in survey.domains)
    monkeypatch.setattr(rapl_access, "energy_filter", lambda _: True)
    _cpuinfo(client, flags="fpu sgx_lc")
    survey = _meter(client).survey()
    assert (survey.facts["energy_filter"], survey.facts["sgx"]) == (True, False)
    assert all("energy filter" in (one.note or "") for one in survey.domains)


def test_the_filter_bit_is_that_of_every_package(tmp_path: Path) -> None:
    """One CPU of each package is asked; one that filters is enough, one unknown is not False."""
    devices, sysfs = tmp_path / "dev/cpu", tmp_path / "sys"
    assert "modprobe msr" in str(filter_of_packages(devices, sysfs))
    _register(tmp_path, 0, 0b1110, package=0)
    (devices / "microcode").touch()
    assert filter_of_packages(devices, sysfs) is False
    _register(tmp_path, 1, 1, package=0)
    assert filter_of_packages(devices, sysfs) is False
    other = _register(tmp_path, 10, 1, package=1)
    assert filter_of_packages(devices, sysfs) is True
    other.write_bytes(bytes(0xBC + 7))
    assert "no whole register" in str(filter_of_packages(devices, sysfs))
    _register(tmp_path, 11, 1, package=2)
    assert filter_of_packages(devices, sysfs) is True
    other.unlink()
    (devices / "11/msr").write_bytes(bytes(0xC8))
    assert "10/msr is not there; try: sudo modprobe msr" in str(filter_of_packages(devices, sysfs))
    other.mkdir()
    assert "does not show IA32_MISC_PACKAGE_CTLS" in str(filter_of_packages(devices, sysfs))


def test_a_register_for_root_only_is_unknown(tmp_path: Path) -> None:
    """No right to read is no answer of False."""
    _register(tmp_path, 0, 0).chmod(0o400 if os.geteuid() == 0 else 0)
    with _as_nobody(tmp_path):
        answer = filter_of_packages(tmp_path / "dev/cpu", tmp_path / "sys")
    assert "for root only" in str(answer)


def test_registers_are_asked_only_on_the_running_intel_machine(tmp_path: Path) -> None:
    """Another machine's tree says nothing about these registers, nor do other processors."""
    _register(tmp_path, 0, 1)
    devices, proc = tmp_path / "dev/cpu", tmp_path / "proc"
    here = Roots(sysfs=Path("/sys"), proc=proc)
    assert "part of Intel's only" in str(energy_filter(here, devices))
    _cpuinfo(tmp_path)
    assert energy_filter(here, devices) is True
    assert "file tree" in str(energy_filter(Roots(sysfs=tmp_path / "sys", proc=proc), devices))
    _cpuinfo(tmp_path, vendor="AuthenticAMD")
    assert "part of Intel's only" in str(energy_filter(here, devices))


def test_the_mark_of_the_tree_decides_the_evidence(client: Path) -> None:
    """A test double's figures are never called measured."""
    assert _meter(client).evidence() is Evidence.MEASURED
    (client / "sys" / SIMULATED_MARK).touch()
    assert _meter(client).evidence() is Evidence.SIMULATED


def test_the_meter_takes_no_argument() -> None:
    """`powercap:x` is refused, because it would do the same as `powercap`."""
    with pytest.raises(UsageError, match="takes no argument"):
        powercap.make(Roots(), "x")
    assert powercap.make(Roots(), None).name == powercap.NAME
