# SPDX-License-Identifier: Apache-2.0
"""Writes a netlist as structural Verilog for other tools: nets `n<number>`, cells `c<index>`."""

from __future__ import annotations

from pathlib import Path

from joulemark.hardware.synthesis.netlist import Netlist

__all__ = ["write_structural"]


def write_structural(netlist: Netlist, path: Path) -> None:
    """The module `netlist` with one scalar port per bit: inputs by net, outputs `o<position>`."""
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
