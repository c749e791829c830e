# SPDX-License-Identifier: Apache-2.0
"""A mapped netlist: timing, gate-level simulation with Icarus Verilog, and power.

Here are the nets of a mapped circuit: clock network, loads, buffers behind large loads, order of
cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.liberty import inputs_of
from joulemark.hardware.liberty.library import (
    CellLibrary,
    ClockGate,
    FlipFlop,
    Latch,
    LibraryCell,
    Pin,
    WireLoad,
)
from joulemark.hardware.synthesis import Instance, Netlist


# Finds the nets of the clock network: from the clock port to clock pins and latch enables.
def clock_pins(cell: LibraryCell) -> frozenset[str]:
    """Names of the input pins that clock or open the cell."""
    match cell.storage:
        case FlipFlop(clocked_on=function) | Latch(enable=function):
            return frozenset(inputs_of(function))
        case ClockGate(clock=pin):
            return frozenset((pin,))
        case _:
            return frozenset()


def taken_pins(cell: LibraryCell) -> list[str]:
    """Names of the pins whose value storage takes in."""
    match cell.storage:
        case FlipFlop(next_state=function) | Latch(data_in=function):
            return inputs_of(function)
        case ClockGate(enable=enable, test=test):
            return [enable, *test]
        case _:
            return []


def clock_nets(netlist: Netlist, clock: str) -> frozenset[int]:
    """Nets between the clock port and clock pins, through clock gates and combinational cells."""
    sinks = netlist.sinks()

    def onward(net: int) -> list[int]:
        nets = []
        for instance, pin in sinks.get(net, ()):
            if instance.cell.storage is None or (
                isinstance(instance.cell.storage, ClockGate) and pin == instance.cell.storage.clock
            ):
                nets += [driven for _, driven in instance.outputs()]
        return nets

    reached: list[int] = []
    seen: set[int] = set()
    waiting = list(netlist.inputs.get(clock, []))
    while waiting:
        net = waiting.pop()
        if net not in seen:
            seen.add(net)
            reached.append(net)
            waiting += onward(net)
    clocking = {
        net
        for net in seen
        if any(pin in clock_pins(instance.cell) for instance, pin in sinks.get(net, ()))
    }
    network = set(clocking) | set(netlist.inputs.get(clock, []))
    changed = True
    while changed:
        changed = False
        for net in reached:
            if net not in network and any(driven in network for driven in onward(net)):
                network.add(net)
                changed = True
    return frozenset(network)


# Capacitance of every net: pins, and wires by one of three models.
_PER_SINK = re.compile(r"([\d.]+)\s*fF", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WireModel:
    """A model of the capacitance of wires."""

    text: str
    """Words for the model in reports."""
    model: WireLoad | None = None
    per_sink: float = 0.0
    """Capacitance per sink, in the library's unit, if there is no model."""

    def load(self, sinks: int) -> float:
        """Capacitance of a net's wire, in the library's unit."""
        return self.model.load(sinks) if self.model is not None else self.per_sink * sinks


def wire_model(netlist: Netlist, wire: str) -> WireModel:
    """The model that a word names.

    The word is `library` (the wire-load model that the library selects for the netlist's area),
    `none`, or capacitance per sink such as `5fF`.
    """
    library = netlist.library
    if wire == "none":
        return WireModel("no wires, pin capacitance only")
    if wire == "library":
        model = library.wire_load(netlist.area_um2)
        if model is None:
            raise UsageError(
                f"the library {library.name} has no wire-load model; give --wire none or 5fF"
            )
        return WireModel(f"wire-load model {model.name} of the library", model=model)
    number = _PER_SINK.fullmatch(wire.strip())
    if number is None:
        raise UsageError(f"'{wire}' is no wire model; give library, none or such as 5fF")
    return WireModel(
        f"{float(number[1]):g} fF per sink",
        per_sink=float(number[1]) * 1e-15 / library.units.capacitance_f,
    )


def net_loads(netlist: Netlist, wire: WireModel) -> list[float]:
    """Capacitance by net, in the library's unit. An output port is a sink without a pin."""
    pins = [0.0] * netlist.net_count
    for instance in netlist.instances:
        for pin, net in instance.inputs():
            pins[net] += pin.capacitance
    return [pin + own for pin, own in zip(pins, wire_loads(netlist, wire), strict=True)]


def wire_loads(netlist: Netlist, wire: WireModel) -> list[float]:
    """Capacitance of the wire alone by net, in the library's unit."""
    sinks = [0] * netlist.net_count
    for instance in netlist.instances:
        for _, net in instance.inputs():
            sinks[net] += 1
    for nets in netlist.outputs.values():
        for net in nets:
            sinks[net] += 1
    return [wire.load(count) for count in sinks]


# Orders the cells for timing: each after the cells that drive its transparent inputs.
def timing_order(
    netlist: Netlist, clocks: frozenset[int], transparent: Container[int] | None = None
) -> tuple[list[int], frozenset[int]]:
    """Indices of all cells in order, and indices of the latches at which a loop was cut.

    A net of the clock network puts no cell behind another, and a latch that is not open stands
    behind no cell. All latches are open if `transparent` is None.
    """
    instances = netlist.instances
    sources, readers = _waits(netlist, clocks, transparent)
    waits = [len(source) for source in sources]
    ready = [index for index, number in enumerate(waits) if number == 0]
    order: list[int] = []
    done: set[int] = set()
    cut: set[int] = set()
    first = 0
    while len(order) < len(instances):
        if not ready:
            while first in done:
                first += 1
            loop = _loop(first, sources, done)
            latches = [
                instance for instance in loop if isinstance(instances[instance].cell.storage, Latch)
            ]
            if not latches:
                raise ImplementationError(
                    f"{netlist.top}: a loop of cells without storage, through "
                    f"{instances[min(loop)].name}"
                )
            cut.add(max(latches))
            ready.append(max(latches))
        index = ready.pop()
        if index in done:
            continue
        done.add(index)
        order.append(index)
        for net in instances[index].pins.values():
            for reader in readers.get((index, net), ()):
                waits[reader] -= 1
                if waits[reader] == 0:
                    ready.append(reader)
    return order, frozenset(cut)


def _loop(start: int, sources: list[list[int]], done: Container[int]) -> list[int]:
    """Cells of one loop that keeps a cell waiting; the cell need not be in it.

    A cell that waits has a source that waits, so a walk from source to source comes round.
    """
    walk: dict[int, None] = {}
    here = start
    while here not in walk:
        walk[here] = None
        here = next(source for source in sources[here] if source not in done)
    path = list(walk)
    return path[path.index(here) :]


def _waits(
    netlist: Netlist, clocks: frozenset[int], transparent: Container[int] | None
) -> tuple[list[list[int]], dict[tuple[int, int], list[int]]]:
    """The sources that each cell waits for, and the cells that wait, by source and net."""
    drivers = netlist.drivers()
    sources: list[list[int]] = [[] for _ in netlist.instances]
    readers: dict[tuple[int, int], list[int]] = {}
    for index, instance in enumerate(netlist.instances):
        if isinstance(instance.cell.storage, Latch) and not (
            transparent is None or index in transparent
        ):
            continue
        for net in {instance.pins[name] for name in _through(instance) if name in instance.pins}:
            if net in drivers and net not in clocks:
                source, _ = drivers[net]
                sources[index].append(source)
                readers.setdefault((source, net), []).append(index)
    return sources, readers


def _through(instance: Instance) -> list[str]:
    """Names of the input pins through which a path can go within a period."""
    match instance.cell.storage:
        case None:
            return [pin.name for pin in instance.cell.inputs()]
        case Latch():
            return [
                arc.related_pin
                for pin in instance.cell.outputs()
                for arc in pin.arcs
                if arc.kind == "combinational"
            ]
        case _:
            return []


# Puts buffers behind outputs whose load is beyond the library's tables.
#
# Such a load is more than the library allows, or makes a slew above the largest of the tables: a
# gate of four inputs may be allowed a load for which it needs several nanoseconds. ABC sees
# neither the outputs of flip-flops nor wires, so some nets remain far beyond the tables.
#
# Resets that logic makes are nets like others. Clock nets, and resets that come in at a port, are
# left alone: layout gives them trees, which `trees` models.

PART_OF_LIMIT = 0.7
"""Share of its largest load that a buffer is given; the rest is for the wire to it."""
_HALVINGS = 20
"""Halvings of the range in which the largest fitting load is searched."""


def add_buffers(
    netlist: Netlist, clocks: frozenset[int], wire: Callable[[int], float], *, fast: bool
) -> int:
    """Adds buffers to the netlist in place, the smallest or the fastest, and returns how many.

    `wire` is the capacitance of a net's wire, in the library's unit, by its number of sinks.
    """
    buffers = buffers_of(netlist.library)
    if not buffers:
        return 0
    buffer = _fastest(buffers) if fast else buffers[0]
    limit = PART_OF_LIMIT * most_load(buffer)
    if limit <= 0:
        return 0
    drivers, sinks = netlist.drivers(), netlist.sinks()
    logic = (cell for cell in netlist.library.cells.values() if not (cell.storage or cell.special))
    largest = largest_slew(logic)
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
            left, group = list(here), [here[-1]]
            left.pop()
            while left and (len(group) < 2 or _load([*group, left[-1]], wire) <= limit):
                group.append(left.pop())
            here = [_buffered(netlist, net, instance, group, buffer), *left]
            added += 1
    return added


def _buffered(
    netlist: Netlist,
    net: int,
    driver: Instance,
    sinks: list[tuple[Instance, str]],
    buffer: LibraryCell,
) -> tuple[Instance, str]:
    """Moves sinks of a net behind a buffer, and returns the sink that this is itself."""
    new = netlist.net_count
    netlist.net_count += 1
    netlist.names[new] = f"{netlist.names.get(net, f'n{net}')}_buffered"
    source, out = buffer.inputs()[0].name, buffer.outputs()[0].name
    added = Instance(f"{driver.name}_buffer{new}", buffer, {source: net, out: new}, driver.module)
    netlist.instances.append(added)
    for instance, pin in sinks:
        instance.pins = {**instance.pins, pin: new}
    return added, source


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
    return sorted(buffers, key=lambda cell: (cell.area_um2, -most_load(cell), cell.name))


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


def most_load(cell: LibraryCell) -> float:
    """Largest load of a buffer; 0 if the library has no limit."""
    return cell.outputs()[0].max_capacitance or 0.0


def _delay(cell: LibraryCell, load: float) -> float:
    arc = cell.outputs()[0].arcs[0]
    return max(
        (table.at(table.slews[len(table.slews) // 3], load) for table in arc.delay.values()),
        default=0.0,
    )


def _fastest(buffers: list[LibraryCell]) -> LibraryCell:
    """The buffer with the least delay at its load, that of a small buffer before it included."""
    load = PART_OF_LIMIT * most_load(buffers[0])
    return min(
        buffers,
        key=lambda cell: _delay(cell, load) + _delay(buffers[0], cell.inputs()[0].capacitance),
    )


def largest_slew(cells: Iterable[LibraryCell]) -> float:
    """Largest slew in the tables of some cells."""
    return max(
        (
            table.slews[-1]
            for cell in cells
            for pin in cell.outputs()
            for arc in pin.arcs
            for table in arc.delay.values()
        ),
        default=0.0,
    )
