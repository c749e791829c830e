# SPDX-License-Identifier: Apache-2.0
"""Virtual machines and containers, and what the user is told to change."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_machines import AMD, intel_laptop, tree

from joulemark.environment import capture
from joulemark.environment.facts import advice


def test_virtual_machine(tmp_path: Path) -> None:
    """A guest without frequency control is named by its maker, and that alone is its advice."""
    files = {
        "proc/cpuinfo": AMD.replace("flags\t\t:", "flags\t\t: hypervisor"),
        "sys/class/dmi/id/sys_vendor": "QEMU\n",
    }
    found = capture(tree(tmp_path, files))
    assert (found.virtualised, found.hypervisor) == (True, "qemu")
    assert "virtual machine" in found.reasons["governor"]
    [sentence] = advice(found)
    assert sentence.startswith("This is a virtual machine (qemu)")


@pytest.mark.parametrize(
    ("flagged", "vendor", "virtualised", "kind"),
    [
        (False, "Amazon EC2", False, None),
        (True, "Amazon EC2", True, "amazon"),
        (False, "Microsoft Corporation", False, None),
        (True, "Microsoft Corporation", True, "hyper-v"),
        (False, "XENON Systems", False, None),
        (False, "innotek GmbH", True, "virtualbox"),
        (True, "Nobody Knows", True, None),
    ],
)
def test_makers_of_both(
    tmp_path: Path, flagged: bool, vendor: str, virtualised: bool, kind: str | None
) -> None:
    """A maker's name alone makes no virtual machine where that maker also sells real ones."""
    cpuinfo = AMD.replace("flags\t\t:", "flags\t\t: hypervisor") if flagged else AMD
    files = {"proc/cpuinfo": cpuinfo, "sys/class/dmi/id/sys_vendor": vendor}
    found = capture(tree(tmp_path, files))
    assert (found.virtualised, found.hypervisor) == (virtualised, kind)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": ""}, "podman"),
        ({"run/systemd/container": "systemd-nspawn\n"}, "systemd-nspawn"),
        ({"proc/1/cgroup": "0::/kubepods/besteffort/pod1234\n"}, "kubepods"),
        ({"proc/1/cgroup": "0::/init.scope\n"}, None),
    ],
)
def test_container(tmp_path: Path, files: dict[str, str], kind: str | None) -> None:
    """The kind of a container is named, its number is not; without any sign the kind is unknown."""
    found = capture(tree(tmp_path, {"proc/cpuinfo": AMD, **files}))
    assert found.container == kind
    assert "1234" not in json.dumps(found.as_dict())
    assert ("no proof" in found.reasons.get("container", "")) is (kind is None)


def test_advice(tmp_path: Path) -> None:
    """Each disturbance has a sentence with the command against it; a tuned machine has none."""
    found = capture(tree(tmp_path, intel_laptop()))
    governor, turbo, smt = advice(found)
    assert governor.endswith(
        "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    )
    assert turbo.endswith("echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo")
    assert smt.endswith("echo off | sudo tee /sys/devices/system/cpu/smt/control")
    [boost] = advice(
        replace(found, governor="performance", smt_active=False, frequency_driver="acpi-cpufreq")
    )
    assert boost.endswith("echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost")
    assert advice(replace(found, governor="performance", turbo=False, smt_active=False)) == []
    [unsteady] = advice(
        replace(found, governor=None, turbo=None, smt_active=None, constant_tsc=False)
    )
    assert "time-stamp counter" in unsteady


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"}, 0.5),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/../other", "sys/fs/cgroup/cpu.max": "150000 100000"}, 1.5),
        (
            {
                "proc/self/cgroup": "0::/pods/one",
                "sys/fs/cgroup/pods/cpu.max": "200000 100000",
                "sys/fs/cgroup/pods/one/cpu.max": "300000 100000",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "5:memory:/\n4:cpu,cpuacct:/pod\n0::/",
                "sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us": "25000",
                "sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_period_us": "100000",
            },
            0.25,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n0::/",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "some 0"}, None),
        ({}, None),
    ],
)
def test_a_limit_of_cpu_time(tmp_path: Path, files: dict[str, str], quota: float | None) -> None:
    """The smallest limit of the control groups is a fact, and has a sentence of advice."""
    found = capture(tree(tmp_path, {"proc/cpuinfo": AMD, **files}))
    assert found.cpu_quota == quota
    assert ("cpu_quota" in found.reasons) is (quota is None)
    sentences = [sentence for sentence in advice(found) if "CPU quota" in sentence]
    assert len(sentences) == (quota is not None)
    assert all(f"the time of {quota:.3g} CPUs" in sentence for sentence in sentences)
