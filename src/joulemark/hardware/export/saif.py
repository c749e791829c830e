# SPDX-License-Identifier: Apache-2.0
"""What every net did in the gate-level run, summed up: SAIF 2.0 (IEEE 1801-2018, annex I).

Times in picoseconds. `IG`, the pulses that an inertial delay swallowed, is 0: they do not come out
of a cell and cost nothing in the run. Nets stand once in the module and once more for each pin of
each cell, since some readers look for nets and others for pins. The date is left empty, so that the
same circuit gives the same file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from joulemark.hardware.export.circuit import Circuit, Workload
from joulemark.hardware.export.names import Names, escaped
from joulemark.hardware.gate.vcd import Activity

__all__ = ["ones_ps", "saif_lines"]


def saif_lines(circuit: Circuit, names: Names, workload: Workload, version: str) -> Iterator[str]:
    """The file, a line at a time.

    Args:
        circuit: the core.
        names: of its nets and cells.
        workload: what they did.
        version: of Joulemark.
    """
    activity = workload.activity
    ones, toggles = ones_ps(activity), activity.toggles()

    def durations(net: int) -> str:
        high = int(ones[net])
        low = activity.duration_ps - high
        return f"(T0 {low}) (T1 {high}) (TX 0) (TC {int(toggles[net])}) (IG 0)"

    yield "(SAIFILE"
    yield '(SAIFVERSION "2.0")'
    yield '(DIRECTION "backward")'
    yield f'(DESIGN "{circuit.netlist.top}")'
    yield '(DATE "")'
    yield '(VENDOR "Joulemark")'
    yield '(PROGRAM_NAME "joulemark")'
    yield f'(VERSION "{version}")'
    yield "(DIVIDER /)"
    yield "(TIMESCALE 1 ps)"
    yield f"(DURATION {activity.duration_ps})"
    yield f"(INSTANCE {escaped(circuit.netlist.top)}"
    yield "  (NET"
    for net, bit in names.nets():
        yield f"    ({escaped(bit.plain())} {durations(net)})"
    yield "  )"
    for index, instance in enumerate(circuit.netlist.instances):
        pins = [(pin, net) for pin, net in instance.pins.items() if names.is_net(net)]
        if pins:
            yield f"  (INSTANCE {names.instance(index)}"
            yield "    (NET"
            for pin, net in pins:
                yield f"      ({escaped(pin)} {durations(net)})"
            yield "    )"
            yield "  )"
    yield ")"
    yield ")"


def ones_ps(activity: Activity) -> npt.NDArray[np.int64]:
    """How long each net stood at 1."""
    counts = activity.toggles()
    nets = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(nets)) - activity.start[nets]
    # A toggle to 0 ends a stretch at 1, a toggle to 1 begins one.
    ends = (activity.initial[nets] + within) % 2 == 1
    total = np.zeros(len(counts), dtype=np.int64)
    np.add.at(total, nets, np.where(ends, activity.times_ps, -activity.times_ps))
    last = (activity.initial + counts) % 2 == 1
    total[last] += activity.duration_ps
    return total
