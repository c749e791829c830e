# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis with the library's non-linear delay tables.

It takes rise and fall apart, the worst slew of all arcs, loads from pins and wires, and tables
linear between and beyond their points. Paths start at clock edges (clock to output), at input ports
and at open latches, and end with a set-up time at flip-flops and clock gates, with a recovery time
at reset pins (`resets`), or at output ports.

It simplifies: the clock is ideal (it arrives everywhere at once with one slew, clock gates
and buffers in it have no delay); input ports change with the clock edge; every latch is
transparent, from the beginning of the period to its end (its D to Q arc is part of a path, and
paths end at latches as if they closed at the end of the period); where latches close a loop, it is
cut at a latch. `halves` holds latches to their halves of the period, and has the hold times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch
from joulemark.hardware.synthesis.netlist import Instance, Netlist
from joulemark.hardware.timing.arcs import (
    CLOCKED,
    FALL,
    RISE,
    edges_of,
    is_path,
    needs_of,
    recovery_needs,
    reset_ends,
)
from joulemark.hardware.timing.clock import clock_nets
from joulemark.hardware.timing.loads import WireModel, net_loads
from joulemark.hardware.timing.order import timing_order

CLOCK_SLEW_S = 50e-12
"""Slew of the clock at every pin, and of input ports: about that of a buffer that is not
overloaded in a 130 nm library."""
_KINDS: Mapping[type, str] = {FlipFlop: "flip-flop", ClockGate: "clock gate", Latch: "latch"}


@dataclass(slots=True)
class Timing:
    """Times in seconds, slews and loads in the library's units."""

    wire: WireModel
    loads: list[float]
    slews: list[tuple[float, float]]
    """Slew of rise and of fall by net."""
    delays: dict[tuple[int, str], tuple[float, float]]
    """Delay of rise and of fall of an output, each the mean over its arcs in the library's unit, by
    index of the instance and name of the pin; 0 in the clock network."""
    clocks: frozenset[int]
    """Nets of the clock network."""
    critical_path_s: float
    path: list[str]
    """Cells of the critical path, from its start to its end, each with its arrival time."""
    max_slew: float = 0.0
    cut_latches: int = 0
    worst: Mapping[str, float] = field(default_factory=dict)
    """Longest path in seconds by kind of end: flip-flop, clock gate, latch, reset, output."""


def analyse(netlist: Netlist, wire: WireModel, clock: str) -> Timing:
    """Loads, slews, delays and the critical path."""
    return _Analysis(netlist, wire, clock).run()


class _Analysis:
    def __init__(self, netlist: Netlist, wire: WireModel, clock: str) -> None:
        self.netlist = netlist
        self.library = netlist.library
        self.wire = wire
        self.loads = net_loads(netlist, wire)
        self.clocks = clock_nets(netlist, clock)
        self.clock_slew = CLOCK_SLEW_S / self.library.units.time_s
        count = netlist.net_count
        self.arrival: list[list[float]] = [[0.0, 0.0] for _ in range(count)]
        self.slew: list[list[float]] = [[self.clock_slew] * 2 for _ in range(count)]
        self.origin: list[list[tuple[int, int, int] | None]] = [[None, None] for _ in range(count)]
        self.delays: dict[tuple[int, str], tuple[float, float]] = {}
        self.order, self.cut = timing_order(netlist, self.clocks)

    def run(self) -> Timing:
        for index in self.order:
            self._cell(index)
        worst: dict[str, float] = {}
        end: tuple[float, int, int, str] = (0.0, -1, 0, "")
        for kind, time, net, edge, name in self._ends():
            worst[kind] = max(worst.get(kind, 0.0), time)
            if time > end[0]:
                end = (time, net, edge, name)
        unit = self.library.units.time_s
        return Timing(
            wire=self.wire,
            loads=self.loads,
            slews=[(slews[0], slews[1]) for slews in self.slew],
            delays=self.delays,
            clocks=self.clocks,
            critical_path_s=end[0] * unit,
            path=self._path(end),
            max_slew=max((max(slews) for slews in self.slew), default=0.0),
            cut_latches=len(self.cut),
            worst={kind: time * unit for kind, time in worst.items()},
        )

    def _cell(self, index: int) -> None:
        instance = self.netlist.instances[index]
        for pin, net in instance.outputs():
            if net in self.clocks:
                self.delays[index, pin.name] = (0.0, 0.0)
                continue
            seen: tuple[list[float], list[float]] = ([], [])
            best, slews = [-1.0, -1.0], [0.0, 0.0]
            for arc in pin.arcs:
                source = instance.pins.get(arc.related_pin)
                if source is None or not is_path(instance, arc):
                    continue
                clocked = arc.kind in CLOCKED
                cut = index in self.cut and not clocked
                for edge_in, edge, delay, slew in edges_of(arc, self.slew[source], self.loads[net]):
                    seen[edge].append(delay)
                    slews[edge] = max(slews[edge], slew)
                    time = delay + (0.0 if clocked else self.arrival[source][edge_in])
                    if not cut and time > best[edge]:
                        best[edge] = time
                        self.origin[net][edge] = (index, source, -1 if clocked else edge_in)
            for edge in (RISE, FALL):
                if seen[edge]:
                    self.arrival[net][edge] = max(best[edge], 0.0)
                    self.slew[net][edge] = slews[edge]
            rise, fall = (max(sum(values) / len(values), 0.0) if values else 0.0 for values in seen)
            self.delays[index, pin.name] = (rise, fall)

    def _ends(self) -> Iterator[tuple[str, float, int, int, str]]:
        """Kind, time, net, edge and name of every end of a path."""
        for instance in self.netlist.instances:
            if instance.cell.storage is not None:
                for kind, net, edge, need in self._needs(instance):
                    yield kind, self.arrival[net][edge] + need, net, edge, instance.name
        for name, nets in self.netlist.outputs.items():
            for net in nets:
                if net not in self.clocks:
                    for edge in (RISE, FALL):
                        yield "output", self.arrival[net][edge], net, edge, name

    def _needs(self, instance: Instance) -> Iterator[tuple[str, int, int, float]]:
        """Kind, net, edge and time before the clock of every need of a cell of storage."""
        kind = _KINDS[type(instance.cell.storage)]
        for pin, net in instance.inputs():
            if net not in self.clocks:
                for edge, need in needs_of(pin, "setup", self.slew[net], self.clock_slew):
                    yield kind, net, edge, need
        for name, net in reset_ends(instance, self.netlist.constants):
            needs = recovery_needs(instance, name, self.slew[net], self.clock_slew)
            for edge, need in needs.items():
                yield "reset", net, edge, need

    def _path(self, end: tuple[float, int, int, str]) -> list[str]:
        time, net, edge, name = end
        steps = [f"{name} at {time:.3f}"]
        for _ in range(len(self.netlist.instances)):
            origin = self.origin[net][edge] if net >= 0 else None
            if origin is None:
                break
            index, source, edge_in = origin
            instance = self.netlist.instances[index]
            steps.append(f"{instance.cell.name} {instance.name} at {self.arrival[net][edge]:.3f}")
            if edge_in < 0:
                break
            net, edge = source, edge_in
        return steps[::-1]
