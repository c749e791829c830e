# SPDX-License-Identifier: Apache-2.0
"""Runs nextpnr for one seed in a separate process and reads its report.

The packages of YoWASP see files by paths relative to the working folder only.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.place.device import Device
from joulemark.hardware.tools.wasm_tools import WasmTool, start_words
from joulemark.processes.tool import ToolRuns

__all__ = [
    "EFFORT_CPU_S",
    "METHODS",
    "CriticalPath",
    "Placement",
    "nextpnr_version",
    "place",
    "run_to_end",
    "tool_of",
]

METHODS: Final[Mapping[str, str]] = MappingProxyType({"heap": "router1", "static": "router2"})
"""Placers of nextpnr, each with its router, in the order in which they are tried. The first are its
own choice, and reach the higher clocks. Where adders crowd, router1 rips up and routes again arc by
arc for hours; placed by static and with a router that lets arcs share a wire and makes sharing
dearer, such a design takes minutes."""

EFFORT_CPU_S = 1800
"""CPU time after which a method is given up: about twice what our largest core that the first
routes takes. It is CPU time, so that what a seed gives does not depend on what else the machine
does; a method that the limit ends might have found a way on a quicker CPU."""

Starter = Callable[[list[str], Path, Path], int | None]
"""Runs arguments in a folder with output to a file; returns the exit code, None where the effort
ran out."""
_LIMITED = """\
import os, resource, sys
limit_s = int(sys.argv[1])
_, hard = resource.getrlimit(resource.RLIMIT_CPU)
if hard != resource.RLIM_INFINITY:
    limit_s = min(limit_s, hard)
resource.setrlimit(resource.RLIMIT_CPU, (limit_s, hard))
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""Gives itself CPU time and becomes the program of its arguments, which the kernel ends with
SIGXCPU when it has used that up."""


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The path that limits the clock."""

    start: str
    end: str
    logic_s: float
    routing_s: float
    nets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """What one seed gave."""

    seed: int
    fmax_hz: float | None
    """None where no path goes from a register to a register."""
    critical: CriticalPath | None
    placer: str
    """The one of METHODS that found a way."""
    instead_of: str | None = None
    """The one that was to be taken and ran out of its effort; None where it is `placer` itself."""


@cache
def nextpnr_version(device: Device) -> str:
    """Version of the package that brings nextpnr for this device.

    Raises:
        UnavailableError: it is not installed.
    """
    if find_spec(device.package.replace("-", "_")) is None:
        raise UnavailableError(
            f"no nextpnr for {device.name} here: pip install {device.package} (or make core-tools)"
        )
    return version(device.package)


def tool_of(device: Device) -> WasmTool:
    """The nextpnr of this device."""
    return WasmTool(f"nextpnr for {device.name}", device.package, device.function)


def place(
    netlist: str, device: Device, seed: int, folder: Path, start: Starter,
    placers: Sequence[str] = tuple(METHODS),
) -> Placement:  # fmt: skip
    """Places and routes `folder/netlist`; the log and the report stay beside it.

    Args:
        netlist: file of Yosys.
        device: the FPGA.
        seed: starting point of the placer.
        folder: where everything lies.
        start: runs nextpnr.
        placers: of METHODS, each tried where the one before it finds no way in EFFORT_CPU_S.

    Raises:
        UnavailableError: nextpnr is not installed.
        ImplementationError: it could not place or route the design.
    """
    nextpnr_version(device)
    report = folder / f"seed{seed}.json"
    words = start_words(tool_of(device))
    for placer in placers:
        log = folder / f"seed{seed}_{placer}.log"
        code = start(
            [
                *words, *device.arguments, "--json", netlist,
                "--report", report.name, "--freq", f"{device.target_hz / 1e6:g}",
                "--seed", str(seed), "--placer", placer, "--router", METHODS[placer],
                "--timing-allow-fail",
            ],
            folder,
            log,
        )  # fmt: skip
        if code == 0 and report.exists():
            instead_of = placers[0] if placer != placers[0] else None
            return _read(seed, placer, instead_of, json.loads(report.read_text("utf-8")))
        if code is not None:
            raise _refused(f"nextpnr could not place it on {device.title}", code, log)
    raise ImplementationError(
        f"nextpnr found no way to route it on {device.title} in {EFFORT_CPU_S / 60:g} min of CPU "
        f"time (placer {', then '.join(placers)}); try another seed, another placer or a smaller "
        "configuration"
    )


def run_to_end(
    arguments: list[str], folder: Path, log: Path, runs: ToolRuns | None = None
) -> int | None:
    """Starts a process and waits for it; None where it had used up EFFORT_CPU_S."""
    limited = [sys.executable, "-I", "-c", _LIMITED, str(EFFORT_CPU_S), *arguments]
    with log.open("w", encoding="utf-8") as output:
        code = (runs or ToolRuns()).run(limited, folder=folder, output=output)
    return None if code == -signal.SIGXCPU else code


def _refused(what: str, code: int, log: Path) -> ImplementationError:
    """The error with the program's own words, or with its log where it has none."""
    said = [line for line in log.read_text("utf-8", "replace").splitlines() if "ERROR" in line]
    if said:
        return ImplementationError(f"{what}: {said[0].strip()}")
    return ImplementationError(f"{what}: it ended with code {code}", log)


def _read(seed: int, placer: str, instead_of: str | None, report: dict[str, Any]) -> Placement:
    clocks = [float(clock["achieved"]) * 1e6 for clock in report.get("fmax", {}).values()]
    paths = [path for path in report.get("critical_paths", []) if path["from"] == path["to"]]
    critical = _critical(paths[0]) if paths else None
    return Placement(seed, min(clocks, default=None), critical, placer, instead_of)


def _critical(found: dict[str, Any]) -> CriticalPath:
    steps = found["path"]
    routing_ns = sum(float(step["delay"]) for step in steps if step["type"] == "routing")
    total_ns = sum(float(step["delay"]) for step in steps)
    return CriticalPath(
        start=str(steps[0]["from"]["cell"]),
        end=str(steps[-1]["to"]["cell"]),
        logic_s=(total_ns - routing_ns) * 1e-9,
        routing_s=routing_ns * 1e-9,
        nets=tuple(str(step["net"]) for step in steps if step["type"] == "routing"),
    )
