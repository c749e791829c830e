# SPDX-License-Identifier: Apache-2.0
"""A self-checking test bench for an exported netlist, and models of its cells.

The bench plays the messages of the sources, and compares every output in every clock period.
The models come from the functions of the library, and have a path for each of its arcs, to
which `delays.sdf` gives its delays.

In a run without delays all that a clock edge sets off happens in one moment, in an order of the
simulator's choice. A latch that closes on this edge must not let in the changes that the same
edge sets off. So the models then take data into flip-flops, latches and clock gates 1 ps late,
and give it out of flip-flops and latches 1 ps late.

Verilator makes a process of each delay, and thousands of processes do not compile within minutes.
There the bench has one signal, `tick`, which changes in each picosecond for a while after the clock
or an input changed, and storage waits for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from joulemark.hardware.export import Circuit, verilog_name
from joulemark.hardware.export.simulator_files import path_sources
from joulemark.hardware.gate import clock_pins, taken_pins
from joulemark.hardware.gate.simulate import bench_text, port_bits
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS, STORAGE_DELAY_PS, cell_lines
from joulemark.hardware.liberty.library import FlipFlop, Latch, LibraryCell

_ICARUS = "iverilog -g2009 {options}-s testbench -o {name}.vvp testbench.v netlist.v cells.v"
COMMANDS = {
    "test": f"{_ICARUS.format(options='', name='test')} && vvp -n test.vvp",
    "test_with_delays": (
        f"{_ICARUS.format(options='-gspecify -DSDF ', name='timed')} && vvp -n timed.vvp"
    ),
    "test_in_verilator": (
        "verilator --binary --output-split 0 --output-split-cfuncs 500 -CFLAGS -std=gnu++20 "
        "-MAKEFLAGS OPT_FAST=-O0 -Wno-lint -Wno-style -Wno-multidriven -Wno-unoptflat "
        "--top testbench testbench.v netlist.v cells.v && obj_dir/Vtestbench"
    ),
}
"""Commands that play the bench. Verilator reads no SDF and no paths, so it has no run with them; a
netlist of thousands of cells stays in one C++ file, since not every Verilator builds several, of
many functions, which compile sooner than one."""


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
        "`ifdef VERILATOR",
        "reg tick = 1'b0;",
        f"always @(clk or now) repeat ({_ticks(circuit)}) #{STORAGE_DELAY_PS} tick = ~tick;",
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


_MOST_TICKS: Final = 128
"""Ticks after a change: 64 open latches behind each other; below the delay of inputs, 200 ps."""


def _ticks(circuit: Circuit) -> int:
    """Ticks until all is still: two for each latch that data passes, two for a flip-flop."""
    latches = sum(
        isinstance(instance.cell.storage, Latch) for instance in circuit.netlist.instances
    )
    return min(2 * latches + 2, _MOST_TICKS)


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
    for taken_in in taken_pins(cell):
        if taken_in not in cell.pins or taken_in in clock_pins(cell):
            continue
        stored[taken_in] = _new(f"{taken_in}_late", cell)
        yield f"  wire {stored[taken_in]};"
        yield from _late(cell, stored[taken_in], names[taken_in])
    stores = isinstance(cell.storage, FlipFlop | Latch)
    given = {pin.name: _new(f"{pin.name}_now", cell) for pin in cell.outputs()} if stores else {}
    yield from (f"  wire {name};" for name in given.values())
    undelayed = {pin.name: "" for pin in cell.outputs()}
    for line in cell_lines(cell, _new("state", cell), names | given, stored, undelayed):
        yield f"  {line}"
    for pin_name, now in given.items():
        yield from _late(cell, names[pin_name], now)
    paths = [
        f"    ({edge}{names[source]} => {f'({names[pin.name]} : 1)' if edge else names[pin.name]})"
        " = (0, 0);"
        for pin in cell.outputs()
        for edge, source in path_sources(cell, pin)
    ]
    if paths:
        yield from ("`ifdef SDF", "  specify", *paths, "  endspecify", "`endif")
    yield "endmodule"


def _late(cell: LibraryCell, target: str, source: str) -> Iterator[str]:
    """Gives a net the value of another, late in a run without SDF."""
    ticked = _new(f"{target}_ticked", cell)
    yield "`ifdef VERILATOR"
    yield f"  reg {ticked} = 1'b0;"
    yield f"  always @(testbench.tick) {ticked} <= {source};"
    yield f"  assign {target} = {ticked};"
    yield "`else"
    yield f"  assign `LATE {target} = {source};"
    yield "`endif"


def _new(wanted: str, cell: LibraryCell) -> str:
    """A simple name that no pin has."""
    name = "".join(mark if mark.isalnum() else "_" for mark in wanted)
    while name in cell.pins:
        name += "_"
    return name
