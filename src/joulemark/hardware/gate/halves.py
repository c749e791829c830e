# SPDX-License-Identifier: Apache-2.0
"""Fits paths between latches into halves of the period, and finds the slack of hold times.

The clock is high for half of each period. It rises at 0, falls at T/2 and rises again at T. Three
waves of changes run through the circuit, and paths that `analysis` takes for one long path are held
to these moments:

rise   from flip-flops, input ports, latches that open while the clock is high, and the clock where
       it is data; through latches that are open while it is high
late   changes of that wave that come through latches that are open while the clock is low
fall   at T/2, from latches that open then, and the clock where it is data; through such latches

Everything has settled at T, with the set-up time of storage that acts or closes then, and the
recovery time of storage that a reset lets go. Latches that are open while the clock is high take
the first wave before T/2, and so do gates of the clock that must stand still while it is low. A
change that meets such a gate, or a latch's own wave, at another time has no budget: it is a hazard,
and is named.

Hold: the earliest change after an edge comes no sooner than the hold, or removal, time of storage
that acts or closes at that edge. Input ports are left out, since the user decides when they change.

This simplifies: the clock is ideal but for a skew that is asked for, so that the slack of the hold
times is the difference that the clock's arrival may have. Nothing borrows time beyond the end of a
period. Paths are structural: even paths count that the circuit's control never opens. Where latches
that are open at the same time close a loop, it is cut at a latch, as `analysis` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from joulemark.hardware.gate import net_loads, taken_pins, wire_model
from joulemark.hardware.gate.analysis import (
    CLOCK_SLEW_S,
    FALL,
    RISE,
    Timing,
    needs_of,
    recovery_needs,
    removal_needs,
    reset_ends,
)
from joulemark.hardware.gate.waves import LOW, Gating, Wave, gating_of
from joulemark.hardware.liberty.library import FlipFlop
from joulemark.hardware.synthesis import Instance, Netlist


@dataclass(frozen=True, slots=True)
class Halves:
    """Budgets and hold times of a clock of two equal halves."""

    period_s: float
    """The shortest period in which everything settles in time, with an ideal clock."""
    period_with_skew_s: float
    """Shortest period if the clock's arrivals may differ by the skew: each budget loses it once."""
    limit: str
    """The wave that decides the period, and the cell or port at which it ends."""
    hold_slack_s: float | None
    """Smallest slack, for pins' capacitance alone; None if nothing can change too early."""
    hold_limit: str
    """The cell, or its reset, with the smallest slack."""
    hazards: tuple[str, ...]
    """Cells whose gate of the clock may change while it must stand still."""
    latches: tuple[int, int]
    """Number of latches open while the clock is low, and while it is high."""
    cut_latches: int
    """Number of latches at which a loop was cut."""


def check_halves(netlist: Netlist, timing: Timing, clock: str, skew_s: float = 0.0) -> Halves:
    """Budgets with the loads and slews of an analysis; hold times without wires.

    `skew_s` is the largest difference of the clock's arrival between two places.
    """
    gating = gating_of(netlist, timing.clocks, clock)
    rise = Wave(netlist, timing.clocks, gating.open_high)
    fall = Wave(netlist, timing.clocks, gating.open_low)
    ports = {
        net: (0.0, 0.0) for name, nets in netlist.inputs.items() if name != clock for net in nets
    }
    at_rise = {
        index
        for index, instance in enumerate(netlist.instances)
        if isinstance(instance.cell.storage, FlipFlop)
    }
    edges = dict.fromkeys(timing.clocks, (0.0, 0.0))
    first = rise.latest(timing, ports | edges, at_rise | gating.open_high)
    late = fall.latest(timing, {}, frozenset(), entering=first)
    second = fall.latest(timing, edges, gating.open_low)
    ends = list(_ends(netlist, timing, gating))
    budgets = [
        (share * (arrival + need), share, f"{wave} at {name}")
        for net, edge, need, before_fall, name in ends
        for wave, arrivals, share in (
            ("rise", first, 2 if before_fall else 1),
            ("late", late, 1),
            ("fall", second, 2),
        )
        if (arrival := arrivals[net][edge]) is not None
    ]
    hazards: set[str] = set()
    for control in gating.controls:
        low = control.half == LOW
        net, gate = control.net, f"gate of the clock at {control.cell}"
        for wave, arrivals, share in (("rise", first, 2), ("late", late, 1), ("fall", second, 2)):
            settled = max((at for at in arrivals[net] if at is not None), default=None)
            if settled is not None:
                budgets.append((share * settled, share, f"{wave} at {gate}"))
                if (wave == "rise") != low:
                    hazards.add(control.cell)
    unit = netlist.library.units.time_s
    period, _, limit = max(budgets, default=(0.0, 1, ""))
    slack, tightest = min(
        _holds(netlist, timing, gating, (rise, at_rise), fall), default=(None, "")
    )
    skewed = max((at * unit + share * skew_s for at, share, _ in budgets), default=0.0)
    return Halves(
        period_s=period * unit,
        period_with_skew_s=skewed,
        limit=limit,
        hold_slack_s=None if slack is None else slack * unit,
        hold_limit=tightest,
        hazards=tuple(sorted(hazards)),
        latches=(len(gating.open_low), len(gating.open_high)),
        cut_latches=len(rise.cut) + len(fall.cut),
    )


def _pins(netlist: Netlist, clocks: frozenset[int]) -> Iterator[tuple[int, Instance, str, int]]:
    """Index, cell, pin and net of every input that storage takes, without clock nets."""
    for index, instance in enumerate(netlist.instances):
        for name in taken_pins(instance.cell):
            net = instance.pins.get(name)
            if net is not None and net not in clocks:
                yield index, instance, name, net


def _ends(
    netlist: Netlist, timing: Timing, gating: Gating
) -> Iterator[tuple[int, int, float, bool, str]]:
    """Net, edge, set-up time, whether the clock's fall ends its budget, and name of each end."""
    clock_slew = CLOCK_SLEW_S / netlist.library.units.time_s
    for index, instance, name, net in _pins(netlist, timing.clocks):
        needs = dict(needs_of(instance.cell.pins[name], "setup", timing.slews[net], clock_slew))
        for edge in (RISE, FALL):
            yield net, edge, needs.get(edge, 0.0), index in gating.open_high, instance.name
    for index, instance in enumerate(netlist.instances):
        for name, net in reset_ends(instance, netlist.constants):
            for edge, need in recovery_needs(instance, name, timing.slews[net], clock_slew).items():
                yield net, edge, need, index in gating.open_high, f"the reset of {instance.name}"
    for name, nets in netlist.outputs.items():
        for net in set(nets) - timing.clocks:
            for edge in (RISE, FALL):
                yield net, edge, 0.0, False, name


def _holds(
    netlist: Netlist, timing: Timing, gating: Gating, rise: tuple[Wave, set[int]], fall: Wave
) -> Iterator[tuple[float, str]]:
    """Slack of every pin that a change can reach soon after the edge that ends its hold time."""
    clock_slew = CLOCK_SLEW_S / netlist.library.units.time_s
    loads = net_loads(netlist, wire_model(netlist, "none"))
    edges: Mapping[int, tuple[float, float]] = dict.fromkeys(timing.clocks, (0.0, 0.0))
    early = rise[0].earliest(loads, clock_slew, edges, rise[1] | gating.open_high)
    fallen = fall.earliest(loads, clock_slew, edges, gating.open_low)
    for index, instance, name, net in _pins(netlist, timing.clocks):
        arrivals, quickest = fallen if index in gating.open_high else early
        # Either slew may ask for the longer time, as the library has it.
        needs = [
            dict(needs_of(instance.cell.pins[name], "hold", slews, clock_slew))
            for slews in (timing.slews[net], quickest[net])
        ]
        for edge in (RISE, FALL):
            arrival = arrivals[net][edge]
            if arrival is not None:
                yield arrival - max(need.get(edge, 0.0) for need in needs), instance.name
    for index, instance in enumerate(netlist.instances):
        for name, net in reset_ends(instance, netlist.constants):
            arrivals, quickest = fallen if index in gating.open_high else early
            for edge, need in removal_needs(instance, name, quickest[net], clock_slew).items():
                arrival = arrivals[net][edge]
                if arrival is not None:
                    yield arrival - need, f"the reset of {instance.name}"
