# SPDX-License-Identifier: Apache-2.0
"""A netlist of library cells, as read from the JSON that Yosys writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError
from joulemark.hardware.liberty.library import (
    CellLibrary,
    ClockGate,
    FlipFlop,
    Latch,
    LibraryCell,
    Pin,
)
from joulemark.hardware.synthesis.yosys import modules_of

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


def _range(port: Mapping[str, Any]) -> tuple[int, int]:
    """Most and least significant index. Yosys gives the lowest, and whether it is the left end."""
    lowest = port.get("offset", 0)
    highest = lowest + len(port["bits"]) - 1
    return (lowest, highest) if port.get("upto") else (highest, lowest)


def _net(bit: int | str) -> int:
    """Number of a net; unknown bits stand at 0."""
    return bit if isinstance(bit, int) else _HIGH if bit == "1" else _LOW


def _names(netnames: Mapping[str, Mapping[str, Any]]) -> dict[int, str]:
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
