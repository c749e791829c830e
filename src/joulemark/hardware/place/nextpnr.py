# SPDX-License-Identifier: Apache-2.0
"""Runs nextpnr for one seed in a separate process and reads its report.

The packages of YoWASP see files only by paths relative to the working folder.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from joulemark.errors import ImplementationError
from joulemark.hardware.place.device import Device
from joulemark.hardware.tools.wasm_tools import WasmTool, start_words
from joulemark.processes.tool import ToolRuns

__all__ = ["EFFORT_CPU_S", "METHODS", "Placement", "place", "run_to_end", "tool_of"]

METHODS: Final[Mapping[str, str]] = MappingProxyType({"heap": "router1", "static": "router2"})
"""Placers of nextpnr, each with its router, in the order in which they are tried. The first pair is
nextpnr's default and reaches the higher clocks. Where adders crowd, router1 rips up and routes arc
by arc for hours; placed by static, with a router that lets arcs share a wire and makes sharing
dearer, such a design takes minutes."""

EFFORT_CPU_S = 1800
"""CPU time after which a method is given up: about twice the time of the largest of our cores that
the first method routes. As CPU time, it does not depend on other work of the machine; a method that
the limit ends might have found a way on a quicker CPU."""

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
"""Limits its CPU time and becomes the program of its arguments, which the kernel ends with SIGXCPU
when that time is used up."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The result of one seed."""

    seed: int
    fmax_hz: float | None
    """Highest clock; None if no path goes from a register to a register."""
    placer: str
    """The placer of METHODS that found a way."""
    instead_of: str | None = None
    """The placer of first choice, if it ran out of its effort; else None."""


def tool_of(device: Device) -> WasmTool:
    """The nextpnr of this device."""
    return WasmTool(f"nextpnr for {device.name}", device.package, device.function)


def place(
    netlist: str, device: Device, seed: int, folder: Path, start: Starter,
    placers: Sequence[str] = tuple(METHODS),
) -> Placement:  # fmt: skip
    """Places and routes `folder/netlist`; the log and the report stay beside it.

    Args:
        netlist: name of the netlist's file, from Yosys.
        device: the FPGA.
        seed: starting point of the placer.
        folder: folder of all files.
        start: runs nextpnr.
        placers: placers of METHODS, tried in order until a placer finds a way in EFFORT_CPU_S.

    Raises:
        UnavailableError: nextpnr is not installed.
        ImplementationError: nextpnr could not place or route the design.
    """
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
            clocks = json.loads(report.read_text("utf-8")).get("fmax", {}).values()
            reached_hz = (float(clock["achieved"]) * 1e6 for clock in clocks)
            return Placement(seed, min(reached_hz, default=None), placer, instead_of)
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
    """Runs a process to its end; returns its exit code, or None if it used up EFFORT_CPU_S."""
    limited = [sys.executable, "-I", "-c", _LIMITED, str(EFFORT_CPU_S), *arguments]
    with log.open("w", encoding="utf-8") as output:
        code = (runs or ToolRuns()).run(limited, folder=folder, output=output)
    return None if code == -signal.SIGXCPU else code


def _refused(what: str, code: int, log: Path) -> ImplementationError:
    """The error with the program's first message, or with its log if there is none."""
    errors = [line for line in log.read_text("utf-8", "replace").splitlines() if "ERROR" in line]
    if errors:
        return ImplementationError(f"{what}: {errors[0].strip()}")
    return ImplementationError(f"{what}: it ended with code {code}", log)
