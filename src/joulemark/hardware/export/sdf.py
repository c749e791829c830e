# SPDX-License-Identifier: Apache-2.0
"""Delays as SDF 3.0 (IEEE 1497-2001), in picoseconds: the gate-level run's, and the ideal clock's.

The gate-level run has one rise and one fall delay for each output, the mean over its arcs: every
arc of the output states the same two, whatever its condition, so no path has a COND. Wires take no
time. Cells of the clock network have a delay of 0. Set-up and hold times are no delays, and the run
checks none: they stay as the library has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from joulemark import __version__
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names, escaped
from joulemark.hardware.gate.verilog import delay_ps
from joulemark.hardware.liberty.library import LibraryCell, Pin

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
