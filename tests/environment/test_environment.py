# SPDX-License-Identifier: Apache-2.0
"""The environment, read from made-up machines and from this one."""

from __future__ import annotations

import getpass
import json
import re
import socket
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import pytest
from fake_machines import AMD, ARM, CPU, intel_laptop, tree

from joulemark.environment import capture
from joulemark.environment.cpu import cpu_numbers
from joulemark.environment.facts import IDENTITY_KEYS, Environment, advice


def test_intel_laptop(tmp_path: Path) -> None:
    """A laptop with intel_pstate and SMT: every fact of the processor, frequency and kernel."""
    found = capture(tree(tmp_path, intel_laptop()))
    expected = {
        "architecture": "x86_64",
        "cpu_vendor": "GenuineIntel",
        "cpu_model": "Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz",
        "cpu_family": 6,
        "cpu_model_number": 142,
        "cpu_stepping": 10,
        "microcode": "0xf4",
        "hybrid": False,
        "physical_cores": 2,
        "logical_cpus": 4,
        "smt_active": True,
        "cpu_features": ["aes", "avx2", "ssse3"],
        "caches_bytes": {"L1d": 32768, "L1i": 32768, "L2": 262144, "L3": 8388608},
        "tsc_hz": None,
        "constant_tsc": True,
        "nonstop_tsc": True,
        "frequency_driver": "intel_pstate",
        "governor": "powersave",
        "energy_preference": "balance_power",
        "frequency_min_hz": 400_000_000,
        "frequency_max_hz": 4_200_000_000,
        "frequency_limit_low_hz": 400_000_000,
        "frequency_limit_high_hz": 1_900_000_000,
        "turbo": True,
        "kernel_release": "6.1.0-18-amd64",
        "os_name": "Debian GNU/Linux 12 (bookworm)",
        "address_randomisation": 2,
        "perf_event_paranoid": -1,
        "clock_source": "tsc",
        "memory_bytes": 16303428 * 1024,
        "virtualised": False,
        "hypervisor": None,
        "container": None,
    }
    assert {name: getattr(found, name) for name in expected} == expected


def test_smt_by_topology(tmp_path: Path) -> None:
    """Where an older kernel has no SMT switch, two threads on a core show that SMT is on."""
    files = intel_laptop()
    del files[f"{CPU}/smt/active"]
    assert capture(tree(tmp_path, files)).smt_active is True


def test_turbo_has_opposite_signs(tmp_path: Path) -> None:
    """`no_turbo` of 1 and `boost` of 0 both mean that turbo is off."""
    intel = {**intel_laptop(), f"{CPU}/intel_pstate/no_turbo": "1\n"}
    assert capture(tree(tmp_path / "intel", intel)).turbo is False
    for name, state in (("off", "0"), ("on", "1")):
        files = {"proc/cpuinfo": AMD, f"{CPU}/cpufreq/boost": f"{state}\n"}
        assert capture(tree(tmp_path / name, files)).turbo is (state == "1")


def test_amd_with_boost(tmp_path: Path) -> None:
    """An AMD machine whose CPUs have different governors names all; SMT comes from topology."""
    files = {"proc/cpuinfo": AMD, f"{CPU}/cpufreq/boost": "1\n", f"{CPU}/online": "0-1,8\n"}
    for number, governor in ((0, "schedutil"), (1, "performance"), (8, "schedutil")):
        folder = f"{CPU}/cpu{number}"
        files[f"{folder}/cpufreq/scaling_governor"] = governor
        files[f"{folder}/cpufreq/scaling_driver"] = "acpi-cpufreq"
        files[f"{folder}/topology/thread_siblings_list"] = str(number)
    found = capture(tree(tmp_path, files))
    assert (found.cpu_vendor, found.cpu_family, found.cpu_model_number) == ("AuthenticAMD", 25, 33)
    assert (found.governor, found.frequency_driver) == ("performance+schedutil", "acpi-cpufreq")
    assert (found.smt_active, found.physical_cores, found.logical_cpus) == (False, 3, 3)
    assert (found.turbo, found.virtualised) == (True, False)
    assert found.energy_preference is None
    assert found.reasons["energy_preference"] == (
        "the frequency driver shows no energy_performance_preference"
    )


def test_arm_without_anything(tmp_path: Path) -> None:
    """An Arm board that shows only cpuinfo: numbers of the core, and a reason for all the rest."""
    found = capture(tree(tmp_path, {"proc/cpuinfo": ARM}))
    assert (found.cpu_vendor, found.cpu_family, found.cpu_model_number) == ("0x41", 8, 0xD0C)
    assert found.cpu_stepping == 0x31
    assert found.cpu_features == ["aes", "asimd", "crc32", "pmull", "sha1", "sha2"]
    assert found.hybrid is False
    assert found.constant_tsc is found.nonstop_tsc is True
    for name in ("cpu_model", "microcode", "tsc_hz", "governor", "turbo", "virtualised"):
        assert getattr(found, name) is None
        assert found.reasons[name]
    assert advice(found) == []


def test_big_and_little_cores(tmp_path: Path) -> None:
    """Cores of two kinds make a hybrid: by part number on Arm, by the kernel's folders on Intel."""
    arm = {"proc/cpuinfo": ARM + "\n" + ARM.replace("0xd0c", "0xd05")}
    unnamed = capture(tree(tmp_path / "arm", arm))
    assert (unnamed.hybrid, unnamed.core_kinds) == (True, None)
    assert unnamed.reasons["core_kinds"]
    speeds = {f"{CPU}/cpu{n}/cpu_capacity": str(speed) for n, speed in
              enumerate([250, 250, 871, 871, 250, 1024, 250])}  # fmt: skip
    by_speed = capture(tree(tmp_path / "speeds", {"proc/cpuinfo": ARM, **speeds}))
    assert by_speed.hybrid is True
    assert by_speed.core_kinds == {
        "P-core": "5", "core of capacity 871": "2-3", "E-core": "0-1,4,6",
    }  # fmt: skip
    alike = {f"{CPU}/cpu{n}/cpu_capacity": "1024" for n in range(4)}
    same = capture(tree(tmp_path / "alike", {"proc/cpuinfo": ARM, **alike}))
    assert (same.hybrid, same.core_kinds) == (False, None)
    intel = {
        **intel_laptop(),
        "sys/devices/cpu_core/cpus": "0-1",
        "sys/devices/cpu_atom/cpus": "2-3",
    }
    found = capture(tree(tmp_path / "intel", intel))
    assert found.hybrid is True
    assert found.core_kinds == {"P-core": "0-1", "E-core": "2-3"}
    [said] = [sentence for sentence in advice(found) if "--cpu" in sentence]
    assert "P-cores (CPU 0-1) and E-cores (CPU 2-3)" in said


def test_empty_tree(tmp_path: Path) -> None:
    """Where nothing can be read every fact about the machine is None, none is zero."""
    found = capture(tmp_path)
    process = {"python_version", "python_implementation", "c_library", "reasons"}
    process |= {f"{name}_version" for name in ("numpy", "scipy", "joulemark")}
    for field in fields(Environment):
        if field.name not in process:
            assert getattr(found, field.name) is None, field.name
    assert advice(found) == []


@pytest.mark.parametrize("machine", ["empty", "intel", "this"])
def test_every_unknown_has_a_reason(tmp_path: Path, machine: str) -> None:
    """Exactly the facts that are None have a reason, and each reason is a phrase."""
    if machine == "intel":
        tree(tmp_path, intel_laptop())
    found = capture() if machine == "this" else capture(tmp_path)
    unknown = {name for name, value in found.as_dict().items() if value is None}
    assert set(found.reasons) == unknown
    assert all(len(reason.split()) >= 3 for reason in found.reasons.values())
    assert str(tmp_path) not in json.dumps(found.as_dict())


def test_nonsense_in_files(tmp_path: Path) -> None:
    """A file with senseless content makes the fact unknown, and the reason names the file."""
    files = {
        f"{CPU}/online": "all of them",
        f"{CPU}/intel_pstate/no_turbo": "maybe",
        "proc/sys/kernel/perf_event_paranoid": "high",
        "proc/meminfo": "MemTotal: many\n",
        "proc/sys/kernel/osrelease": "",
    }
    found = capture(tree(tmp_path, files))
    assert found.turbo is None
    for name, path in (
        ("logical_cpus", f"/{CPU}/online holds"),
        ("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid holds"),
        ("memory_bytes", "/proc/meminfo holds"),
        ("kernel_release", "/proc/sys/kernel/osrelease is empty"),
    ):
        assert getattr(found, name) is None
        assert found.reasons[name].startswith(path)


def test_this_machine_names_nobody() -> None:
    """The record of this machine holds no host name, user name or home folder."""
    text = json.dumps(capture().as_dict())
    secrets = [socket.gethostname(), str(Path.home()), str(Path.cwd())]
    with suppress(KeyError, OSError):  # a container may run under a number without a name
        secrets.append(getpass.getuser())
    for word in secrets:
        if word == "/":
            continue
        assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), word


def test_this_machine_is_known() -> None:
    """On Linux at least the kernel, the memory, the CPU count and Python are known."""
    found = capture()
    assert found.kernel_release
    assert found.memory_bytes is not None
    assert found.memory_bytes > 2**24
    assert found.logical_cpus is not None
    assert found.usable_cpus is not None
    assert 1 <= found.usable_cpus <= found.logical_cpus
    assert found.python_version
    assert json.loads(json.dumps(found.as_dict())) == found.as_dict()


def test_identity(tmp_path: Path) -> None:
    """The identity is the facts of its keys, and every key is a fact."""
    found = capture(tree(tmp_path, intel_laptop()))
    assert set(IDENTITY_KEYS) <= {field.name for field in fields(Environment)}
    identity = found.identity()
    assert tuple(identity) == IDENTITY_KEYS
    assert identity["governor"] == "powersave"
    assert identity != replace(found, microcode="0xf5").identity()
    assert identity == replace(found, memory_bytes=1).identity()


def test_cpu_numbers() -> None:
    """The kernel's list notation is read; anything else is refused."""
    assert cpu_numbers("0-3,8,10-11") == [0, 1, 2, 3, 8, 10, 11]
    for wrong in ("", "a", "1-b"):
        with pytest.raises(ValueError, match="invalid literal"):
            cpu_numbers(wrong)
