# SPDX-License-Identifier: Apache-2.0
"""Facts of a machine that figures depend on, records of equal machines, and advice for the user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from joulemark.records import Record

MACHINE_DIGEST: Final = "machine_digest"
NAMING_KEYS: Final = (MACHINE_DIGEST, "machine_name")
"""Fields that say which machine it is, and nothing about its kind."""

MACHINE_KEYS = (
    "architecture",
    "cpu_vendor",
    "cpu_model",
    "cpu_family",
    "cpu_model_number",
    "cpu_stepping",
    "microcode",
    "logical_cpus",
    "smt_active",
    "governor",
    "turbo",
    "virtualised",
    "kernel_release",
    MACHINE_DIGEST,
)
"""Facts about the machine that must agree (`may_agree`) for times to be comparable."""

IDENTITY_KEYS = (*MACHINE_KEYS, "python_version", "joulemark_version")
"""Facts that must agree for two runs to be comparable, or for one to go on with another."""


Fact: TypeAlias = str | int | float | list[str] | dict[str, int] | dict[str, str] | None
"""The value of a field of `Environment`; truths are whole numbers to the type."""


@dataclass(frozen=True, slots=True)
class Environment(Record):
    """All known facts of the machine; None is unknown, never zero or no."""

    architecture: str | None
    cpu_vendor: str | None
    """Name that the CPU states: `GenuineIntel`, or on Arm the implementer's code, `0x41`."""
    cpu_model: str | None
    cpu_family: int | None
    cpu_model_number: int | None
    """On Arm the part number."""
    cpu_stepping: int | None
    """On Arm 16 times the variant plus the revision."""
    microcode: str | None
    hybrid: bool | None
    """Whether its cores are of different kinds, so that figures depend on a thread's CPU."""
    core_kinds: dict[str, str] | None
    """Kind of core of a hybrid (`P-core`, `E-core`) -> its CPUs, as in `0-7`; the fastest first."""
    physical_cores: int | None
    logical_cpus: int | None
    smt_active: bool | None
    """Whether some core runs two threads at once."""
    cpu_features: list[str] | None
    """Features that our kernels can use, in Linux's spelling and in alphabetical order."""
    caches_bytes: dict[str, int] | None
    """Cache of CPU 0 (`L1d`, `L1i`, `L2`, `L3` and so on) -> its size."""
    tsc_hz: int | None
    """Frequency that Linux publishes for the time-stamp counter; the harness measures it too."""
    constant_tsc: bool | None
    nonstop_tsc: bool | None

    frequency_driver: str | None
    governor: str | None
    """The governor of every CPU; where they differ, all of them, joined by `+`."""
    energy_preference: str | None
    frequency_min_hz: int | None
    frequency_max_hz: int | None
    """Highest frequency of the hardware, turbo included."""
    frequency_limit_low_hz: int | None
    """Lowest frequency that the governor may choose at present."""
    frequency_limit_high_hz: int | None
    turbo: bool | None

    kernel_release: str | None
    os_name: str | None
    address_randomisation: int | None
    """0 off, 1 without the heap, 2 full."""
    perf_event_paranoid: int | None
    mitigations: dict[str, str] | None
    """Weakness of this CPU -> Linux's measure against it. Some measures slow system calls and
    switches between processes."""
    clock_source: str | None
    memory_bytes: int | None

    virtualised: bool | None
    hypervisor: str | None
    container: str | None
    """Kind of the container, if there is a sign of one; None does not prove that there is none."""
    cpu_quota: float | None
    """CPUs whose whole time the process may use, by the limits of its control groups (cgroups);
    None where no limit is seen."""

    machine_digest: str | None
    """Sixteen hexadecimal digits that tell this machine from its equals: a keyed hash of the number
    that systemd gave the installation (machine-id(5)), or of `machine_name` where there is none."""
    machine_name: str | None
    """Name that somebody gave the machine (`fleet worker --machine`, `JOULEMARK_MACHINE`)."""

    c_library: str | None
    python_version: str | None
    python_implementation: str | None
    numpy_version: str | None
    scipy_version: str | None
    joulemark_version: str | None
    usable_cpus: int | None
    """CPUs that this process may run on."""

    reasons: dict[str, str]
    """Field that is None -> the reason."""

    def identity(self) -> dict[str, Fact]:
        """The facts of `IDENTITY_KEYS` alone."""
        return {key: getattr(self, key) for key in IDENTITY_KEYS}


def may_agree(key: str, one: Any, other: Any) -> bool:
    """Whether two values of a fact may be of one machine.

    An unknown value agrees with unknown values alone. But an unknown digest agrees with every
    digest, since older runs and containers have none.
    """
    return bool(one == other) or (key == MACHINE_DIGEST and None in (one, other))


def may_be_one(one: Mapping[str, Any], other: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Whether two records may be of one machine, by these keys; a missing value is unknown."""
    return all(may_agree(key, one.get(key), other.get(key)) for key in keys)


# Records of equal machines, told apart where a digest tells them apart.
#
# Runs of older versions, and of containers, have no digest. They count with the other runs of the
# same facts if all of these are of one machine; if these are of several, the machine is not known.

_FACTS_OF_ALL: Final = tuple(key for key in MACHINE_KEYS if key != MACHINE_DIGEST)


def facts_and_digest(environment: Mapping[str, Any]) -> tuple[str, str | None]:
    """Facts of a machine, as JSON, and the digest that tells it from its equals, if any.

    Args:
        environment: fields of `Environment`; any field may be missing.
    """
    known = {key: environment.get(key) for key in _FACTS_OF_ALL}
    return json.dumps(known, sort_keys=True, default=str), environment.get(MACHINE_DIGEST)


def told_apart(records: Iterable[tuple[str, str | None]]) -> list[str]:
    """A text for each record, which is equal for records of one machine alone.

    The text is that of the facts; it ends with the digest where several machines have these facts.

    Args:
        records: facts and digest of each, as `facts_and_digest` returns them.
    """
    pairs = list(records)
    digests: dict[str, set[str]] = {}
    for facts, digest in pairs:
        if digest is not None:
            digests.setdefault(facts, set()).add(digest)
    return [
        f"{facts} {digest}" if digest is not None and len(digests[facts]) > 1 else facts
        for facts, digest in pairs
    ]


# Advice that makes this machine a steadier instrument, each with the command that does it.

_CPU_FILES = "/sys/devices/system/cpu"
_INTEL_DRIVERS = {"intel_pstate", "intel_cpufreq"}


def advice(environment: Environment) -> list[str]:
    """Sentences for the user, most useful first; empty where nothing is known to disturb.

    An unknown fact gives no advice: where a virtual machine shows no governor, the advice is about
    the virtual machine, not about a governor.
    """
    return list(_sentences(environment))


def limit_of_cpu_time(environment: Environment) -> str | None:
    """A sentence on the limit of this process's control groups; None where there is no limit."""
    if environment.cpu_quota is None:
        return None
    return (
        f"A CPU quota gives this process the time of {environment.cpu_quota:.3g} CPUs; its control "
        "group (cgroup) sets it. Once that time is used up, Linux stops the process until the next "
        "period, often for tens of milliseconds: long samples, rates and watts are those of the "
        "quota. Measure in a group without a quota; 'docker run' sets none by itself."
    )


def _sentences(environment: Environment) -> Iterator[str]:
    if environment.virtualised:
        kind = f" ({environment.hypervisor})" if environment.hypervisor else ""
        yield (
            f"This is a virtual machine{kind}: other guests share its cores and its clock may be "
            "changed from outside. Compare implementations within one run only, and measure on "
            "real hardware for absolute figures; 'systemd-detect-virt' tells which you are on."
        )
    if limit := limit_of_cpu_time(environment):
        yield limit
    if environment.governor is not None and environment.governor != "performance":
        yield (
            f"The frequency governor is '{environment.governor}', so the clock follows the load. "
            f"Fix it with: echo performance | sudo tee {_CPU_FILES}/cpu*/cpufreq/scaling_governor"
        )
    if environment.turbo:
        switch = (
            f"echo 1 | sudo tee {_CPU_FILES}/intel_pstate/no_turbo"
            if environment.frequency_driver in _INTEL_DRIVERS
            else f"echo 0 | sudo tee {_CPU_FILES}/cpufreq/boost"
        )
        yield (
            "Turbo is on, so the clock depends on temperature and on the other cores. "
            f"Switch it off with: {switch}"
        )
    if environment.smt_active:
        yield (
            "Two threads share each core (SMT), so work on one slows the other. "
            f"Switch it off with: echo off | sudo tee {_CPU_FILES}/smt/control"
        )
    if environment.hybrid:
        kinds = environment.core_kinds or {}
        named = " and ".join(f"{kind}s (CPU {cpus})" for kind, cpus in kinds.items())
        yield (
            f"This machine has {named or 'cores of different kinds'}; figures are those of the "
            "kind that was measured. Name a CPU of another kind with --cpu"
        )
    if environment.architecture == "x86_64" and environment.constant_tsc is False:
        yield (
            "The time-stamp counter of this processor changes speed with the clock, so ticks are "
            "not time. See what the kernel trusts with: "
            "cat /sys/devices/system/clocksource/clocksource0/current_clocksource"
        )
