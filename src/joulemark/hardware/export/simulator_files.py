# SPDX-License-Identifier: Apache-2.0
"""A circuit as simulators read it: netlist, delays and activity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from joulemark import __version__
from joulemark.hardware.export import Circuit, GateWorkload, Names, escaped, verilog_name
from joulemark.hardware.gate.simulate import Activity
from joulemark.hardware.gate.verilog import delay_ps
from joulemark.hardware.liberty.library import LibraryCell, Pin

# Writes the netlist as structural Verilog of library cells, in a subset that all tools read.
#
# The subset of IEEE 1364: one module, ports declared apart from its list, one scalar wire for
# each net, pins by name.


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


# Delays as SDF 3.0 (IEEE 1497-2001), in picoseconds: the gate-level run's, and the ideal clock's.
#
# The gate-level run has one rise and one fall delay for each output, the mean over its arcs:
# every arc of the output states the same two, whatever its condition, so no path has a COND.
# Wires take no time. Cells of the clock network have a delay of 0. Set-up and hold times are no
# delays, and the run checks none: they stay as the library has them.

_EDGES = {"rising_edge": "posedge ", "falling_edge": "negedge "}


def sdf_lines(circuit: Circuit, names: Names) -> Iterator[str]:
    """The delays of the gate-level run, a line at a time."""
    yield from _head(circuit)
    yield from _wires(circuit, names)
    for index, instance in enumerate(circuit.netlist.instances):
        yield from _cell(circuit, names, index, [pin for pin, _ in instance.outputs()])
    yield ")"


def clock_sdf_lines(circuit: Circuit, names: Names) -> Iterator[str]:
    """Cells of the clock network without a delay, and nothing else, a line at a time.

    Constraints make the clock ideal at the pins that it clocks. Where a clock net is data too, as
    in a bus that is quiet while latches are closed, only this says that it comes with the clock.
    """
    yield from _head(circuit)
    # A file has at least one cell, and a core may have none in its clock.
    yield f'  (CELL (CELLTYPE "{circuit.netlist.top}") (INSTANCE))'
    for index, instance in enumerate(circuit.netlist.instances):
        outputs = [pin for pin, net in instance.outputs() if net in circuit.timing.clocks]
        yield from _cell(circuit, names, index, outputs)
    yield ")"


def _head(circuit: Circuit) -> Iterator[str]:
    yield "(DELAYFILE"
    yield '  (SDFVERSION "3.0")'
    yield f'  (DESIGN "{circuit.netlist.top}")'
    yield f'  (VENDOR "{circuit.netlist.library.name}")'
    yield '  (PROGRAM "joulemark")'
    yield f'  (VERSION "{__version__}")'
    yield "  (DIVIDER /)"
    yield "  (TIMESCALE 1ps)"


def _cell(circuit: Circuit, names: Names, index: int, outputs: Sequence[Pin]) -> Iterator[str]:
    """The delays of some outputs of a cell."""
    instance = circuit.netlist.instances[index]
    paths = [
        f"        (IOPATH {_source(edge, name)} {escaped(pin.name)} "
        f"{_delays(circuit, index, pin.name)})"
        for pin in outputs
        for edge, name in path_sources(instance.cell, pin)
    ]
    if paths:
        yield f'  (CELL (CELLTYPE "{instance.cell.name}") (INSTANCE {names.instance(index)})'
        yield "    (DELAY (ABSOLUTE"
        yield from paths
        yield "    )))"


def _delays(circuit: Circuit, index: int, pin: str) -> str:
    rise, fall = delay_ps(circuit.netlist, circuit.timing, index, pin)
    return f"({rise}:{rise}:{rise}) ({fall}:{fall}:{fall})"


def path_sources(cell: LibraryCell, pin: Pin) -> list[tuple[str, str]]:
    """Inputs from which arcs lead to an output, each once, behind the edge that clocks it if any.

    The edge is "posedge " or "negedge ", or empty.
    """
    return list(
        dict.fromkeys(
            (_EDGES.get(arc.kind, ""), arc.related_pin)
            for arc in pin.arcs
            if arc.delay and arc.related_pin in cell.pins
        )
    )


def _source(edge: str, pin: str) -> str:
    return f"({edge}{escaped(pin)})" if edge else escaped(pin)


def _wires(circuit: Circuit, names: Names) -> Iterator[str]:
    """Every wire from its driver to a cell, without a delay."""
    netlist = circuit.netlist
    place = {id(instance): index for index, instance in enumerate(netlist.instances)}

    def pin_of(index: int, pin: str) -> str:
        return f"{names.instance(index)}/{escaped(pin)}"

    drivers = {net: pin_of(driver, pin) for net, (driver, pin) in netlist.drivers().items()}
    drivers |= {net: names.net(net).escaped() for _, _, net in netlist.port_bits()}
    wires = [
        f"      (INTERCONNECT {drivers[net]} {pin_of(place[id(instance)], pin)} (0:0:0))"
        for net, sinks in netlist.sinks().items()
        if net in drivers
        for instance, pin in sinks
    ]
    if wires:
        yield f'  (CELL (CELLTYPE "{netlist.top}") (INSTANCE)'
        yield "    (DELAY (ABSOLUTE"
        yield from wires
        yield "    )))"


# Activity of every net in the gate-level run, summed up: SAIF 2.0 (IEEE 1801-2018, annex I).
#
# Times in picoseconds. `IG`, the pulses that an inertial delay swallowed, is 0: they do not come
# out of a cell and cost nothing in the run. Nets stand once in the module and once more for each
# pin of each cell, since some readers look for nets and others for pins. The date is left empty, so
# that the same circuit gives the same file.


def saif_lines(circuit: Circuit, names: Names, workload: GateWorkload) -> Iterator[str]:
    """The file, a line at a time: names of nets and cells, and their activity in the workload."""
    activity = workload.activity
    ones, toggles = _ones_ps(activity), activity.toggles()

    def durations(net: int) -> str:
        high = int(ones[net])
        low = activity.duration_ps - high
        return f"(T0 {low}) (T1 {high}) (TX 0) (TC {int(toggles[net])}) (IG 0)"

    yield "(SAIFILE"
    yield '(SAIFVERSION "2.0")'
    yield '(DIRECTION "backward")'
    yield f'(DESIGN "{circuit.netlist.top}")'
    yield '(DATE "")'
    yield '(VENDOR "Joulemark")'
    yield '(PROGRAM_NAME "joulemark")'
    yield f'(VERSION "{__version__}")'
    yield "(DIVIDER /)"
    yield "(TIMESCALE 1 ps)"
    yield f"(DURATION {activity.duration_ps})"
    yield f"(INSTANCE {escaped(circuit.netlist.top)}"
    yield "  (NET"
    for net, bit in names.nets():
        yield f"    ({escaped(bit.plain())} {durations(net)})"
    yield "  )"
    for index, instance in enumerate(circuit.netlist.instances):
        pins = [(pin, net) for pin, net in instance.pins.items() if names.is_net(net)]
        if pins:
            yield f"  (INSTANCE {names.instance(index)}"
            yield "    (NET"
            for pin, net in pins:
                yield f"      ({escaped(pin)} {durations(net)})"
            yield "    )"
            yield "  )"
    yield ")"
    yield ")"


def _ones_ps(activity: Activity) -> npt.NDArray[np.int64]:
    """How long each net stood at 1."""
    nets, after = activity.changes()
    total = np.zeros(len(activity.initial), dtype=np.int64)
    # A toggle to 0 ends a stretch at 1, a toggle to 1 begins such a stretch.
    np.add.at(total, nets, np.where(after == 0, activity.times_ps, -activity.times_ps))
    last = (activity.initial + activity.toggles()) % 2 == 1
    total[last] += activity.duration_ps
    return total


# Every change of every net in the gate-level run: VCD (IEEE 1364-2005, 18.2).
#
# The file has the window alone, from time 0, in picoseconds. Nets stand in the module, and by the
# same code once more as the pins of each cell, since some readers look for pins.

_FIRST, _CODES = ord("!"), ord("~") - ord("!") + 1
"""Printing characters that codes are made of."""


def vcd_lines(circuit: Circuit, names: Names, workload: GateWorkload) -> Iterator[str]:
    """The file, a line at a time: names of nets and cells, and their activity in the workload."""
    nets = dict.fromkeys(net for net, _ in names.nets())
    codes = {net: _code(place) for place, net in enumerate(nets)}
    yield f"$version joulemark {__version__} $end"
    yield "$timescale 1ps $end"
    yield f"$scope module {verilog_name(circuit.netlist.top)} $end"
    for net, bit in names.nets():
        yield f"$var wire 1 {codes[net]} {bit.verilog()} $end"
    for index, instance in enumerate(circuit.netlist.instances):
        yield f"$scope module {names.instance(index)} $end"
        for pin, net in instance.pins.items():
            if net in codes:
                yield f"$var wire 1 {codes[net]} {verilog_name(pin)} $end"
        yield "$upscope $end"
    yield "$upscope $end"
    yield "$enddefinitions $end"
    yield from _changes(workload, codes)


def _changes(workload: GateWorkload, codes: dict[int, str]) -> Iterator[str]:
    activity = workload.activity
    yield "#0"
    yield "$dumpvars"
    for net, code in codes.items():
        yield f"{activity.initial[net]}{code}"
    yield "$end"
    nets, after = activity.changes()
    order = np.argsort(activity.times_ps, kind="stable")
    now = 0
    for time, net, value in zip(
        activity.times_ps[order].tolist(), nets[order].tolist(), after[order].tolist(), strict=True
    ):
        if net not in codes:
            continue
        if time != now:
            yield f"#{time}"
            now = time
        yield f"{value}{codes[net]}"
    if now != activity.duration_ps:
        yield f"#{activity.duration_ps}"


def _code(number: int) -> str:
    """A code of printing characters for a number; small numbers have the shortest codes."""
    text = chr(_FIRST + number % _CODES)
    while number >= _CODES:
        number = number // _CODES - 1
        text = chr(_FIRST + number % _CODES) + text
    return text
