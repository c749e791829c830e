# SPDX-License-Identifier: Apache-2.0
"""Finds the nets of the clock network: from the clock port to clock pins and latch enables."""

from __future__ import annotations

from joulemark.hardware.liberty.function import inputs_of
from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch, LibraryCell
from joulemark.hardware.synthesis.netlist import Netlist


def clock_pins(cell: LibraryCell) -> frozenset[str]:
    """Names of the input pins that clock or open the cell."""
    match cell.storage:
        case FlipFlop(clocked_on=function) | Latch(enable=function):
            return frozenset(inputs_of(function))
        case ClockGate(clock=pin):
            return frozenset((pin,))
        case _:
            return frozenset()


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
