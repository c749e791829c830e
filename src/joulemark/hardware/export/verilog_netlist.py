# SPDX-License-Identifier: Apache-2.0
"""Writes the netlist as structural Verilog of library cells, in a subset that all tools read.

The subset of IEEE 1364: one module, ports declared apart from its list, one scalar wire for each
net, pins by name.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names, verilog_name


def verilog_lines(circuit: Circuit, names: Names) -> Iterator[str]:
    """The file, a line at a time."""
    netlist = circuit.netlist
    ports = [*netlist.inputs, *netlist.outputs]
    yield f"// {circuit.core.name}, mapped onto {netlist.library.name} and buffered."
    if netlist.mapping:
        yield f"// Mapping: {netlist.mapping}."
    yield "// testbench.v simulates it with cells.v. With other models of the cells use delays.sdf:"
    yield "// without delays, a latch may let in changes that the edge which closes it sets off."
    yield f"module {verilog_name(netlist.top)} ({', '.join(map(verilog_name, ports))});"
    for direction, of_direction in (("input", netlist.inputs), ("output", netlist.outputs)):
        for name in of_direction:
            ends = names.range_of(name)
            width = "" if ends is None else f"[{ends[0]}:{ends[1]}] "
            yield f"  {direction} {width}{verilog_name(name)};"
    for name in names.wires:
        yield f"  wire {name};"
    for bit, net in names.aliases:
        yield f"  assign {bit.verilog()} = {_value(names, net)};"
    for index, instance in enumerate(netlist.instances):
        pins = [(pin, _value(names, net)) for pin, net in instance.pins.items()]
        # The gate-level run holds an input that nothing is connected to at 0.
        pins += [
            (pin.name, "1'b0") for pin in instance.cell.inputs() if pin.name not in instance.pins
        ]
        connected = ", ".join(f".{verilog_name(pin)}({value})" for pin, value in pins)
        yield f"  {verilog_name(instance.cell.name)} {names.instance(index)} ({connected});"
    yield "endmodule"


def _value(names: Names, net: int) -> str:
    constant = names.constant(net)
    return names.net(net).verilog() if constant is None else f"1'b{constant}"
