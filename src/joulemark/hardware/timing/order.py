# SPDX-License-Identifier: Apache-2.0
"""The order in which cells are timed: each after those that it takes a transparent input from."""

from __future__ import annotations

from collections.abc import Container

from joulemark.errors import ImplementationError
from joulemark.hardware.liberty.library import Latch
from joulemark.hardware.synthesis.netlist import Instance, Netlist

__all__ = ["timing_order"]


def timing_order(
    netlist: Netlist, clocks: frozenset[int], transparent: Container[int] | None = None
) -> tuple[list[int], frozenset[int]]:
    """Indices of all cells in order, and those of latches at which a loop was cut.

    Args:
        netlist: the circuit.
        clocks: nets of the clock network, which no cell waits for.
        transparent: indices of the latches that are open; all if None.

    Raises:
        ImplementationError: a loop of cells without storage.
    """
    instances = netlist.instances
    waits, readers = _waits(netlist, clocks, transparent)
    ready = [index for index, number in enumerate(waits) if number == 0]
    latches = [i for i, one in enumerate(instances) if isinstance(one.cell.storage, Latch)]
    order: list[int] = []
    done: set[int] = set()
    cut: set[int] = set()
    while len(order) < len(instances):
        if not ready:
            while latches and latches[-1] in done:
                latches.pop()
            if not latches:
                stuck = next(one.name for i, one in enumerate(instances) if i not in done)
                raise ImplementationError(
                    f"{netlist.top}: a loop of cells without storage, through {stuck}"
                )
            cut.add(latches[-1])
            ready.append(latches.pop())
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


def _waits(
    netlist: Netlist, clocks: frozenset[int], transparent: Container[int] | None
) -> tuple[list[int], dict[tuple[int, int], list[int]]]:
    """Driven nets that each cell waits for, counted, and the cells that wait by driver and net."""
    drivers = {
        one.pins[pin.name]: index
        for index, one in enumerate(netlist.instances)
        for pin in one.cell.outputs()
        if pin.name in one.pins
    }
    waits = [0] * len(netlist.instances)
    readers: dict[tuple[int, int], list[int]] = {}
    for index, one in enumerate(netlist.instances):
        if isinstance(one.cell.storage, Latch) and not (
            transparent is None or index in transparent
        ):
            continue
        for net in {one.pins[name] for name in _through(one) if name in one.pins}:
            if net in drivers and net not in clocks:
                waits[index] += 1
                readers.setdefault((drivers[net], net), []).append(index)
    return waits, readers


def _through(one: Instance) -> list[str]:
    """Input pins that a path can go through within a period."""
    match one.cell.storage:
        case None:
            return [pin.name for pin in one.cell.inputs()]
        case Latch():
            return [
                arc.related_pin
                for pin in one.cell.outputs()
                for arc in pin.arcs
                if arc.kind == "combinational"
            ]
        case _:
            return []
