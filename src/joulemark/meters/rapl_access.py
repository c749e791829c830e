# SPDX-License-Identifier: Apache-2.0
"""Whether RAPL can be read here, and believed: by the rights, the kernel and the processor.

Where RAPL cannot be read, this file has the reason and the exact remedy; where it can, the facts
that bear on the trueness of its figures.
"""

from __future__ import annotations

import grp
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypedDict

from joulemark.meters import Roots, evidence_of, rapl, text_or_none
from joulemark.records.figures import Evidence

_VENDORS: Final = {"GenuineIntel", "AuthenticAMD", "HygonGenuine"}
_CORES_APART: Final = {"AuthenticAMD", "HygonGenuine"}
_NEEDED_PARANOID: Final = 0
_AMD_SINCE: Final = {"rapl": (5, 8), "intel_rapl_msr": (5, 11)}
"""Kernel module -> the first Linux whose module knows AMD processors (hubblo-org/scaphandre#55)."""
_AMD_FIRST_FAMILY: Final = 0x17
_MODELLED: Final = {0x2A, 0x2D, 0x3A, 0x3E}
"""Sandy Bridge and Ivy Bridge, for desktops and servers (arch/x86/include/asm/intel-family.h)."""
HIDDEN: Final = (
    "the zones are listed and their folders are hidden, as containers do it",
    "run outside the container, or start it with: --security-opt systempaths=unconfined",
)
"""Reason and remedy where the zones are listed but their folders are masked."""
_DEVICES: Final = Path("/dev/cpu")
_LONGEST: Final = 9
"""Most digits of a family or a model; a longer number is garbage."""


def no_rapl(roots: Roots, module: str) -> tuple[str, str | None]:
    """Reason and remedy where the kernel shows no RAPL domain at all."""
    facts = _first_cpu(roots)
    if not facts:
        remedy = f"sudo modprobe {module}"
        return "the kernel shows no RAPL domain, and /proc/cpuinfo does not say why", remedy
    if facts.get("vendor_id") not in _VENDORS:
        return "RAPL is part of Intel, AMD and Hygon processors, and this is none of them", None
    if in_virtual_machine(roots):
        return "this is a virtual machine, and its host does not pass RAPL on to it", None
    old = _too_old(roots, module, facts)
    if old is not None:
        return old
    reason = (
        f"the kernel shows no RAPL domain: its module {module} is not loaded, or this processor is"
        " older than RAPL (Intel before 2011, AMD before 2017)"
    )
    return reason, f"sudo modprobe {module}"


def in_virtual_machine(roots: Roots) -> bool:
    """Whether an x86 CPU has the flag of a hypervisor; other processors have no such flag."""
    return "hypervisor" in _first_cpu(roots).get("flags", "").split()


def evidence(roots: Roots) -> Evidence:
    """The evidence of RAPL's figures here.

    In a virtual machine the host answers in place of the registers. QEMU (docs/specs/rapl-msr.rst)
    gives each guest a part of the package's energy by the CPU time of its threads: a model.
    """
    of_tree = evidence_of(roots.sysfs)
    real = of_tree is Evidence.MEASURED
    return Evidence.MODELLED if real and in_virtual_machine(roots) else of_tree


def of_one_core(roots: Roots) -> str | None:
    """Why powercap's `core` zone must not be used here; None where it counts all cores.

    On AMD's processors (and Hygon's) the register counts for the core that reads it, and powercap
    reads it on a CPU of each package that the kernel chooses.
    """
    if _first_cpu(roots).get("vendor_id") not in _CORES_APART:
        return None
    return (
        "on AMD's processors this zone counts one core of the package, and not the measured one; "
        "the meter perf-power counts each core"
    )


def only_root() -> str:
    """The reason why this user may not read the counters."""
    if os.geteuid() == 0:
        return (
            "the energy counters are there and even root may not read them: a container or a"
            " security policy forbids it"
        )
    return (
        "the energy counters are there, and only root may read them: since Linux 5.10, because"
        " energy readings can give away secrets of other programs (CVE-2020-8694)"
    )


def energy_file_remedy() -> str | None:
    """Commands that let the group of this user read the counters now, and a rule for every boot.

    They give the right to a group, not to everybody, because of the reason in `only_root`. In a
    udev rule `%S` is the root of sysfs and `%p` the path of the device (man 7 udev).
    """
    if os.geteuid() == 0:
        return None
    try:
        group = grp.getgrgid(os.getegid()).gr_name
    except KeyError:
        group = str(os.getegid())
    files = "/sys/class/powercap/intel-rapl*/energy_uj"
    rule = (
        'SUBSYSTEM=="powercap", ACTION=="add", KERNEL=="intel-rapl*:*",'
        f' RUN+="/bin/chgrp {group} %S%p/energy_uj", RUN+="/bin/chmod g+r %S%p/energy_uj"'
    )
    return (
        f"sudo chgrp {group} {files} && sudo chmod g+r {files}; to keep it over a reboot:"
        f" echo '{rule}' | sudo tee /etc/udev/rules.d/60-rapl.rules"
    )


def perf_remedy(roots: Roots) -> tuple[str, str | None]:
    """Reason and remedy where the kernel refuses to open an event for a whole CPU.

    `perf_event_paranoid` must be at most 0: from 1 on, events of a CPU rather than of a process
    are for CAP_PERFMON only (Documentation/admin-guide/sysctl/kernel.rst), and RAPL has no events
    of a process. The capability exists since Linux 5.8.
    """
    value = text_or_none(roots.proc / "sys/kernel/perf_event_paranoid") or "unknown"
    allowed = value.removeprefix("-").isdecimal() and int(value) <= _NEEDED_PARANOID
    if allowed or os.geteuid() == 0:
        reason = (
            f"the kernel refuses events of a whole CPU (kernel.perf_event_paranoid is {value}): a"
            " container or a security policy forbids them"
        )
        return reason, None
    reason = (
        f"kernel.perf_event_paranoid is {value}; events of a whole CPU need {_NEEDED_PARANOID} or"
        " less, or the capability CAP_PERFMON"
    )
    interpreter = os.path.realpath(sys.executable)
    remedy = (
        f"sudo sysctl kernel.perf_event_paranoid={_NEEDED_PARANOID}; or for this Python alone:"
        f" sudo setcap cap_perfmon=ep {interpreter}"
    )
    return reason, remedy


class TrustFacts(TypedDict):
    """Facts that bear on the trueness of RAPL's figures; `trust_facts` explains each."""

    energy_filter: bool | str
    sgx: bool | None
    modelled_by_processor: bool | None
    virtual_machine: bool


def trust_facts(roots: Roots) -> TrustFacts:
    """Facts that bear on the trueness of RAPL's figures here, for the record.

    `energy_filter`: see that function. `sgx`: whether the processor's enclaves are in use, with
    which its microcode filters too; None where the kernel does not say. `modelled_by_processor`:
    True where the processor does not measure; None where that is not known, which does not mean
    that it measures. `virtual_machine`: whether a hypervisor answers in place of the processor;
    `evidence` draws the conclusion.
    """
    cpu = _first_cpu(roots)
    modelled = (
        cpu.get("vendor_id") == "GenuineIntel"
        and cpu.get("cpu family") == "6"
        and _number(cpu.get("model")) in _MODELLED
    )
    return {
        "energy_filter": energy_filter(roots),
        "sgx": "sgx" in cpu["flags"].split() if "flags" in cpu else None,
        "modelled_by_processor": True if modelled else None,
        "virtual_machine": in_virtual_machine(roots),
    }


def trust_note(facts: TrustFacts) -> str | None:
    """What these facts mean for each figure, as a note on its domain; None if nothing."""
    notes = []
    if facts["energy_filter"] is True:
        notes.append("the energy filter of this processor is on, which distorts its readings")
    elif facts["sgx"]:
        notes.append("SGX is on, with which Intel's processors may distort their readings")
    if facts["modelled_by_processor"]:
        notes.append("computed by the processor from a model (Intel before Haswell)")
    if facts.get("virtual_machine"):
        notes.append("this is a virtual machine, whose host computes its counters: modelled")
    return rapl.join_notes(*notes)


def energy_filter(roots: Roots, devices: Path = _DEVICES) -> bool | str:
    """Whether the processor adds noise to its energy counters on purpose, or why it is not known.

    Registers are always those of the running machine, so they say nothing about another machine's
    file tree.
    """
    if roots.sysfs != Path("/sys"):
        return "unknown: the file tree is not that of the running machine, whose register tells"
    if _first_cpu(roots).get("vendor_id") != "GenuineIntel":
        return "unknown: the register that tells, IA32_MISC_PACKAGE_CTLS, is part of Intel's only"
    return rapl.filter_of_packages(devices, roots.sysfs)


def _too_old(roots: Roots, module: str, cpu: Mapping[str, str]) -> tuple[str, str] | None:
    """Reason and remedy where the kernel is older than its support of this AMD processor."""
    release = text_or_none(roots.proc / "sys/kernel/osrelease") or ""
    version = re.match(r"([0-9]{1,4})\.([0-9]{1,4})", release)
    since = _AMD_SINCE.get(module)
    family = _number(cpu.get("cpu family"))
    if cpu.get("vendor_id") != "AuthenticAMD" or version is None or since is None:
        return None
    without_rapl = family is not None and family < _AMD_FIRST_FAMILY
    if without_rapl or (int(version[1]), int(version[2])) >= since:
        return None
    needed, perf, powercap = (f"{major}.{minor}" for major, minor in (since, *_AMD_SINCE.values()))
    reason = (
        f"this is Linux {release[:40]}, and the kernel gives out RAPL of AMD processors through"
        f" perf events since Linux {perf} and through powercap since {powercap}"
    )
    return reason, f"install Linux {needed} or later"


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) <= _LONGEST else None


def _first_cpu(roots: Roots) -> dict[str, str]:
    """Fields of the first CPU in /proc/cpuinfo; empty where there is none."""
    fields: dict[str, str] = {}
    # The file is longer than the page that `text_or_none` gives; its first CPU's flags are not.
    for line in (text_or_none(roots.proc / "cpuinfo") or "").splitlines():
        name, colon, value = line.partition(":")
        if not colon and fields:
            break
        fields.setdefault(name.strip(), value.strip())
    return fields
