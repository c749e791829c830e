# SPDX-License-Identifier: Apache-2.0
"""Activity of every net in the gate-level run, summed up: SAIF 2.0 (IEEE 1801-2018, annex I).

Times in picoseconds. `IG`, the pulses that an inertial delay swallowed, is 0: they do not come out
of a cell and cost nothing in the run. Nets stand once in the module and once more for each pin of
each cell, since some readers look for nets and others for pins. The date is left empty, so that the
same circuit gives the same file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from joulemark import __version__
from joulemark.hardware.export.circuit import Circuit, Workload
from joulemark.hardware.export.names import Names, escaped
from joulemark.hardware.gate.vcd import Activity


def saif_lines(circuit: Circuit, names: Names, workload: Workload) -> Iterator[str]:
    """The file, a line at a time: names of nets and cells, and their activity in the workload."""
    activity = workload.activity
    ones, toggles = _ones_ps(activity), activity.toggles()

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
    yield f'(VERSION "{__version__}")'
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


def _ones_ps(activity: Activity) -> npt.NDArray[np.int64]:
    """How long each net stood at 1."""
    nets, after = activity.changes()
    total = np.zeros(len(activity.initial), dtype=np.int64)
    # A toggle to 0 ends a stretch at 1, a toggle to 1 begins such a stretch.
    np.add.at(total, nets, np.where(after == 0, activity.times_ps, -activity.times_ps))
    last = (activity.initial + activity.toggles()) % 2 == 1
    total[last] += activity.duration_ps
    return total
