# SPDX-License-Identifier: Apache-2.0
"""Facts that figures depend on and samples do not show: processor, frequency, kernel, versions.

`capture()` reads these facts, `advice()` says how to make figures steadier. No fact names the
machine (unless its owner gave it a name for that), its owner, or a place in its file system, so
that a result can be published as it is.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import re
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any, Final

from joulemark import __version__
from joulemark.environment.cpu import SystemFiles, cpuinfo, read_cpu, read_frequency
from joulemark.environment.facts import Environment, Fact
from joulemark.errors import UsageError

# The kernel, and those of its settings that bear on a measurement.


def read_kernel(source: SystemFiles) -> dict[str, Fact]:
    """Facts about the kernel, by field of `Environment`."""
    facts = {name: source.fact(name, *files, parse=parse) for name, files, parse in _FACTS}
    return {**facts, "mitigations": _mitigations(source)}


def _mitigations(source: SystemFiles) -> dict[str, str] | None:
    """Weakness -> the kernel's words on it, without the weaknesses that this CPU does not have.

    References:
        Linux: Documentation/ABI/testing/sysfs-devices-system-cpu, `vulnerabilities`.
    """
    paths = list(source.folders("sys/devices/system/cpu/vulnerabilities/*"))
    if not paths:
        return source.unknown("mitigations", "the kernel lists no weaknesses of this CPU here")
    texts = {path.rpartition("/")[2]: source.text(path) for path in paths}
    return {name: text for name, text in texts.items() if text and text != "Not affected"}


def _pretty_name(text: str) -> str:
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME" and value.strip("\"'"):
            return value.strip("\"'")
    raise ValueError("no PRETTY_NAME")


def _memory(text: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "MemTotal":
            number, unit = value.split()
            if unit == "kB":
                return int(number) * 1024
    raise ValueError("no MemTotal")


_FACTS: tuple[tuple[str, tuple[str, ...], Callable[[str], str | int]], ...] = (
    ("kernel_release", ("proc/sys/kernel/osrelease",), str),
    ("os_name", ("etc/os-release", "usr/lib/os-release"), _pretty_name),
    ("address_randomisation", ("proc/sys/kernel/randomize_va_space",), int),
    ("perf_event_paranoid", ("proc/sys/kernel/perf_event_paranoid",), int),
    ("clock_source", ("sys/devices/system/clocksource/clocksource0/current_clocksource",), str),
    ("memory_bytes", ("proc/meminfo",), _memory),
)
"""Field of `Environment`, its files in order of preference, and the function that reads a text."""


# Software under this process: C library, Python, the packages that compute the statistics.


def read_software(source: SystemFiles) -> dict[str, Fact]:
    """Facts about this process, by field of `Environment`."""
    return {
        "c_library": _c_library(source),
        "python_version": platform.python_version(),
        "python_implementation": platform.python_implementation(),
        **{f"{name}_version": _package(source, name) for name in ("numpy", "scipy")},
        "joulemark_version": __version__,
        "usable_cpus": len(os.sched_getaffinity(0))
        if source.live
        else source.unknown("usable_cpus", "another machine is described"),
    }


def _c_library(source: SystemFiles) -> str | None:
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        name = None
    return name or source.unknown("c_library", "the C library does not say its version")


def _package(source: SystemFiles, name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return source.unknown(f"{name}_version", f"{name} runs without being installed")


# A digest that tells this machine from equal machines, and from which nobody learns its number.
#
# systemd gives each installation a random number. According to machine-id(5) the number must not be
# exposed, and a program derives an identifier from it with a keyed hash. A container has the number
# of its image, or none, so there the number does not tell machines apart.

MACHINE_VARIABLE: Final = "JOULEMARK_MACHINE"
"""Environment variable with the name that the owner gives this machine."""
_FILE: Final = "etc/machine-id"
_MOUNTS: Final = "proc/self/mountinfo"
_NUMBER: Final = re.compile("[0-9a-f]{32}")
_PURPOSE: Final = b"joulemark machine"
_PURPOSE_OF_NAMES: Final = b"joulemark machine by name"
_DIGITS: Final = 16
_MOST_SIGNS: Final = 64


def read_identity(source: SystemFiles, *, in_container: bool) -> dict[str, Fact]:
    """Facts that tell this machine from its equals, by field of `Environment`."""
    name = _name(source)
    number = _number(source, in_container=in_container)
    digest = None
    if number is not None:
        digest = _digest(bytes.fromhex(number), _PURPOSE)
    elif name is not None:
        digest = _digest(name.encode(), _PURPOSE_OF_NAMES)
        del source.reasons["machine_digest"]
    return {"machine_digest": digest, "machine_name": name}


def checked_name(name: str) -> str:
    """The name, if it can name a machine."""
    if 0 < len(name) <= _MOST_SIGNS and name.isprintable() and name == name.strip():
        return name
    raise UsageError(
        f"the name of a machine has 1 to {_MOST_SIGNS} signs that can be seen, and no space at its "
        "ends"
    )


def _name(source: SystemFiles) -> str | None:
    name = os.environ.get(MACHINE_VARIABLE) if source.live else None
    if not name:
        return source.unknown("machine_name", f"{MACHINE_VARIABLE} gives it none")
    try:
        return checked_name(name)
    except UsageError as error:
        return source.unknown("machine_name", f"{MACHINE_VARIABLE}: {error}")


def _number(source: SystemFiles, *, in_container: bool) -> str | None:
    if in_container:
        return source.unknown("machine_digest", "a container may have the number of its image")
    # Where /etc cannot be written, systemd makes a number for this boot, and mounts it there.
    mounts = (source.text(_MOUNTS) or "").splitlines()
    if any(line.split()[4:5] == [f"/{_FILE}"] for line in mounts):
        return source.unknown("machine_digest", f"/{_FILE} is another one after the next start")

    def check(text: str) -> str:
        if not _NUMBER.fullmatch(text) or not int(text, 16):
            raise ValueError
        return text

    return source.fact("machine_digest", _FILE, parse=check)


def _digest(key: bytes, purpose: bytes) -> str:
    return hmac.new(key, purpose, hashlib.sha256).hexdigest()[:_DIGITS]


# Whether a hypervisor, a container or a limit of CPU time stands between us and the machine.
#
# A hypervisor that follows the convention sets a CPUID bit, which the kernel shows as the flag
# `hypervisor`; on x86 its absence is taken as a no. Other processors have no such bit: there only a
# positive sign decides, and without one the answer is unknown.

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


def read_virtualisation(source: SystemFiles) -> dict[str, Fact]:
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


_GROUPS: Final = "sys/fs/cgroup"


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


def own_groups(source: SystemFiles, controller: str) -> Iterator[PurePosixPath]:
    """Folders of the control groups of this process that may have files of a controller.

    A path that leads outside (`/../other`) belongs to a group that a container cannot see; the
    folder that is mounted then stands for the container's own group.
    """
    for line in (source.text("proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        group = PurePosixPath("/") if ".." in path else PurePosixPath(path or "/")
        for mounted in {controllers, controller} if controllers else {"", "unified"}:
            yield PurePosixPath(_GROUPS, mounted, *group.parts[1:])


def _group_folders(source: SystemFiles) -> Iterator[str]:
    """Folders of the control groups that govern the CPU time, each with all folders above it."""
    for folder in own_groups(source, "cpu"):
        yield from map(str, (folder, *folder.parents[:-3]))


def capture(root: Path = Path("/")) -> Environment:
    """Reads the environment of this machine.

    Args:
        root: the folder of `proc` and `sys`. A folder other than `/` describes another machine, of
            which the facts that only a process on it knows stay unknown.
    """
    source = SystemFiles(root)
    virtualisation = read_virtualisation(source)
    facts: dict[str, Any] = {
        **read_cpu(source),
        **read_frequency(source),
        **read_kernel(source),
        **virtualisation,
        **read_identity(source, in_container=virtualisation["container"] is not None),
        **read_software(source),
    }
    return Environment(**facts, reasons=source.reasons)
