# SPDX-License-Identifier: Apache-2.0
"""The halves of the clock in which latches are open, and the changes that an edge sets off."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from joulemark.errors import ImplementationError
from joulemark.hardware.gate import timing_order
from joulemark.hardware.gate.analysis import CLOCKED, FALL, RISE, Timing, arcs_of_paths, edges_of
from joulemark.hardware.liberty import inputs_of, truth_table
from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch, Pin
from joulemark.hardware.synthesis import Instance, Netlist

# Finds the half of the clock period in which each latch is open, and the controls of clock gates.
#
# The clock network is evaluated from the clock port on, once with the clock low and once with it
# high; every control that comes in from the side is unknown.

LOW, HIGH = 0, 1
"""Halves of the period, by the clock's level."""


@dataclass(frozen=True, slots=True)
class Control:
    """A net that gates the clock with a cell of logic, and must not change in one half."""

    net: int
    half: int
    cell: str


@dataclass(frozen=True, slots=True)
class Gating:
    """When latches are open, and the controls of the clock that must then not change."""

    open_low: frozenset[int]
    """Indices of latches that are open only while the clock is low."""
    open_high: frozenset[int]
    """Indices of latches that are open only while the clock is high."""
    controls: tuple[Control, ...]


def gating_of(netlist: Netlist, clocks: frozenset[int], clock: str) -> Gating:
    """Looks at every cell of the clock network and at all storage; `clock` is the clock's port."""
    levels = [_levels(netlist, clocks, clock, half) for half in (LOW, HIGH)]
    latches: tuple[set[int], set[int]] = (set(), set())
    for index, instance in enumerate(netlist.instances):
        match instance.cell.storage:
            case FlipFlop(clocked_on=function):
                if _value(function, instance, levels[LOW]) != 0:
                    raise ImplementationError(
                        f"{netlist.top}: {instance.name} may act at other times than "
                        f"when {clock} rises"
                    )
            case Latch(enable=function):
                values = [_value(function, instance, of_half) for of_half in levels]
                if 0 not in values:
                    raise ImplementationError(
                        f"{netlist.top}: latch {instance.name} may be open in both halves "
                        f"of {clock}"
                    )
                for half in (LOW, HIGH):
                    if values[half] != 0:
                        latches[half].add(index)
            case _:
                pass
    controls = tuple(_controls(netlist, clocks, levels))
    return Gating(frozenset(latches[LOW]), frozenset(latches[HIGH]), controls)


def _levels(
    netlist: Netlist, clocks: frozenset[int], clock: str, half: int
) -> dict[int, int | None]:
    """Levels of constants, and of the clock's nets in one half; None where controls decide."""
    levels: dict[int, int | None] = dict(netlist.constants)
    levels.update(dict.fromkeys(netlist.inputs.get(clock, []), half))
    cells = [
        instance
        for instance in netlist.instances
        if any(net in clocks for _, net in instance.outputs())
    ]
    left = len(cells) + 1
    while len(cells) < left:
        left, waiting = len(cells), []
        for cell in cells:
            if any(net in clocks and net not in levels for _, net in cell.inputs()):
                waiting.append(cell)
                continue
            for pin, net in cell.outputs():
                levels[net] = _level(netlist, cell, pin.function, levels)
        cells = waiting
    return levels


def _level(
    netlist: Netlist, instance: Instance, function: str | None, levels: Mapping[int, int | None]
) -> int | None:
    if isinstance(instance.cell.storage, ClockGate):
        if not instance.cell.storage.kind.startswith("latch_posedge"):
            raise ImplementationError(
                f"{netlist.top}: clock gate {instance.name} is a {instance.cell.storage.kind}, and "
                "only latch_posedge is understood"
            )
        return 0 if levels.get(instance.pins[instance.cell.storage.clock]) == 0 else None
    return None if function is None else _value(function, instance, levels)


def _states(
    function: str, instance: Instance, levels: Mapping[int, int | None]
) -> Iterator[tuple[int, int, list[str]]]:
    """Truth table of a function, each state that the known levels allow, and names of the bits."""
    names = inputs_of(function)
    table = truth_table(function, names)
    known = [levels.get(instance.pins[name]) if name in instance.pins else None for name in names]
    for state in range(1 << len(names)):
        if all(level is None or state >> bit & 1 == level for bit, level in enumerate(known)):
            yield table, state, names


def _value(function: str, instance: Instance, levels: Mapping[int, int | None]) -> int | None:
    values = {table >> state & 1 for table, state, _ in _states(function, instance, levels)}
    return values.pop() if len(values) == 1 else None


def _controls(
    netlist: Netlist, clocks: frozenset[int], levels: list[dict[int, int | None]]
) -> Iterator[Control]:
    """Controls, which come in from the side, on which clock nets depend in either half."""
    for instance in netlist.instances:
        for pin, driven in instance.outputs():
            if instance.cell.storage is not None or driven not in clocks:
                continue
            for half in (LOW, HIGH):
                deciding = {
                    instance.pins[name]
                    for table, state, names in _states(pin.function or "0", instance, levels[half])
                    for bit, name in enumerate(names)
                    if name in instance.pins
                    and instance.pins[name] not in levels[half]
                    and (table >> state ^ table >> (state ^ 1 << bit)) & 1
                }
                for net in sorted(deciding):
                    yield Control(net, half, instance.name)


# Arrival times of the changes that one edge of the clock sets off, the latest or the earliest.

Arrivals = list[list[float | None]]
"""Rise and fall by net, in the library's unit; None where nothing arrives."""
_Starts = Mapping[int, tuple[float, float]]


class Wave:
    """Changes that go through logic, and through the latches that are open after the edge."""

    def __init__(
        self, netlist: Netlist, clocks: frozenset[int], transparent: frozenset[int]
    ) -> None:
        self.netlist = netlist
        self.clocks = clocks
        self.transparent = transparent
        self.order, self.cut = timing_order(netlist, clocks, transparent)

    def latest(
        self,
        timing: Timing,
        starts: _Starts,
        launching: Container[int],
        entering: Arrivals | None = None,
    ) -> Arrivals:
        """The last change of every net, with the loads and slews of an analysis.

        Changes begin at the nets of `starts`, at known times, and at the storage of `launching`, at
        time 0. `entering` is another wave, which goes on through the latches that are open now.
        """
        slews = [list(slew) for slew in timing.slews]
        run = _Run(timing.loads, slews, launching, entering, latest=True)
        return self._arrivals(run, starts)

    def earliest(
        self, loads: list[float], slew: float, starts: _Starts, launching: Container[int]
    ) -> tuple[Arrivals, list[list[float]]]:
        """The first change of every net, and its quickest slews: `slew` if no arc gives one."""
        slews = [[slew, slew] for _ in range(self.netlist.net_count)]
        run = _Run(loads, slews, launching, None, latest=False)
        return self._arrivals(run, starts), slews

    def _arrivals(self, run: _Run, starts: _Starts) -> Arrivals:
        arrivals: Arrivals = [[None, None] for _ in range(self.netlist.net_count)]
        for start, (rise, fall) in starts.items():
            arrivals[start] = [rise, fall]
        for index in self.order:
            instance = self.netlist.instances[index]
            waves = self._waves_through(index, instance, arrivals, run.entering)
            for pin, net in instance.outputs():
                if net not in self.clocks:
                    arrivals[net] = _output(run, instance, pin, net, waves, index in run.launching)
        return arrivals

    def _waves_through(
        self, index: int, instance: Instance, arrivals: Arrivals, entering: Arrivals | None
    ) -> list[Arrivals]:
        """Waves that go on from the inputs of a cell to its outputs."""
        if not isinstance(instance.cell.storage, Latch):
            return [arrivals]
        if index not in self.transparent:
            return []
        own = [] if index in self.cut else [arrivals]
        return own if entering is None else [*own, entering]


@dataclass(frozen=True, slots=True)
class _Run:
    loads: list[float]
    slews: list[list[float]]
    """Slews of rise and fall by net, which a search for the earliest changes fills in."""
    launching: Container[int]
    entering: Arrivals | None
    latest: bool


def _output(
    run: _Run, instance: Instance, pin: Pin, net: int, waves: list[Arrivals], launches: bool
) -> list[float | None]:
    """Arrival of both edges at an output."""
    times: tuple[list[float], list[float]] = ([], [])
    slews: tuple[list[float], list[float]] = ([], [])
    for arc, source in arcs_of_paths(instance, pin):
        clocked = arc.kind in CLOCKED
        for edge_in, edge, delay, slew in edges_of(arc, run.slews[source], run.loads[net]):
            slews[edge].append(slew)
            if clocked:
                times[edge].extend([delay] if launches else [])
            else:
                starts = (wave[source][edge_in] for wave in waves)
                times[edge].extend(start + delay for start in starts if start is not None)
    if not run.latest:
        for edge in (RISE, FALL):
            run.slews[net][edge] = min(slews[edge], default=run.slews[net][edge])
    choose = max if run.latest else min
    return [choose(of_edge) if of_edge else None for of_edge in times]
