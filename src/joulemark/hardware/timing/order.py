# SPDX-License-Identifier: Apache-2.0
"""Orders the cells for timing: each after the cells that drive its transparent inputs."""

from __future__ import annotations

from collections.abc import Container

from joulemark.errors import ImplementationError
from joulemark.hardware.liberty.library import Latch
from joulemark.hardware.synthesis.netlist import Instance, Netlist


def timing_order(
    netlist: Netlist, clocks: frozenset[int], transparent: Container[int] | None = None
) -> tuple[list[int], frozenset[int]]:
    """Indices of all cells in order, and indices of the latches at which a loop was cut.

    Args:
        netlist: the circuit.
        clocks: nets of the clock network, which no cell waits for.
        transparent: indices of the latches that are open; all if None.
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
