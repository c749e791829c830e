# SPDX-License-Identifier: Apache-2.0
"""Who may read RAPL zones, why a machine has none, and how far their figures can be trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from powercap_trees import as_nobody, by_id, cpuinfo, kernel, meter_of, register

from joulemark.meters import MeterError, Roots, rapl_access
from joulemark.meters.rapl import filter_of_packages
from joulemark.meters.rapl_access import energy_filter
from joulemark.records.energy_window import Fault


def test_without_permission_reason_and_remedy_are_exact(client: Path) -> None:
    """The reason says why only root may read, and the remedy gives this user's group access."""
    for file in (client / "sys/class/powercap").glob("*/energy_uj"):
        file.chmod(0o400 if os.geteuid() == 0 else 0)
    meter = meter_of(client)
    with as_nobody(client):
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
    with as_nobody(client):
        survey = meter_of(client).survey()
    assert survey.reason is None
    assert [refusal.what for refusal in survey.refused] == ["intel-rapl:1"]
    assert "chgrp" in (survey.refused[0].remedy or "")
    assert by_id(survey)["intel-rapl:0"].parent is None


def test_a_virtual_machine_without_rapl_is_told_from_a_missing_module(tmp_path: Path) -> None:
    """Only a real machine is told of a missing module; a guest can do nothing about its host."""
    cpuinfo(tmp_path, flags="fpu hypervisor sse2")
    guest = meter_of(tmp_path).survey()
    cpuinfo(tmp_path)
    machine = meter_of(tmp_path).survey()
    assert "virtual machine" in (guest.reason or "")
    assert guest.remedy is None
    assert "not loaded" in (machine.reason or "")
    assert machine.remedy == "sudo modprobe intel_rapl_msr"


def test_other_processors_have_no_rapl(tmp_path: Path) -> None:
    """The reason on an ARM processor names no module to load."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor\t: 0\nCPU implementer\t: 0x41\n")
    survey = meter_of(tmp_path).survey()
    assert "Intel, AMD and Hygon" in (survey.reason or "")
    assert survey.remedy is None


def test_an_unknown_machine_gets_the_remedy_that_may_help(tmp_path: Path) -> None:
    """Without /proc nothing is known of the machine, so the remedy tries the module."""
    assert meter_of(tmp_path).survey().remedy == "sudo modprobe intel_rapl_msr"


def test_zones_masked_by_a_container_are_called_hidden(tmp_path: Path) -> None:
    """Container runtimes mask /sys/devices/virtual/powercap and leave the links to it."""
    folder = tmp_path / "sys/class/powercap"
    folder.mkdir(parents=True)
    (folder / "intel-rapl:0").symlink_to("../../devices/virtual/powercap/intel-rapl:0")
    survey = meter_of(tmp_path).survey()
    assert "containers" in (survey.reason or "")
    assert "systempaths=unconfined" in (survey.remedy or "")
    assert [(refusal.what, refusal.remedy) for refusal in survey.refused] == [
        ("intel-rapl:0", survey.remedy)
    ]


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
    """The reason names the version that is needed, and not a missing module."""
    cpuinfo(tmp_path, vendor="AuthenticAMD", family=family)
    kernel(tmp_path, release)
    survey = meter_of(tmp_path).survey()
    assert (f"this is Linux {release}," in (survey.reason or "")) == old
    assert ("powercap since 5.11" in (survey.reason or "")) == old
    expected = "install Linux 5.11 or later" if old else "sudo modprobe intel_rapl_msr"
    assert survey.remedy == expected
    cpuinfo(tmp_path, vendor="HygonGenuine", family=0x18)
    assert meter_of(tmp_path).survey().remedy == "sudo modprobe intel_rapl_msr"


def test_facts_say_what_is_not_known(client: Path) -> None:
    """The kernel is recorded; another machine's registers cannot be asked, as the record says."""
    kernel(client, "6.12.0")
    survey = meter_of(client).survey()
    assert survey.facts["kernel"] == "6.12.0"
    assert survey.facts["control_types"] == ["intel-rapl"]
    assert "not that of the running machine" in survey.facts["energy_filter"]
    assert survey.facts["sgx"] is None
    assert survey.facts["modelled_by_processor"] is None
    assert by_id(survey)["intel-rapl:0"].note is None
    cpuinfo(client)
    assert meter_of(client).survey().facts["sgx"] is False


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
    cpuinfo(client, vendor=vendor, family=family, model=model)
    survey = meter_of(client).survey()
    assert survey.facts["modelled_by_processor"] is modelled
    for domain in survey.domains:
        assert ("from a model" in (domain.note or "")) == bool(modelled)
    assert "memory, which" in (by_id(survey)["intel-rapl:0:2"].note or "")


def test_filtered_readings_carry_a_note(client: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set filter bit, or SGX in use, is noted on every domain of the running machine."""
    cpuinfo(client, flags="fpu sgx sgx_lc")
    survey = meter_of(client).survey()
    assert survey.facts["sgx"] is True
    assert all("SGX is on" in (domain.note or "") for domain in survey.domains)
    monkeypatch.setattr(rapl_access, "energy_filter", lambda _: True)
    cpuinfo(client, flags="fpu sgx_lc")
    survey = meter_of(client).survey()
    assert (survey.facts["energy_filter"], survey.facts["sgx"]) == (True, False)
    assert all("energy filter" in (domain.note or "") for domain in survey.domains)


def test_the_filter_bit_is_that_of_every_package(tmp_path: Path) -> None:
    """One CPU of each package is asked; one that filters is enough, one unknown is not False."""
    devices, sysfs = tmp_path / "dev/cpu", tmp_path / "sys"
    assert "modprobe msr" in str(filter_of_packages(devices, sysfs))
    register(tmp_path, 0, 0b1110, package=0)
    (devices / "microcode").touch()
    assert filter_of_packages(devices, sysfs) is False
    register(tmp_path, 1, 1, package=0)
    assert filter_of_packages(devices, sysfs) is False
    other = register(tmp_path, 10, 1, package=1)
    assert filter_of_packages(devices, sysfs) is True
    other.write_bytes(bytes(0xBC + 7))
    assert "no whole register" in str(filter_of_packages(devices, sysfs))
    register(tmp_path, 11, 1, package=2)
    assert filter_of_packages(devices, sysfs) is True
    other.unlink()
    (devices / "11/msr").write_bytes(bytes(0xC8))
    assert "10/msr is not there; try: sudo modprobe msr" in str(filter_of_packages(devices, sysfs))
    other.mkdir()
    assert "does not show IA32_MISC_PACKAGE_CTLS" in str(filter_of_packages(devices, sysfs))


def test_a_register_for_root_only_is_unknown(tmp_path: Path) -> None:
    """A register that only root may read is unknown, not False."""
    register(tmp_path, 0, 0).chmod(0o400 if os.geteuid() == 0 else 0)
    with as_nobody(tmp_path):
        answer = filter_of_packages(tmp_path / "dev/cpu", tmp_path / "sys")
    assert "for root only" in str(answer)


def test_registers_are_asked_only_on_the_running_intel_machine(tmp_path: Path) -> None:
    """Another machine's tree says nothing about these registers, nor do other processors."""
    register(tmp_path, 0, 1)
    devices, proc = tmp_path / "dev/cpu", tmp_path / "proc"
    here = Roots(sysfs=Path("/sys"), proc=proc)
    assert "part of Intel's only" in str(energy_filter(here, devices))
    cpuinfo(tmp_path)
    assert energy_filter(here, devices) is True
    assert "file tree" in str(energy_filter(Roots(sysfs=tmp_path / "sys", proc=proc), devices))
    cpuinfo(tmp_path, vendor="AuthenticAMD")
    assert "part of Intel's only" in str(energy_filter(here, devices))
