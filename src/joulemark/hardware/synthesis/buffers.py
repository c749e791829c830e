# SPDX-License-Identifier: Apache-2.0
"""Puts buffers behind outputs whose load is beyond the library's tables.

Such a load is more than the library allows, or makes a slew above the largest of the tables: a gate
of four inputs may be allowed a load for which it needs several nanoseconds. ABC sees neither the
outputs of flip-flops nor wires, so some nets remain far beyond the tables.

Resets that logic makes are nets like others. Clock nets, and resets that come in at a port, are
left alone: layout gives them trees, which `trees` models.
"""

from __future__ import annotations

from collections.abc import Callable

from joulemark.hardware.liberty.library import CellLibrary, LibraryCell, Pin
from joulemark.hardware.synthesis.netlist import Instance, Netlist

PART_OF_LIMIT = 0.7
"""Share of its largest load that a buffer is given; the rest is for the wire to it."""
_HALVINGS = 20
"""Halvings of the range in which the largest fitting load is searched."""


def add_buffers(
    netlist: Netlist, clocks: frozenset[int], wire: Callable[[int], float], *, fast: bool
) -> int:
    """Adds buffers to the netlist in place and returns how many.

    Args:
        netlist: the circuit.
        clocks: its clock nets.
        wire: capacitance of a net's wire, in the library's unit, by its number of sinks.
        fast: whether to take the buffer with the least delay instead of the smallest.
    """
    buffers = buffers_of(netlist.library)
    if not buffers:
        return 0
    buffer = _fastest(buffers) if fast else buffers[0]
    limit = PART_OF_LIMIT * (_most(buffer) or 0.0)
    if limit <= 0:
        return 0
    drivers, sinks = netlist.drivers(), netlist.sinks()
    largest = _largest_slew(netlist.library)
    loads: dict[tuple[str, str], float] = {}
    added = 0
    for net in sorted(drivers):
        index, pin = drivers[net]
        instance = netlist.instances[index]
        if (instance.cell.name, pin) not in loads:
            loads[instance.cell.name, pin] = _allowed(instance.cell.pins[pin], largest)
        allowed = loads[instance.cell.name, pin]
        here = sinks.get(net, [])
        if not allowed or net in clocks or net in netlist.constants or not instance.cell.inputs():
            continue
        while _load(here, wire) > allowed and len(here) > 1:
            here = _relieved(netlist, net, instance, here, buffer, limit, wire)
            added += 1
    return added


def _relieved(
    netlist: Netlist,
    net: int,
    driver: Instance,
    sinks: list[tuple[Instance, str]],
    buffer: LibraryCell,
    limit: float,
    wire: Callable[[int], float],
) -> list[tuple[Instance, str]]:
    """Moves the last sinks of a net behind one buffer; returns the net's sinks with it in front."""
    left, group = list(sinks), [sinks[-1]]
    left.pop()
    while left and (len(group) < 2 or _load([*group, left[-1]], wire) <= limit):
        group.append(left.pop())
    new = netlist.net_count
    netlist.net_count += 1
    netlist.names[new] = f"{netlist.names.get(net, f'n{net}')}_buffered"
    source, out = buffer.inputs()[0].name, buffer.outputs()[0].name
    added = Instance(f"{driver.name}_buffer{new}", buffer, {source: net, out: new}, driver.module)
    netlist.instances.append(added)
    for instance, pin in group:
        instance.pins = {**instance.pins, pin: new}
    return [(added, source), *left]


def _load(sinks: list[tuple[Instance, str]], wire: Callable[[int], float]) -> float:
    return sum(instance.cell.pins[pin].capacitance for instance, pin in sinks) + wire(len(sinks))


def buffers_of(library: CellLibrary) -> list[LibraryCell]:
    """Buffers of the library, the smallest first."""
    buffers = []
    for cell in library.cells.values():
        inputs, outputs = cell.inputs(), cell.outputs()
        if cell.special or cell.dont_use or cell.storage or len(inputs) != 1 or len(outputs) != 1:
            continue
        function = (outputs[0].function or "").strip("() ")
        if function == inputs[0].name and outputs[0].arcs:
            buffers.append(cell)
    return sorted(buffers, key=lambda cell: (cell.area_um2, -(_most(cell) or 0.0), cell.name))


def _allowed(pin: Pin, largest: float) -> float:
    """Load that an output may drive; 0 if the library has no limit.

    The pin's own limit, or less, so that even inputs of the largest slew make no larger slew. If no
    load is small enough for that, the limit counts.
    """
    most = pin.max_capacitance or 0.0
    tables = [table for arc in pin.arcs for table in arc.transition.values()]
    if not tables or not largest or most <= 0:
        return most
    low, high = 0.0, most
    if max(table.at(largest, most) for table in tables) <= largest:
        return most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if max(table.at(largest, middle) for table in tables) <= largest:
            low = middle
        else:
            high = middle
    return low or most


def _largest_slew(library: CellLibrary) -> float:
    """Largest slew in the tables of all cells of logic."""
    return max(
        (
            table.slews[-1]
            for cell in library.cells.values()
            if cell.storage is None and not cell.special
            for pin in cell.outputs()
            for arc in pin.arcs
            for table in arc.delay.values()
        ),
        default=0.0,
    )


def _most(cell: LibraryCell) -> float | None:
    return cell.outputs()[0].max_capacitance


def _delay(cell: LibraryCell, load: float) -> float:
    arc = cell.outputs()[0].arcs[0]
    return max(
        (table.at(table.slews[len(table.slews) // 3], load) for table in arc.delay.values()),
        default=0.0,
    )


def _fastest(buffers: list[LibraryCell]) -> LibraryCell:
    """The buffer with the least delay at its load, that of a small buffer before it included."""
    load = PART_OF_LIMIT * (_most(buffers[0]) or 0.0)
    return min(
        buffers,
        key=lambda cell: _delay(cell, load) + _delay(buffers[0], cell.inputs()[0].capacitance),
    )
