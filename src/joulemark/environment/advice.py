# SPDX-License-Identifier: Apache-2.0
"""Advice that makes this machine a steadier instrument, each with the command that does it."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.environment.facts import Environment

_CPU = "/sys/devices/system/cpu"
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
        "A limit of its control group (cgroup) gives this process the time of "
        f"{environment.cpu_quota:.3g} CPUs. Once that is used up, Linux stops it until the next "
        "period, often for tens of milliseconds: long samples, rates and watts are those of the "
        "limit. Measure in a group without it; 'docker run' sets none by itself."
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
            f"Fix it with: echo performance | sudo tee {_CPU}/cpu*/cpufreq/scaling_governor"
        )
    if environment.turbo:
        switch = (
            f"echo 1 | sudo tee {_CPU}/intel_pstate/no_turbo"
            if environment.frequency_driver in _INTEL_DRIVERS
            else f"echo 0 | sudo tee {_CPU}/cpufreq/boost"
        )
        yield (
            "Turbo is on, so the clock depends on temperature and on the other cores. "
            f"Switch it off with: {switch}"
        )
    if environment.smt_active:
        yield (
            "Two threads share each core (SMT), so work on one slows the other. "
            f"Switch it off with: echo off | sudo tee {_CPU}/smt/control"
        )
    if environment.hybrid:
        yield (
            "The cores are of different kinds, so figures depend on where the thread runs. Keep it "
            "on one core with: taskset -c 0 joulemark bench"
        )
    if environment.architecture == "x86_64" and environment.constant_tsc is False:
        yield (
            "The time-stamp counter of this processor changes speed with the clock, so ticks are "
            "not time. See what the kernel trusts with: "
            "cat /sys/devices/system/clocksource/clocksource0/current_clocksource"
        )
