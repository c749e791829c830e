# SPDX-License-Identifier: Apache-2.0
"""Turns a core's sources into a netlist of cells, by scripts of Yosys.

Here Yosys runs, which the package pyosys brings, and its netlists of library cells are read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NotRequired, TypedDict

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.liberty.library import (
    CellLibrary,
    ClockGate,
    FlipFlop,
    Latch,
    LibraryCell,
    Pin,
)
from joulemark.hardware.manifest import Core
from joulemark.processes.tool import run_tool

# Yosys runs in a separate process, because it keeps its design and its log for the whole process
# and ends the process on an error.

_TIMEOUT_S = 3600.0
_CHILD = """\
import sys
from pyosys import libyosys
design = libyosys.Design()
for line in open(sys.argv[1], encoding="utf-8"):
    libyosys.run_pass(line.rstrip("\\n"), design)
"""


def run_yosys(commands: Sequence[str], folder: Path, *, name: str = "synthesis") -> None:
    """Runs these commands in order, with `folder` as the working folder.

    The script stays there as `<name>.ys`, the log as `<name>.log`.
    """
    yosys_version()
    folder.mkdir(parents=True, exist_ok=True)
    script, log = folder / f"{name}.ys", folder / f"{name}.log"
    script.write_text("".join(f"{command}\n" for command in commands), "utf-8")
    with log.open("w", encoding="utf-8") as output:
        try:
            code = run_tool(
                [sys.executable, "-c", _CHILD, str(script.resolve())],
                folder=folder,
                output=output,
                timeout_s=_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            raise ImplementationError(f"Yosys took longer than {_TIMEOUT_S:g} s", log) from None
    if code != 0:
        text = log.read_text("utf-8", "replace")
        errors = [line.strip() for line in text.splitlines() if "error:" in line.lower()]
        why = errors[0] if errors else f"it ended with code {code}"
        raise ImplementationError(f"Yosys refused the design: {why}", log)


def read_command(core: Core, parameters: Mapping[str, int], *, extra: Sequence[str] = ()) -> str:
    """The command that reads a core's sources with these parameters of its top module.

    `SYNTHESIS` is defined, which drops assertions that only simulators understand, and `#` delays
    are ignored, as in every simulation of a core here.
    """
    more = (*(f"-G {name}={value}" for name, value in parameters.items()), *extra)
    folders = [core.folder / include_folder for include_folder in core.include_folders]
    return read_sources(core.verilog_paths(), folders, core.top, extra=more)


def read_sources(
    sources: Sequence[Path], folders: Sequence[Path], top: str | None, *, extra: Sequence[str] = ()
) -> str:
    """The same for files without a manifest; None for every module that no other one uses."""
    words = [
        "read_slang",
        "-D",
        "SYNTHESIS",
        "--ignore-timing",
        *(() if top is None else ("--top", top)),
        *(f"-I {quoted(folder)}" for folder in folders),
        *extra,
        *map(quoted, sources),
    ]
    return " ".join(words)


class YosysPort(TypedDict):
    """A port in the JSON of Yosys. Bits are numbers of nets, or "0", "1", "x" and "z"."""

    direction: str
    bits: list[int | str]
    offset: NotRequired[int]
    upto: NotRequired[int]


class YosysCell(TypedDict):
    """A cell in the JSON of Yosys."""

    type: str
    parameters: dict[str, str]
    attributes: dict[str, str]
    connections: dict[str, list[int | str]]


class YosysNet(TypedDict):
    """A named net in the JSON of Yosys."""

    hide_name: int
    bits: list[int | str]
    attributes: dict[str, str]


class YosysModule(TypedDict):
    """A module in the JSON of Yosys."""

    ports: dict[str, YosysPort]
    cells: dict[str, YosysCell]
    netnames: dict[str, YosysNet]
    memories: NotRequired[dict[str, dict[str, int]]]


def modules_of(netlist: Path) -> dict[str, YosysModule]:
    """The modules of a netlist that Yosys wrote as JSON, by name."""
    modules: dict[str, YosysModule] = json.loads(netlist.read_text("utf-8"))["modules"]
    return modules


def quoted(path: Path) -> str:
    """A path as one word of a Yosys command."""
    return f'"{path}"' if " " in str(path) else str(path)


@lru_cache(maxsize=1)
def yosys_version() -> str:
    """Version of the package that brings Yosys."""
    if find_spec("pyosys") is None:
        raise UnavailableError("no Yosys here: pip install pyosys (or make core-tools)")
    return version("pyosys")


# A netlist of library cells, as read from the JSON that Yosys writes.

_LOW, _HIGH = 0, 1
"""Nets of the constants."""


@dataclass(slots=True)
class Instance:
    """One cell of the netlist."""

    name: str
    cell: LibraryCell
    pins: dict[str, int]
    """Net by pin; unconnected pins are absent."""
    module: str
    """Hierarchical name of the module instance that it came from; empty for the top."""

    def inputs(self) -> list[tuple[Pin, int]]:
        """Connected input pins, each with its net."""
        return [(pin, self.pins[pin.name]) for pin in self.cell.inputs() if pin.name in self.pins]

    def outputs(self) -> list[tuple[Pin, int]]:
        """Connected output pins, each with its net."""
        return [(pin, self.pins[pin.name]) for pin in self.cell.outputs() if pin.name in self.pins]


@dataclass(slots=True)
class Netlist:
    """A flat circuit. Nets are numbers."""

    top: str
    library: CellLibrary
    instances: list[Instance]
    inputs: dict[str, list[int]]
    """Nets of every input port, least significant bit first."""
    outputs: dict[str, list[int]]
    constants: dict[int, int] = field(default_factory=dict)
    """Nets that stand at 0 or 1 without a cell."""
    names: dict[int, str] = field(default_factory=dict)
    net_count: int = 0
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Index of the most and of the least significant bit, for each port of the source that does not
    simply end at 0."""
    mapping: str = ""
    """Words that tell this mapping from others."""

    def drivers(self) -> dict[int, tuple[int, str]]:
        """Index of the cell, and name of its pin, that drive each net."""
        return {
            net: (index, pin.name)
            for index, instance in enumerate(self.instances)
            for pin, net in instance.outputs()
        }

    def sinks(self) -> dict[int, list[tuple[Instance, str]]]:
        """The cells and input pins on each net."""
        by_net: dict[int, list[tuple[Instance, str]]] = {}
        for instance in self.instances:
            for pin, net in instance.inputs():
                by_net.setdefault(net, []).append((instance, pin.name))
        return by_net

    def areas_um2(self) -> Mapping[str, float]:
        """Area by kind: flip-flop, latch, clock_gate, logic."""
        areas = {"flip_flop": 0.0, "latch": 0.0, "clock_gate": 0.0, "logic": 0.0}
        for instance in self.instances:
            areas[kind_of(instance.cell)] += instance.cell.area_um2
        return areas

    @property
    def area_um2(self) -> float:
        """Area of all cells."""
        return sum(instance.cell.area_um2 for instance in self.instances)

    def port_bits(self) -> Iterator[tuple[str, int, int]]:
        """Name, bit and net of every input."""
        for name, nets in self.inputs.items():
            for bit, net in enumerate(nets):
                yield name, bit, net


def kind_of(cell: LibraryCell) -> str:
    """The kind of a cell in the table of areas."""
    match cell.storage:
        case FlipFlop():
            return "flip_flop"
        case Latch():
            return "latch"
        case ClockGate():
            return "clock_gate"
        case None:
            return "logic"


def read_netlist(path: Path, top: str, library: CellLibrary) -> Netlist:
    """The flat module `top` of a JSON file of Yosys, whose own nets begin at 2."""
    module = modules_of(path)[top]
    instances = []
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if kind == "$scopeinfo":
            continue
        library_cell = library.cells.get(kind)
        if library_cell is None:
            raise ImplementationError(
                f"{top}: cell {name} is a {kind}, which the library {library.name} has nothing for"
            )
        pins = {pin: _net(bits[0]) for pin, bits in cell["connections"].items() if bits}
        instances.append(
            Instance(name, library_cell, pins, _module_of(name, cell.get("attributes", {})))
        )
    ports: dict[str, dict[str, list[int]]] = {"input": {}, "output": {}}
    ranges = {}
    for name, port in module["ports"].items():
        if port["direction"] not in ports:
            raise ImplementationError(f"{top}: port {name} is bidirectional")
        ports[port["direction"]][name] = [_net(bit) for bit in port["bits"]]
        if "offset" in port or "upto" in port:
            ranges[name] = _range(port)
    names = _names(module["netnames"])
    used = [net for instance in instances for net in instance.pins.values()]
    used += [net for bits in (*ports["input"].values(), *ports["output"].values()) for net in bits]
    return Netlist(
        top,
        library,
        instances,
        ports["input"],
        ports["output"],
        {_LOW: 0, _HIGH: 1},
        names,
        max([_HIGH, *used, *names]) + 1,
        ranges,
    )


def _range(port: YosysPort) -> tuple[int, int]:
    """Most and least significant index. Yosys gives the lowest, and whether it is the left end."""
    lowest = port.get("offset", 0)
    highest = lowest + len(port["bits"]) - 1
    return (lowest, highest) if port.get("upto") else (highest, lowest)


def _net(bit: int | str) -> int:
    """Number of a net; unknown bits stand at 0."""
    return bit if isinstance(bit, int) else _HIGH if bit == "1" else _LOW


def _names(netnames: Mapping[str, YosysNet]) -> dict[int, str]:
    """A name for each net: the source's own where there is one."""
    names: dict[int, str] = {}
    for name, net in netnames.items():
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in names or not net["hide_name"]):
                names[bit] = f"{name}[{index}]" if len(net["bits"]) > 1 else name
    return names


def _module_of(name: str, attributes: Mapping[str, str]) -> str:
    """Hierarchical name of the module instance that a flattened cell came from."""
    scope = attributes.get("scopename")
    if scope:
        return scope.replace(" ", ".")
    plain = name.removeprefix("$flatten").replace("\\", "")
    if "$" in plain:
        return plain.split("$", 1)[0].rstrip(".")
    return plain.rpartition(".")[0]
