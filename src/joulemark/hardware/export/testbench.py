# SPDX-License-Identifier: Apache-2.0
"""Writes a self-checking test bench for an exported netlist, and models of its cells.

The bench plays the messages of the sources, and compares every output in every clock period. The
models come from the functions of the library, and have a path for each of its arcs, to which
`delays.sdf` gives its delays.

In a run without delays all that a clock edge sets off happens in one moment, in an order of the
simulator's choice. A latch that closes on this edge must not let in the changes that the same edge
sets off. So the models then take data into flip-flops, latches and clock gates 1 ps late, and give
it out of flip-flops and latches 1 ps late.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import verilog_name
from joulemark.hardware.export.sdf import path_sources
from joulemark.hardware.gate.simulate import bench_text, port_bits
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS, STORAGE_DELAY_PS, cell_lines
from joulemark.hardware.liberty.function import inputs_of
from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch, LibraryCell
from joulemark.hardware.timing.clock import clock_pins

_ICARUS = "iverilog -g2009 {options}-s testbench -o {name}.vvp testbench.v netlist.v cells.v"
COMMANDS = {
    "test": f"{_ICARUS.format(options='', name='test')} && vvp -n test.vvp",
    "test_with_delays": (
        f"{_ICARUS.format(options='-gspecify -DSDF ', name='timed')} && vvp -n timed.vvp"
    ),
    "test_in_verilator": (
        "verilator --binary --output-split 0 -CFLAGS -std=gnu++20 -Wno-lint -Wno-style "
        "-Wno-multidriven --top testbench testbench.v netlist.v cells.v && obj_dir/Vtestbench"
    ),
}
"""Commands that play the bench. Verilator reads no SDF and no paths, so it has no run with them; a
netlist of thousands of cells stays in one C++ file, since not every Verilator builds several."""


def testbench_lines(circuit: Circuit) -> Iterator[str]:
    """The bench, a line at a time; it reads `stimulus.hex` and `expected.hex`."""
    netlist, clock = circuit.netlist, circuit.core.clock
    played = {name: nets for name, nets in netlist.inputs.items() if name != clock}
    ports = {clock: "clk"}
    ports |= {name: f"now{bits}" for name, bits in port_bits(played)}
    ports |= {name: f"seen{bits}" for name, bits in port_bits(netlist.outputs)}
    connected = [f".{verilog_name(name)}({value})" for name, value in ports.items()]
    core = [
        f"{verilog_name(netlist.top)} dut (",
        *(f"  {port}," for port in connected[:-1]),
        f"  {connected[-1]}",
        ");",
        "`ifdef SDF",
        'initial $sdf_annotate("delays.sdf", dut);',
        "`endif",
    ]
    yield f"// Plays messages of {circuit.core.name} on netlist.v; manifest.json has the commands."
    # Without power, --clock may be faster than the netlist allows.
    shortest_ps = max(4 * INPUT_DELAY_PS, math.ceil(circuit.period_s * 1e12))
    yield from bench_text(
        netlist,
        clock,
        circuit.recording,
        "testbench",
        core,
        period_ps=max(round(1e12 / circuit.clock_hz), shortest_ps),
        late_ps=INPUT_DELAY_PS,
    ).splitlines()


def cell_model_lines(circuit: Circuit) -> Iterator[str]:
    """Verilog of every cell of the netlist, a line at a time."""
    yield f"// Cells of {circuit.netlist.library.name} as their functions in the library say."
    yield "// Without SDF, data goes into and out of storage late: an edge that closes a latch"
    yield "// must not let in the changes that the same edge sets off, whatever their order."
    yield "`timescale 1ps/1ps"
    yield "`ifdef SDF"
    yield "`define LATE"
    yield "`else"
    yield f"`define LATE #{STORAGE_DELAY_PS}"
    yield "`endif"
    cells = {instance.cell.name: instance.cell for instance in circuit.netlist.instances}
    for _, cell in sorted(cells.items()):
        yield from _model(cell)


def _model(cell: LibraryCell) -> Iterator[str]:
    # A pin within the cell, as some clock gates have, is the state of the model.
    pins = [*cell.inputs(), *cell.outputs()]
    names = {pin.name: verilog_name(pin.name) for pin in pins}
    stored = dict(names)
    yield f"module {verilog_name(cell.name)} ({', '.join(names.values())});"
    for pin in pins:
        yield f"  {pin.direction} {names[pin.name]};"
    for taken_in in _stored_pins(cell):
        stored[taken_in] = _new(f"{taken_in}_late", cell)
        yield f"  wire {stored[taken_in]};"
        yield f"  assign `LATE {stored[taken_in]} = {names[taken_in]};"
    late = "`LATE " if isinstance(cell.storage, FlipFlop | Latch) else ""
    delays = {pin.name: late for pin in cell.outputs()}
    for line in cell_lines(cell, _new("state", cell), names, stored, delays):
        yield f"  {line}"
    paths = [
        f"    ({edge}{names[source]} => {f'({names[pin.name]} : 1)' if edge else names[pin.name]})"
        " = (0, 0);"
        for pin in cell.outputs()
        for edge, source in path_sources(cell, pin)
    ]
    if paths:
        yield from ("`ifdef SDF", "  specify", *paths, "  endspecify", "`endif")
    yield "endmodule"


def _stored_pins(cell: LibraryCell) -> list[str]:
    """Inputs that storage takes in with its clock, which is not among them."""
    match cell.storage:
        case FlipFlop(next_state=function) | Latch(data_in=function):
            read = inputs_of(function)
        case ClockGate(enable=enable, test=test):
            read = [enable, *test]
        case _:
            return []
    return [name for name in read if name in cell.pins and name not in clock_pins(cell)]


def _new(wanted: str, cell: LibraryCell) -> str:
    """A simple name that no pin has."""
    name = "".join(mark if mark.isalnum() else "_" for mark in wanted)
    while name in cell.pins:
        name += "_"
    return name
