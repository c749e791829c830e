# SPDX-License-Identifier: Apache-2.0
"""Whether a hypervisor, a container or a limit of CPU time stands between us and the machine.

A hypervisor that follows the convention sets a CPUID bit, which the kernel shows as the flag
`hypervisor`; on x86 its absence is taken as a no. Other processors have no such bit: there only a
positive sign decides, and without one the answer is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from joulemark.environment.cpu import cpuinfo
from joulemark.environment.source import SystemFiles

_DMI = "sys/class/dmi/id"

_BY_DMI = {
    "qemu": "qemu",
    "kvm": "kvm",
    "vmware": "vmware",
    "virtualbox": "virtualbox",
    "innotek": "virtualbox",
    "parallels": "parallels",
    "bochs": "bochs",
    "xen": "xen",
    "bhyve": "bhyve",
    "openstack": "kvm",
    "apple virtualization": "apple",
}
"""Words of a virtual machine's maker or product name -> kind. No real hardware has such a name."""

_ONLY_WITH_FLAG = {
    "microsoft corporation": "hyper-v",
    "amazon ec2": "amazon",
    "google compute engine": "google",
}
"""Names that real machines have too -> kind, which counts only where the flag is there."""

_CONTAINER_FILES = {".dockerenv": "docker", "run/.containerenv": "podman"}
_CGROUP_WORDS = ("kubepods", "docker", "libpod", "lxc", "containerd")


def read(source: SystemFiles) -> dict[str, Any]:
    """Facts about virtualisation, by field of `Environment`."""
    info = cpuinfo(source)
    flagged = "hypervisor" in info.get("flags", "").split()
    kind = _kind(source, flagged=flagged)
    virtualised: bool | None = flagged or kind is not None
    if virtualised:
        if kind is None:
            source.unknown("hypervisor", "it does not say which it is")
    elif "flags" in info:
        source.unknown("hypervisor", "there is none")
    else:
        virtualised = source.unknown(
            "virtualised", "this processor has no flag for it, and nothing else tells"
        )
        source.unknown("hypervisor", "there is no sign of one, which is no proof")
    return {
        "virtualised": virtualised,
        "hypervisor": kind,
        "container": _container(source),
        "cpu_quota": _cpu_quota(source),
    }


def _kind(source: SystemFiles, *, flagged: bool) -> str | None:
    named = source.text("sys/hypervisor/type")
    if named is not None:
        return named
    if "microsoft" in (source.text("proc/sys/kernel/osrelease") or "").lower():
        return "wsl"
    words = " ".join(
        source.text(f"{_DMI}/{name}") or "" for name in ("sys_vendor", "product_name")
    ).lower()
    known = {**_BY_DMI, **_ONLY_WITH_FLAG} if flagged else _BY_DMI
    for word, kind in known.items():
        if re.search(rf"\b{word}\b", words):
            return kind
    compatible = source.text("proc/device-tree/hypervisor/compatible")
    return None if compatible is None else compatible.partition("\0")[0].rpartition(",")[2]


def _container(source: SystemFiles) -> str | None:
    groups = source.text("proc/1/cgroup") or ""
    signs = [
        source.text("run/systemd/container"),
        *(kind for path, kind in _CONTAINER_FILES.items() if source.exists(path)),
        *(word for word in _CGROUP_WORDS if word in groups),
    ]
    unknown = "there is no sign of one, which is no proof"
    return next(filter(None, signs), None) or source.unknown("container", unknown)


def _cpu_quota(source: SystemFiles) -> float | None:
    """CPU time that the control groups of this process allow in each second, in seconds.

    The smallest limit of the group and of those above it holds: `cpu.max` of version 2, and
    `cpu.cfs_quota_us` of version 1 (Linux, Documentation/admin-guide/cgroup-v2.rst, "CPU Interface
    Files", and Documentation/scheduler/sched-bwc.rst).
    """
    quotas: list[float] = []
    for folder in _group_folders(source):
        words = (source.text(f"{folder}/cpu.max") or "").split() or [
            source.text(f"{folder}/cpu.cfs_quota_us") or "",
            source.text(f"{folder}/cpu.cfs_period_us") or "",
        ]
        # "max" of version 2 and -1 of version 1 are no limit.
        if len(words) == 2 and all(word.isdecimal() and int(word) > 0 for word in words):
            quotas.append(int(words[0]) / int(words[1]))
    return min(quotas, default=None) or source.unknown(
        "cpu_quota", "no control group that can be seen limits the CPU time"
    )


def _group_folders(source: SystemFiles) -> Iterator[str]:
    """Folders of the control groups that govern the CPU time, each with all folders above it.

    A path that leads outside (`/../other`) belongs to a group that a container cannot see; the
    folder that is mounted then stands for the container's own group.
    """
    for line in (source.text("proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        group = PurePosixPath("/") if ".." in path else PurePosixPath(path or "/")
        for mounted in {controllers, "cpu"} if controllers else {"", "unified"}:
            for above in (group, *group.parents):
                yield str(PurePosixPath("sys/fs/cgroup", mounted, *above.parts[1:]))
