# SPDX-License-Identifier: Apache-2.0
"""Writes every change of every net in the gate-level run: VCD (IEEE 1364-2005, 18.2).

The file has the window alone, from time 0, in picoseconds. Nets stand in the module, and by the
same code once more as the pins of each cell, since some readers look for pins.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from joulemark import __version__
from joulemark.hardware.export.circuit import Circuit, GateWorkload
from joulemark.hardware.export.names import Names, escaped, verilog_name
from joulemark.hardware.gate.vcd import Activity

# Activity of every net in the gate-level run, summed up: SAIF 2.0 (IEEE 1801-2018, annex I).
#
# Times in picoseconds. `IG`, the pulses that an inertial delay swallowed, is 0: they do not come
# out of a cell and cost nothing in the run. Nets stand once in the module and once more for each
# pin of each cell, since some readers look for nets and others for pins. The date is left empty, so
# that the same circuit gives the same file.


def saif_lines(circuit: Circuit, names: Names, workload: GateWorkload) -> Iterator[str]:
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


_FIRST, _CODES = ord("!"), ord("~") - ord("!") + 1
"""Printing characters that codes are made of."""


def vcd_lines(circuit: Circuit, names: Names, workload: GateWorkload) -> Iterator[str]:
    """The file, a line at a time: names of nets and cells, and their activity in the workload."""
    nets = dict.fromkeys(net for net, _ in names.nets())
    codes = {net: _code(place) for place, net in enumerate(nets)}
    yield f"$version joulemark {__version__} $end"
    yield "$timescale 1ps $end"
    yield f"$scope module {verilog_name(circuit.netlist.top)} $end"
    for net, bit in names.nets():
        yield f"$var wire 1 {codes[net]} {bit.verilog()} $end"
    for index, instance in enumerate(circuit.netlist.instances):
        yield f"$scope module {names.instance(index)} $end"
        for pin, net in instance.pins.items():
            if net in codes:
                yield f"$var wire 1 {codes[net]} {verilog_name(pin)} $end"
        yield "$upscope $end"
    yield "$upscope $end"
    yield "$enddefinitions $end"
    yield from _changes(workload, codes)


def _changes(workload: GateWorkload, codes: dict[int, str]) -> Iterator[str]:
    activity = workload.activity
    yield "#0"
    yield "$dumpvars"
    for net, code in codes.items():
        yield f"{activity.initial[net]}{code}"
    yield "$end"
    nets, after = activity.changes()
    order = np.argsort(activity.times_ps, kind="stable")
    now = 0
    for time, net, value in zip(
        activity.times_ps[order].tolist(), nets[order].tolist(), after[order].tolist(), strict=True
    ):
        if net not in codes:
            continue
        if time != now:
            yield f"#{time}"
            now = time
        yield f"{value}{codes[net]}"
    if now != activity.duration_ps:
        yield f"#{activity.duration_ps}"


def _code(number: int) -> str:
    """A code of printing characters for a number; small numbers have the shortest codes."""
    text = chr(_FIRST + number % _CODES)
    while number >= _CODES:
        number = number // _CODES - 1
        text = chr(_FIRST + number % _CODES) + text
    return text
