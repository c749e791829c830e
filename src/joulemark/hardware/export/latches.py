# SPDX-License-Identifier: Apache-2.0
"""Writes the exceptions by which a timing tool treats latches as the report does.

Like the report, tools let a change that comes after a latch has opened go on through it until it
closes. Where latches that are open together close a loop, the report cuts it at one of them; a tool
would go round.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.errors import ImplementationError
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.tcl import comment, tcl_list
from joulemark.hardware.liberty.function import inputs_of
from joulemark.hardware.liberty.library import FlipFlop, Latch
from joulemark.hardware.timing.gating import gating_of
from joulemark.hardware.timing.wave import Wave

__all__ = ["latch_exceptions"]


def latch_exceptions(circuit: Circuit, names: Names) -> Iterator[str]:
    """Commands with their reasons, for a core that has latches."""
    netlist, clocks = circuit.netlist, circuit.timing.clocks
    if not any(isinstance(instance.cell.storage, Latch) for instance in netlist.instances):
        return
    yield ""
    try:
        gating = gating_of(netlist, clocks, circuit.core.clock)
    except ImplementationError as error:
        yield from comment(
            f"Latches have no exceptions here, since their clock is not understood: {error}."
        )
        return
    yield from comment(
        f"""Latches: {len(gating.open_low)} are open while the clock is low,
        {len(gating.open_high)} while it is high."""
    )
    cut = Wave(netlist, clocks, gating.open_low).cut | Wave(netlist, clocks, gating.open_high).cut
    if cut:
        yield from comment(
            """Latches that are open in the same half close loops. The report cuts each loop at one
            latch: a path ends there, and another begins with its gate. That a loop is never open
            all round is the core's promise, which timing cannot see. What the other edge set off
            goes on through that latch in the report, and ends there for a tool, which may
            therefore pass a shorter period."""
        )
    for index in sorted(cut):
        latch = netlist.instances[index]
        for out in latch.cell.outputs():
            for arc in out.arcs:
                if arc.kind == "combinational" and out.name in latch.pins:
                    yield (
                        f"set_disable_timing -from {tcl_list([arc.related_pin])} "
                        f"-to {tcl_list([out.name])} [get_cells {names.instance(index)}]"
                    )
    if not gating.open_high:
        return
    yield from comment(
        """What the rising edge sets off goes on in the same period through latches that it opens,
        and settles before they close. OpenSTA takes it so; a tool that waits for the next opening
        edge gives such a path a period more than the report does."""
    )
    settled = list(_settled_pins(circuit, names, gating.open_high))
    if settled:
        yield from comment(
            """Nothing of that comes to these. What does come has settled when they open: the report
            lets nothing borrow time beyond the end of a period."""
        )
        yield f"set_max_time_borrow 0 [get_pins {tcl_list(settled)}]"


def _settled_pins(circuit: Circuit, names: Names, open_high: frozenset[int]) -> Iterator[str]:
    """Data pins at which no change of the clock's rise arrives, of latches that open with it."""
    netlist, timing = circuit.netlist, circuit.timing
    starts = dict.fromkeys(timing.clocks, (0.0, 0.0))
    starts |= {net: (0.0, 0.0) for _, _, net in netlist.port_bits()}
    launching = open_high | {
        index
        for index, instance in enumerate(netlist.instances)
        if isinstance(instance.cell.storage, FlipFlop)
    }
    arrivals = Wave(netlist, timing.clocks, open_high).latest(timing, starts, launching)
    for index in sorted(open_high):
        latch = netlist.instances[index]
        storage = latch.cell.storage
        for pin in inputs_of(storage.data_in) if isinstance(storage, Latch) else ():
            net = latch.pins.get(pin)
            if net is not None and arrivals[net] == [None, None]:
                yield f"{names.instance(index)}/{pin}"
