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

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from joulemark.hardware.gate import WireModel, clock_nets, net_loads, timing_order
from joulemark.hardware.liberty import inputs_of, truth_table
from joulemark.hardware.liberty.library import Arc, ClockGate, FlipFlop, Latch, LibraryCell, Pin
from joulemark.hardware.synthesis import Instance, Netlist

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
            for arc, source in arcs_of_paths(instance, pin):
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


# Arcs of a cell as timing walks them: which are paths, and the delay of an edge through one.

RISE, FALL = 0, 1
EDGES = ("rise", "fall")
CLOCKED = {"rising_edge", "falling_edge"}
"""Kinds of arcs from a clock or a latch's gate to an output."""


def arcs_of_paths(instance: Instance, output: Pin) -> Iterator[tuple[Arc, int]]:
    """Arcs of an output that paths take, each with the net of its related pin.

    They take no reset, and none but the clock's through a flip-flop.
    """
    storage = instance.cell.storage
    for arc in output.arcs:
        through = storage is None or (
            arc.kind == "combinational" and not isinstance(storage, FlipFlop)
        )
        source = instance.pins.get(arc.related_pin)
        if source is not None and arc.delay and (through or arc.kind in CLOCKED):
            yield arc, source


def edges_of(
    arc: Arc, slews: Sequence[float], load: float
) -> Iterator[tuple[int, int, float, float]]:
    """Edge of the related pin, edge of the output, delay and slew of the output.

    `slews` are those of rise and fall at the related pin.
    """
    for edge_in, edge in _pairs(arc):
        delay = arc.delay.get(EDGES[edge])
        if delay is not None:
            slew = slews[edge_in]
            after = arc.transition.get(EDGES[edge])
            yield (
                edge_in,
                edge,
                delay.at(slew, load),
                max(after.at(slew, load), 0.0) if after is not None else 0.0,
            )


def needs_of(
    pin: Pin, kind: str, slews: Sequence[float], clock_slew: float
) -> Iterator[tuple[int, float]]:
    """Edges for which a pin has a `setup` or `hold` time, each with the largest time."""
    for edge in (RISE, FALL):
        needs = [
            arc.constraint[EDGES[edge]].at(slews[edge], clock_slew)
            for arc in pin.arcs
            if arc.kind.startswith(kind) and EDGES[edge] in arc.constraint
        ]
        if needs:
            yield edge, max(needs)


def _pairs(arc: Arc) -> tuple[tuple[int, int], ...]:
    """Edges of the related pin and of the output that go together."""
    if arc.kind == "rising_edge":
        return ((RISE, RISE), (RISE, FALL))
    if arc.kind == "falling_edge":
        return ((FALL, RISE), (FALL, FALL))
    if arc.sense == "positive_unate":
        return ((RISE, RISE), (FALL, FALL))
    if arc.sense == "negative_unate":
        return ((FALL, RISE), (RISE, FALL))
    return ((RISE, RISE), (FALL, RISE), (RISE, FALL), (FALL, FALL))


# Pins that set or clear storage without the clock, and the times that they need around its edge.
#
# A reset that logic makes is let go in some period, and storage must know in time whether the next
# edge of the clock counts. Libraries say so as recovery (before the edge) and removal (after it)
# times. Where a library has none for a cell, the largest set-up and hold times of the cell's other
# pins stand in: they bound the same race, of a change against the edge that closes the same latch.
# The edge that begins a reset has neither time. It must come by the end of the period, as data
# must, so that a core's wipe is done within the period in which it begins.
#
# Changes that a reset sets off at the outputs of storage are no paths, as in timing tools' default.

_STANDS_IN = {"recovery": "setup", "removal": "hold"}


def reset_pins(cell: LibraryCell) -> frozenset[str]:
    """Names of the input pins that set or clear the cell whatever its clock does."""
    if not isinstance(cell.storage, FlipFlop | Latch):
        return frozenset()
    functions = [text for text in (cell.storage.clear, cell.storage.preset) if text is not None]
    return frozenset(
        name for function in functions for name in inputs_of(function) if name in cell.pins
    )


def reset_ends(instance: Instance, constants: Container[int]) -> Iterator[tuple[str, int]]:
    """Name and net of each reset pin that a net other than a constant drives."""
    for name in sorted(reset_pins(instance.cell)):
        net = instance.pins.get(name)
        if net is not None and net not in constants:
            yield name, net


def recovery_needs(
    instance: Instance, pin: str, slews: Sequence[float], clock_slew: float
) -> dict[int, float]:
    """Time before the clock by which a reset pin must have changed, by edge.

    `slews` are those of rise and fall at the pin, in the library's unit.
    """
    return {RISE: 0.0, FALL: 0.0} | dict(_needs(instance, pin, "recovery", slews, clock_slew))


def removal_needs(
    instance: Instance, pin: str, slews: Sequence[float], clock_slew: float
) -> dict[int, float]:
    """Time after the clock before which a reset pin must not be let go, by edge that lets go."""
    return dict(_needs(instance, pin, "removal", slews, clock_slew))


def _needs(
    instance: Instance, pin: str, kind: str, slews: Sequence[float], clock_slew: float
) -> Iterator[tuple[int, float]]:
    own = list(needs_of(instance.cell.pins[pin], kind, slews, clock_slew))
    if own:
        yield from own
        return
    others = [
        need
        for other in instance.cell.inputs()
        for _, need in needs_of(other, _STANDS_IN[kind], slews, clock_slew)
    ]
    yield _release_edge(instance.cell, pin), max(others, default=0.0)


def without_recovery(cell: LibraryCell) -> bool:
    """Whether the cell has a reset pin for which the library gives no recovery time."""
    return any(
        not any(arc.kind.startswith("recovery") for arc in cell.pins[name].arcs)
        for name in reset_pins(cell)
    )


def _release_edge(cell: LibraryCell, pin: str) -> int:
    """The edge that lets go: to the level at which the pin alone does not reset."""
    storage = cell.storage
    assert isinstance(storage, FlipFlop | Latch)
    for function in (storage.clear, storage.preset):
        if function is not None and pin in (names := inputs_of(function)):
            table = truth_table(function, names)
            bit = 1 << names.index(pin)
            resets_low = any(
                table >> state & 1 for state in range(1 << len(names)) if not state & bit
            )
            return RISE if resets_low else FALL
    raise AssertionError(f"{pin} resets nothing in {cell.name}")
