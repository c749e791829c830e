# SPDX-License-Identifier: Apache-2.0
"""Netlists of a few cells, and activity of their nets, by hand; netlists as plain Verilog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from joulemark.hardware.gate.simulate import Activity
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.synthesis import Instance, Netlist

__all__ = ["activity", "netlist", "write_structural"]


def netlist(
    library: CellLibrary,
    cells: Sequence[tuple[str, Mapping[str, int]]],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
) -> Netlist:
    """A netlist of cells, each a name with its net by pin; ports have one bit."""
    nets = [net for _, pins in cells for net in pins.values()]
    return Netlist(
        top="hand",
        library=library,
        instances=[
            Instance(f"u{place}", library.cell(name), dict(pins), "")
            for place, (name, pins) in enumerate(cells)
        ],
        inputs={name: [net] for name, net in inputs.items()},
        outputs={name: [net] for name, net in outputs.items()},
        net_count=max([*nets, *inputs.values(), *outputs.values()]) + 1,
    )


def activity(
    count: int, toggles: Mapping[int, Sequence[int]], initial: Mapping[int, int], duration_ps: int
) -> Activity:
    """The activity of `count` nets: times of the toggles in ps and first value, by net."""
    times = [sorted(toggles.get(net, ())) for net in range(count)]
    return Activity(
        start=np.cumsum([0, *(len(time) for time in times)]),
        times_ps=np.asarray([time for of_net in times for time in of_net], dtype=np.int64),
        initial=np.asarray([initial.get(net, 0) for net in range(count)], dtype=np.int8),
        duration_ps=duration_ps,
        unknown=0,
    )


def write_structural(netlist: Netlist, path: Path) -> None:
    """Writes the module `netlist` in Verilog: nets `n<number>`, cells `c<index>`, a port per bit.

    Inputs have the names of their nets, outputs are `o<position>`.
    """
    inputs = [net for _, _, net in netlist.port_bits()]
    outputs = [net for nets in netlist.outputs.values() for net in nets]
    ports = [f"n{net}" for net in inputs] + [f"o{place}" for place in range(len(outputs))]
    used = {net for instance in netlist.instances for net in instance.pins.values()}
    wires = (used | set(outputs) | set(netlist.constants)) - set(inputs)
    with path.open("w", encoding="utf-8") as out:
        out.write(f"module netlist ({', '.join(ports)});\n")
        out.writelines(f"input n{net};\n" for net in inputs)
        out.writelines(f"output o{place};\n" for place in range(len(outputs)))
        out.writelines(f"wire n{net};\n" for net in sorted(wires))
        out.writelines(f"assign n{net} = 1'b{value};\n" for net, value in netlist.constants.items())
        for index, instance in enumerate(netlist.instances):
            pins = ", ".join(f".{pin}(n{net})" for pin, net in instance.pins.items())
            out.write(f"{instance.cell.name} c{index} ({pins});\n")
        out.writelines(f"assign o{place} = n{net};\n" for place, net in enumerate(outputs))
        out.write("endmodule\n")
