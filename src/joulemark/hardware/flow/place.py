# SPDX-License-Identifier: Apache-2.0
"""The FPGAs of reports: their cells, their placer, and the frame that a core is placed in."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.flow.packaged_tools import (
    NEXTPNR_ECP5,
    NEXTPNR_ICE40,
    WasmTool,
    start_words,
)
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import modules_of
from joulemark.processes.tool import ToolRuns

# Counts the cells of an FPGA that a netlist occupies.
#
# The netlist is of the core alone, before placement, so that neither pins nor a packer's choices
# are in the figure.


@dataclass(frozen=True, slots=True)
class CellCosts:
    """Resources of each kind of cell of an FPGA family; a kind in no table occupies nothing."""

    luts: Mapping[str, int]
    """Four-input look-up tables that one such cell takes."""
    flip_flops: tuple[str, ...]
    """Beginnings of the names of flip-flop cells."""
    block_rams: tuple[str, ...]
    multipliers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resources:
    """Totals of one netlist."""

    luts: int
    flip_flops: int
    block_rams: int
    multipliers: int
    cells: dict[str, int] = field(default_factory=dict)
    """Number of all cells by kind."""


@dataclass(frozen=True, slots=True)
class Port:
    """One port of the core."""

    name: str
    direction: str
    """input, output or inout."""
    width_bits: int

    @property
    def is_input(self) -> bool:
        """Whether it is an input."""
        return self.direction == "input"


def count(netlist: Path, top: str, costs: CellCosts) -> Resources:
    """Counts the cells of a flat JSON netlist."""
    cells = Counter(cell["type"] for cell in modules_of(netlist)[top]["cells"].values())
    return Resources(
        luts=sum(costs.luts.get(kind, 0) * number for kind, number in cells.items()),
        flip_flops=sum(n for kind, n in cells.items() if kind.startswith(costs.flip_flops)),
        block_rams=sum(cells[kind] for kind in costs.block_rams),
        multipliers=sum(cells[kind] for kind in costs.multipliers),
        cells=dict(sorted(cells.items())),
    )


def ports_of(netlist: Path, top: str) -> list[Port]:
    """The ports of a netlist's top module, in their order."""
    return [
        Port(name, port["direction"], len(port["bits"]))
        for name, port in modules_of(netlist)[top]["ports"].items()
    ]


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
    tool: WasmTool
    """The nextpnr of this device."""
    arguments: tuple[str, ...]
    target_hz: float
    """Clock that placement aims at. A clock far above those reached would not change the result."""


# A carry cell of ECP5 (CCU2C) uses both look-up tables of its slice. A 16 x 4 distributed RAM
# (TRELLIS_DPR16X4) uses the four tables of two slices for its words and keeps the two of a third
# for its write port, as the packer of nextpnr lays it out: six. Wide multiplexers (PFUMX, L6MUX21)
# lie beside the tables and are not counted.
#
# A carry of iCE40 (SB_CARRY) lies beside the look-up table of its logic cell and is not counted;
# the look-up table that makes the sum is another cell, which is counted. A carry without such a
# table takes a logic cell that only the placer's count of logic cells shows.
_DEVICES: Final = (
    Device(
        name="ecp5",
        title="Lattice ECP5 LFE5U-85F, speed grade 6, CABGA381",
        synthesis="synth_ecp5",
        models="+/ecp5/cells_sim.v",
        ram_model=False,
        cells=CellCosts(
            luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
            flip_flops=("TRELLIS_FF",),
            block_rams=("DP16KD", "PDPW16KD"),
            multipliers=("MULT18X18D",),
        ),
        tool=NEXTPNR_ECP5,
        arguments=("--85k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained"),
        target_hz=150e6,
    ),
    Device(
        name="ice40",
        title="Lattice iCE40 HX8K, CT256",
        synthesis="synth_ice40",
        models="+/ice40/cells_sim.v",
        ram_model=True,
        cells=CellCosts(
            luts={"SB_LUT4": 1},
            flip_flops=("SB_DFF",),
            block_rams=("SB_RAM40_4K",),
            multipliers=("SB_MAC16",),
        ),
        tool=NEXTPNR_ICE40,
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


def place(
    netlist: str,
    device: Device,
    seed: int,
    folder: Path,
    start: Starter,
    placers: Sequence[str] = tuple(METHODS),
) -> Placement:
    """Places and routes a netlist of Yosys in a folder; the log and the report stay beside it.

    The placers are tried in order until one finds a way in EFFORT_CPU_S; `start` runs nextpnr.
    """
    report = folder / f"seed{seed}.json"
    words = start_words(device.tool)
    for placer in placers:
        log = folder / f"seed{seed}_{placer}.log"
        options = {
            "--json": netlist,
            "--report": report.name,
            "--freq": f"{device.target_hz / 1e6:g}",
            "--seed": str(seed),
            "--placer": placer,
            "--router": METHODS[placer],
        }
        code = start(
            [*words, *device.arguments, *chain(*options.items()), "--timing-allow-fail"],
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


# The frame of a core is a register on every port, and five pins in all.
#
# A core may have more ports than a device has pins, and the wires to pins would decide its clock.
# So every input comes from a flip-flop of one long shift register, and every output goes straight
# into a flip-flop; those are folded into a second shift register, whose end is a pin, so that
# nothing of the core is left unread. The cells of the frame are not counted as the core's.

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
