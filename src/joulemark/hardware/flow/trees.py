# SPDX-License-Identifier: Apache-2.0
"""Models the clock and reset trees that layout would add: their buffers, delay and power.

Every net of the clock network, and every reset that comes in at a port, gets a tree of one kind
of buffer, balanced and with the same number of sinks for each buffer of a level. A net that a
cell drives (a gated clock) needs buffers where it has more sinks than one buffer may drive; its
driver is the root. A port's tree ends in one buffer. Resets that logic makes are in the
netlist, buffers and all (`gate.nets`), so they have no tree here.

The buffer is the library's smallest that drives 16 to 24 mean sinks, the more the better, with
0.7 of its largest load and with a slew of at most a tenth of the largest in its tables. Where
none does, it is the one with the least slew at 16 sinks, with as many as its largest load
allows.

Each buffer has the wires to its sinks by the wire model; the distances of sinks are not known.
Delay cells that would balance unlike branches or mend hold times are not counted. The skew is a
share of the insertion delay, the part of it that branches do not have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from joulemark.hardware.gate import PART_OF_LIMIT, buffers_of, largest_slew, most_load
from joulemark.hardware.gate.analysis import CLOCK_SLEW_S, Timing, recovery_needs, reset_pins
from joulemark.hardware.liberty.library import LibraryCell
from joulemark.hardware.synthesis import Instance, Netlist

SKEW_SHARE: Final = 0.10
"""Share of the insertion delay by which the clock's arrival may differ between two sinks."""
_MOST, _FEWEST = 24, 16
"""Numbers of sinks of one buffer that are tried, the most first."""
_SLEW_SHARE: Final = 0.1
"""Share of the largest slew in a buffer's tables that its output may have."""


@dataclass(frozen=True, slots=True)
class BufferTree:
    """The buffers of one net."""

    net: int
    kind: str
    """`clock` or `reset`."""
    sinks: int
    levels: tuple[int, ...]
    """Number of buffers by level, the level at the sinks first; empty if the driver suffices."""
    delay_s: float
    """Delay from the driver's output to the sinks."""
    energy_per_toggle_j: float
    """Energy of the buffers and their loads, less the load that they take from the driver."""


@dataclass(frozen=True, slots=True)
class Trees:
    """All trees of a core, and the figures that they add to it."""

    buffer: str | None
    """Name of the cell; None if the library has no buffer, and so no tree is modelled."""
    sinks_per_buffer: int
    trees: tuple[BufferTree, ...]
    clock_area_um2: float
    reset_area_um2: float
    leakage_w: float
    insertion_s: float
    """Delay from the clock port to the sinks that it reaches last, clock gates on the way
    included."""
    skew_s: float
    reset_release_s: float
    """Time of a reset at a port through its tree, with the longest recovery time."""

    def energy_j(self, toggles: npt.NDArray[np.int64]) -> float:
        """Dynamic energy of a window with these numbers of toggles by net."""
        return float(sum(tree.energy_per_toggle_j * toggles[tree.net] for tree in self.trees))

    def counts(self, kind: str) -> int:
        """Number of buffers in all trees of a kind."""
        return _buffers(self.trees, kind)


def _buffers(trees: Iterable[BufferTree], kind: str) -> int:
    return sum(sum(tree.levels) for tree in trees if tree.kind == kind)


def model_trees(netlist: Netlist, timing: Timing, clock: str) -> Trees:
    """Trees for the clock network, which begins at the port `clock`, and for resets of ports."""
    sinks = netlist.sinks()
    roots = {net for nets in netlist.inputs.values() for net in nets}
    resets = sorted(
        net
        for name, nets in netlist.inputs.items()
        if name != clock
        for net in nets
        if any(pin in reset_pins(instance.cell) for instance, pin in sinks.get(net, ()))
    )
    clocks = sorted(timing.clocks)
    chosen = _choose(netlist, timing, [pin for net in clocks for pin in sinks.get(net, ())])
    if chosen is None:
        return Trees(None, 0, (), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    grown = [
        chosen.tree(net, kind, sinks.get(net, []), at_port=net in roots)
        for kind, nets in (("clock", clocks), ("reset", resets))
        for net in nets
    ]
    trees = {tree.net: tree for tree in grown}
    insertion_s = _insertion_s(chosen, trees)
    releases_s = (trees[net].delay_s + _recovery_s(chosen, sinks[net]) for net in resets)
    clock_buffers, reset_buffers = (_buffers(grown, kind) for kind in ("clock", "reset"))
    return Trees(
        buffer=chosen.cell.name,
        sinks_per_buffer=chosen.sinks,
        trees=tuple(grown),
        clock_area_um2=chosen.cell.area_um2 * clock_buffers,
        reset_area_um2=chosen.cell.area_um2 * reset_buffers,
        leakage_w=chosen.leakage_w * (clock_buffers + reset_buffers),
        insertion_s=insertion_s,
        skew_s=SKEW_SHARE * insertion_s,
        reset_release_s=max(releases_s, default=0.0),
    )


@dataclass(frozen=True, slots=True)
class _ChosenBuffer:
    """A buffer, the number of its sinks, and its costs with so many."""

    netlist: Netlist
    timing: Timing
    cell: LibraryCell
    sinks: int
    slew: float
    """Slew of its input, which another such buffer drives, in the library's unit."""

    @property
    def leakage_w(self) -> float:
        states = [leakage.value for leakage in self.cell.leakages]
        mean = sum(states) / len(states) if states else self.cell.leakage
        return mean * self.netlist.library.units.leakage_w

    @property
    def input_capacitance(self) -> float:
        return self.cell.inputs()[0].capacitance

    def tree(
        self, net: int, kind: str, sinks: Sequence[tuple[Instance, str]], *, at_port: bool
    ) -> BufferTree:
        """The tree of a net with these sinks."""
        pins = sum(instance.cell.pins[pin].capacitance for instance, pin in sinks)
        charge_j = self.netlist.library.charge_j
        count, levels = len(sinks), []
        delay = energy = 0.0
        while count > (1 if at_port else self.sinks):
            buffers = -(-count // self.sinks)
            load = pins / buffers + self.timing.wire.load(-(-count // buffers))
            delay += _worst(self.cell, "delay", self.slew, load)
            energy += buffers * (self._internal_j(load) + charge_j(load))
            levels.append(buffers)
            count, pins = buffers, buffers * self.input_capacitance
        if levels:
            root = pins + self.timing.wire.load(count)
            energy += charge_j(root) - charge_j(self.timing.loads[net])
        unit = self.netlist.library.units.time_s
        return BufferTree(net, kind, len(sinks), tuple(levels), delay * unit, energy)

    def _internal_j(self, load: float) -> float:
        """Energy within the buffer: means over the edges of its input and of its output."""
        energies = (energy for pin in self.cell.pins.values() for energy in pin.energies)
        tables = [list(energy.edges.values()) for energy in energies if energy.edges]
        means = (sum(table.at(self.slew, load) for table in edges) / len(edges) for edges in tables)
        return sum(means, start=0.0) * self.netlist.library.units.energy_j


def _choose(
    netlist: Netlist, timing: Timing, sinks: Sequence[tuple[Instance, str]]
) -> _ChosenBuffer | None:
    candidates = buffers_of(netlist.library)
    if not candidates or not sinks:
        return None
    pin = sum(instance.cell.pins[name].capacitance for instance, name in sinks) / len(sinks)
    start = CLOCK_SLEW_S / netlist.library.units.time_s

    def load(count: int) -> float:
        return count * pin + timing.wire.load(count)

    def fits(cell: LibraryCell, count: int) -> bool:
        return load(count) <= PART_OF_LIMIT * most_load(cell)

    for cell in candidates:
        for count in range(_MOST, _FEWEST - 1, -1):
            slew = _worst(cell, "transition", start, load(count))
            if fits(cell, count) and slew <= _SLEW_SHARE * largest_slew([cell]):
                return _ChosenBuffer(netlist, timing, cell, count, slew)
    cell = min(
        candidates, key=lambda candidate: _worst(candidate, "transition", start, load(_FEWEST))
    )
    count = next((count for count in range(_FEWEST, 2, -1) if fits(cell, count)), 2)
    return _ChosenBuffer(
        netlist, timing, cell, count, _worst(cell, "transition", start, load(count))
    )


def _worst(
    cell: LibraryCell, quantity: str, slew: float, load: float, sources: Sequence[str] = ()
) -> float:
    """Longest `delay` or `transition` of a cell's arcs, from these inputs or, if none, from any."""
    return max(
        (
            table.at(slew, load)
            for pin in cell.outputs()
            for arc in pin.arcs
            if not sources or arc.related_pin in sources
            for table in getattr(arc, quantity).values()
        ),
        default=0.0,
    )


def _insertion_s(chosen: _ChosenBuffer, trees: dict[int, BufferTree]) -> float:
    """Longest way of the clock to a sink, through trees and the cells that gate it."""
    netlist, timing = chosen.netlist, chosen.timing
    drivers = {net: driver for net, driver in netlist.drivers().items() if net in timing.clocks}
    unit = netlist.library.units.time_s
    arrivals_s: dict[int, float] = {}

    def at_sinks_s(net: int, passed: frozenset[int]) -> float:
        if net not in arrivals_s:
            before = 0.0
            if net in drivers and net not in passed:
                instance = netlist.instances[drivers[net][0]]
                sources = {
                    pin.name: source for pin, source in instance.inputs() if source in timing.clocks
                }
                tree = trees[net]
                load = (
                    tree.levels[-1] * chosen.input_capacitance + timing.wire.load(tree.levels[-1])
                    if tree.levels
                    else timing.loads[net]
                )
                before = _worst(
                    instance.cell, "delay", chosen.slew, load, list(sources)
                ) * unit + max(
                    (at_sinks_s(source, passed | {net}) for source in sources.values()), default=0.0
                )
            arrivals_s[net] = before + trees[net].delay_s
        return arrivals_s[net]

    return max((at_sinks_s(net, frozenset()) for net in timing.clocks), default=0.0)


def _recovery_s(chosen: _ChosenBuffer, sinks: Sequence[tuple[Instance, str]]) -> float:
    """Longest recovery time of the reset pins among these."""
    slews = (chosen.slew, chosen.slew)
    return chosen.netlist.library.units.time_s * max(
        (
            need
            for instance, pin in sinks
            if pin in reset_pins(instance.cell)
            for need in recovery_needs(instance, pin, slews, chosen.slew).values()
        ),
        default=0.0,
    )
