# SPDX-License-Identifier: Apache-2.0
"""Exceptions that a timing tool needs to hold latches to what the report holds them to.

Tools let a change that comes after a latch has opened go on through it until it closes, as the
report does. Where latches that are open together close a loop, the report cuts it at one of them,
and a tool would go round.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.errors import ImplementationError
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.tcl import comment, tcl_list
from joulemark.hardware.liberty.library import Latch
from joulemark.hardware.timing.gating import gating_of
from joulemark.hardware.timing.wave import Wave

__all__ = ["latch_exceptions"]


def latch_exceptions(circuit: Circuit, names: Names) -> Iterator[str]:
    """Commands with their reasons; nothing for a core without latches."""
    netlist, clocks = circuit.netlist, circuit.timing.clocks
    if not any(isinstance(one.cell.storage, Latch) for one in netlist.instances):
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
            all round is the core's promise, which timing cannot see."""
        )
    for index in sorted(cut):
        one = netlist.instances[index]
        for out in one.cell.outputs():
            for arc in out.arcs:
                if arc.kind == "combinational" and out.name in one.pins:
                    yield (
                        f"set_disable_timing -from {tcl_list([arc.related_pin])} "
                        f"-to {tcl_list([out.name])} [get_cells {names.instance(index)}]"
                    )
    if gating.open_high:
        yield from comment(
            """What the rising edge sets off goes on in the same period through latches that it
            opens, and settles before they close. OpenSTA takes it so; a tool that waits for the
            next opening edge gives such a path a period more than the report does."""
        )
