# SPDX-License-Identifier: Apache-2.0
"""Arrival times of the changes that one edge of the clock sets off, the latest or the earliest."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from joulemark.hardware.liberty.library import Latch, Pin
from joulemark.hardware.synthesis.netlist import Instance, Netlist
from joulemark.hardware.timing.analysis import Timing
from joulemark.hardware.timing.arcs import CLOCKED, FALL, RISE, edges_of, is_path
from joulemark.hardware.timing.order import timing_order

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

        Args:
            timing: the analysis.
            starts: nets that change at a known time.
            launching: indices of storage that sets off changes at time 0.
            entering: another wave, which goes on through the latches that are open now.
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
    for arc in pin.arcs:
        source = instance.pins.get(arc.related_pin)
        if source is None or not is_path(instance, arc):
            continue
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
