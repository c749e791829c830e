# SPDX-License-Identifier: Apache-2.0
"""Clock and reset trees as layout would add them: a model of their buffers, delay and power.

Every net of the clock network, and every reset that comes in at a port, gets a tree of one kind of
buffer, balanced and with the same number of sinks for each buffer of a level. A net that a cell
drives (a gated clock) needs buffers where it has more sinks than one buffer may drive; its driver
is the root. A port's tree ends in one buffer. Resets that logic makes are in the netlist, buffers
and all (`synthesis.buffers`), so they have no tree here.

The buffer is the library's smallest that drives 16 to 24 mean sinks, the more the better, with 0.7
of its largest load and with a slew of at most a tenth of the largest in its tables. Where none
does, it is the one with the least slew at 16 sinks, with as many as its largest load allows.

Of the wires to its sinks each buffer has those of the wire model; how far apart sinks lie is not
known. Delay cells that would balance unlike branches or mend hold times are not counted. The skew
is a share of the insertion delay, the part of it that branches do not have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from joulemark.hardware.liberty.library import Cell
from joulemark.hardware.synthesis.buffers import PART_OF_LIMIT, buffers_of
from joulemark.hardware.synthesis.netlist import Instance, Netlist
from joulemark.hardware.timing.analysis import CLOCK_SLEW_S, Timing
from joulemark.hardware.timing.resets import recovery_needs, reset_pins

__all__ = ["SKEW_SHARE", "Tree", "Trees", "model_trees"]

SKEW_SHARE: Final = 0.10
"""Of the insertion delay: what the clock's arrival is taken to differ by between two sinks."""
_MOST, _FEWEST = 24, 16
"""Sinks of one buffer that are tried, the most first."""
_SLEW_SHARE: Final = 0.1
"""Of the largest slew in a buffer's tables, what its output may have."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The buffers of one net."""

    net: int
    name: str
    kind: str
    """`clock` or `reset`."""
    sinks: int
    levels: tuple[int, ...]
    """Buffers by level, those at the sinks first; none where the driver needs no help."""
    delay_s: float
    """From the driver's output to the sinks."""
    energy_per_toggle_j: float
    """Of its buffers and their loads, less the load that they take from the driver."""


@dataclass(frozen=True, slots=True)
class Trees:
    """What all trees of a core add to it."""

    buffer: str | None
    """Cell; None where the library has no buffer, and so no tree is modelled."""
    sinks_per_buffer: int
    trees: tuple[Tree, ...]
    clock_area_um2: float
    reset_area_um2: float
    leakage_w: float
    insertion_s: float
    """From the clock port to the sinks that it reaches last, clock gates on the way included."""
    skew_s: float
    reset_release_s: float
    """Of a reset at a port: through its tree, with the longest recovery time."""

    def energy_j(self, toggles: npt.NDArray[np.int64]) -> float:
        """Dynamic energy of a window with so many toggles by net."""
        return float(sum(tree.energy_per_toggle_j * toggles[tree.net] for tree in self.trees))

    def counts(self, kind: str) -> int:
        """Buffers of all trees of a kind."""
        return sum(sum(tree.levels) for tree in self.trees if tree.kind == kind)


def model_trees(netlist: Netlist, timing: Timing, clock: str) -> Trees:
    """Trees for the clock network and for resets of ports.

    Args:
        netlist: The circuit.
        timing: Its loads and wire model.
        clock: Port of the clock.
    """
    sinks = netlist.sinks()
    roots = {net for nets in netlist.inputs.values() for net in nets}
    resets = sorted(
        net for name, nets in netlist.inputs.items() if name != clock for net in nets
        if any(pin in reset_pins(instance.cell) for instance, pin in sinks.get(net, ()))
    )  # fmt: skip
    clocks = sorted(timing.clocks)
    chosen = _choose(netlist, timing, [pin for net in clocks for pin in sinks.get(net, ())])
    if chosen is None:
        return Trees(None, 0, (), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    grown = [
        chosen.tree(netlist, net, kind, sinks.get(net, []), at_port=net in roots)
        for kind, nets in (("clock", clocks), ("reset", resets))
        for net in nets
    ]
    trees = {tree.net: tree for tree in grown}
    insertion_s = _insertion(netlist, timing, chosen, trees)
    found = Trees(
        buffer=chosen.cell.name, sinks_per_buffer=chosen.sinks, trees=tuple(grown),
        clock_area_um2=0.0, reset_area_um2=0.0, leakage_w=0.0, insertion_s=insertion_s,
        skew_s=SKEW_SHARE * insertion_s,
        reset_release_s=max(
            (trees[net].delay_s + _recovery(netlist, chosen, sinks[net]) for net in resets),
            default=0.0,
        ),
    )  # fmt: skip
    each = chosen.cell.area_um2
    return replace(
        found,
        clock_area_um2=each * found.counts("clock"),
        reset_area_um2=each * found.counts("reset"),
        leakage_w=chosen.leakage_w * (found.counts("clock") + found.counts("reset")),
    )


@dataclass(frozen=True, slots=True)
class _ChosenBuffer:
    """A buffer, how many sinks it gets, and what it costs with so many."""

    netlist: Netlist
    timing: Timing
    cell: Cell
    sinks: int
    slew: float
    """Of its input, in the library's unit: that of another such buffer."""

    @property
    def leakage_w(self) -> float:
        states = [leakage.value for leakage in self.cell.leakages]
        mean = sum(states) / len(states) if states else self.cell.leakage
        return mean * self.netlist.library.units.leakage_w

    @property
    def input_capacitance(self) -> float:
        return self.cell.inputs()[0].capacitance

    def tree(
        self, netlist: Netlist, net: int, kind: str, sinks: Sequence[tuple[Instance, str]], *,
        at_port: bool,
    ) -> Tree:  # fmt: skip
        """The tree of a net with these sinks."""
        pins = sum(instance.cell.pins[pin].capacitance for instance, pin in sinks)
        count, levels = len(sinks), []
        delay = energy = 0.0
        while count > (1 if at_port else self.sinks):
            buffers = -(-count // self.sinks)
            load = pins / buffers + self.timing.wire.load(-(-count // buffers))
            delay += _worst(self.cell, "delay", self.slew, load)
            energy += buffers * (self._internal_j(load) + self._charge_j(load))
            levels.append(buffers)
            count, pins = buffers, buffers * self.input_capacitance
        if levels:
            root = pins + self.timing.wire.load(count)
            energy += self._charge_j(root) - self._charge_j(self.timing.loads[net])
        return Tree(
            net, netlist.names.get(net, f"n{net}"), kind, len(sinks), tuple(levels),
            delay * netlist.library.units.time_s, energy,
        )  # fmt: skip

    def _charge_j(self, load: float) -> float:
        """Half of C V squared."""
        library = self.netlist.library
        volts = library.nominal_voltage_v * library.units.voltage_v
        return 0.5 * load * library.units.capacitance_f * volts**2

    def _internal_j(self, load: float) -> float:
        """Mean of the edges, of input and output, with its own slew."""
        unit = self.netlist.library.units.energy_j
        total = 0.0
        for pin in self.cell.pins.values():
            for energy in pin.energies:
                edges = [table.at(self.slew, load) for table in energy.edges.values()]
                total += sum(edges) / len(edges) if edges else 0.0
        return total * unit


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

    def fits(cell: Cell, count: int) -> bool:
        return load(count) <= PART_OF_LIMIT * (cell.outputs()[0].max_capacitance or 0.0)

    for cell in candidates:
        for count in range(_MOST, _FEWEST - 1, -1):
            slew = _worst(cell, "transition", start, load(count))
            if fits(cell, count) and slew <= _SLEW_SHARE * _largest_slew(cell):
                return _ChosenBuffer(netlist, timing, cell, count, slew)
    cell = min(
        candidates, key=lambda candidate: _worst(candidate, "transition", start, load(_FEWEST))
    )
    count = next((count for count in range(_FEWEST, 2, -1) if fits(cell, count)), 2)
    return _ChosenBuffer(
        netlist, timing, cell, count, _worst(cell, "transition", start, load(count))
    )


def _worst(cell: Cell, what: str, slew: float, load: float, sources: Sequence[str] = ()) -> float:
    """Longest `delay` or `transition` of a cell's arcs, from these inputs or any."""
    return max(
        (
            table.at(slew, load)
            for pin in cell.outputs()
            for arc in pin.arcs
            if not sources or arc.related_pin in sources
            for table in getattr(arc, what).values()
        ),
        default=0.0,
    )


def _largest_slew(cell: Cell) -> float:
    return max(
        (table.slews[-1] for arc in cell.outputs()[0].arcs for table in arc.delay.values()),
        default=0.0,
    )


def _insertion(
    netlist: Netlist, timing: Timing, chosen: _ChosenBuffer, trees: dict[int, Tree]
) -> float:
    """Longest way of the clock to a sink, through trees and the cells that gate it, in seconds."""
    drivers = {net: found for net, found in netlist.drivers().items() if net in timing.clocks}
    unit = netlist.library.units.time_s
    found: dict[int, float] = {}

    def at_sinks(net: int, passed: frozenset[int]) -> float:
        if net not in found:
            before = 0.0
            if net in drivers and net not in passed:
                instance, _ = drivers[net]
                sources = {
                    pin.name: instance.pins[pin.name] for pin in instance.cell.inputs()
                    if instance.pins.get(pin.name) in timing.clocks
                }  # fmt: skip
                tree = trees[net]
                load = (
                    tree.levels[-1] * chosen.input_capacitance + timing.wire.load(tree.levels[-1])
                    if tree.levels
                    else timing.loads[net]
                )
                before = _worst(
                    instance.cell, "delay", chosen.slew, load, list(sources)
                ) * unit + max(
                    (at_sinks(source, passed | {net}) for source in sources.values()), default=0.0
                )
            found[net] = before + trees[net].delay_s
        return found[net]

    return max((at_sinks(net, frozenset()) for net in timing.clocks), default=0.0)


def _recovery(
    netlist: Netlist, chosen: _ChosenBuffer, sinks: Sequence[tuple[Instance, str]]
) -> float:
    """Longest recovery time of the reset pins among these, in seconds."""
    slews = (chosen.slew, chosen.slew)
    return netlist.library.units.time_s * max(
        (
            need
            for instance, pin in sinks
            if pin in reset_pins(instance.cell)
            for need in recovery_needs(instance, pin, slews, chosen.slew).values()
        ),
        default=0.0,
    )
