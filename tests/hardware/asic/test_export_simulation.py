# SPDX-License-Identifier: Apache-2.0
"""A simulator with models of the cells plays the exported netlist, with the exported delays."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from conftest import Flow
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names, verilog_name
from joulemark.hardware.export.write import export_circuit
from joulemark.hardware.gate.bench import write_bench
from joulemark.hardware.liberty.function import as_verilog
from joulemark.hardware.liberty.library import Cell, ClockGate, FlipFlop, Latch


def model(cell: Cell) -> Iterator[str]:
    """A cell as a Verilog module, with a path per arc, to which annotation gives the delay."""
    pins = {name: name for name in cell.pins}
    outputs = {pin.name: pin.function or "0" for pin in cell.outputs()}
    yield f"module {cell.name} ({', '.join(pins)});"
    yield from (f"{pin.direction} {pin.name};" for pin in cell.pins.values())
    match cell.storage:
        case FlipFlop() as storage:
            yield "reg state = 1'b0;"
            clear = as_verilog(storage.clear or "0", pins)
            edges = f"posedge {as_verilog(storage.clocked_on, pins)} or posedge clear"
            yield f"wire clear = {clear};"
            data = as_verilog(storage.next_state, pins)
            yield f"always @({edges}) if (clear) state <= 1'b0; else state <= {data};"
            pins |= {storage.state: "state", storage.inverse: "(~state)"}
        case Latch() as storage:
            yield "reg state = 1'b0;"
            enable, data = as_verilog(storage.enable, pins), as_verilog(storage.data_in, pins)
            yield f"always @* if ({enable}) state = {data};"
            pins |= {storage.state: "state", storage.inverse: "(~state)"}
        case ClockGate() as storage:
            yield "reg state = 1'b0;"
            yield f"always @* if (~{storage.clock}) state = {storage.enable};"
            outputs[storage.out] = f"{storage.clock} & state"
            pins["state"] = "state"
        case None:
            pass
    for name, function in outputs.items():
        yield f"assign {name} = {as_verilog(function, pins)};"
    arcs = {
        f"({edge}{arc.related_pin} => {f'({pin.name} : 1)' if edge else pin.name}) = (0, 0);": None
        for pin in cell.outputs()
        for arc in pin.arcs
        for edge in ["posedge " if arc.kind == "rising_edge" else ""]
    }
    if arcs:
        yield from ("specify", *arcs, "endspecify")
    yield "endmodule"


def bench(circuit: Circuit, flow: Flow, folder: Path) -> str:
    """The flow's own bench around the exported netlist, whose nets are written out."""
    netlist = circuit.netlist
    write_bench(
        netlist, flow.core.clock, flow.recording, folder / "bench.v",
        period_ps=round(1e12 / circuit.clock_hz), inputs_late=True,
    )  # fmt: skip
    ports, places = [], {"i": 0, "o": 0}
    for vector, of_direction in (("i", netlist.inputs), ("o", netlist.outputs)):
        for name, nets in of_direction.items():
            low = places[vector]
            places[vector] += len(nets)
            ports.append(f".{verilog_name(name)}({vector}[{places[vector] - 1}:{low}])")
    return (
        "`timescale 1ps/1ps\n"
        f"module netlist (input [{places['i'] - 1}:0] i, output [{places['o'] - 1}:0] o);\n"
        f"  {netlist.top} core ({', '.join(ports)});\n"
        '  initial $sdf_annotate("export/delays.sdf", core);\nendmodule\n'
    )


def test_another_simulation_has_the_same_toggles(
    flow: Flow, characterised: Circuit, tmp_path: Path
):
    """Every one-bit net agrees, glitches too: netlist, delays and activity belong together."""
    circuit = characterised
    export_circuit(circuit, tmp_path / "export")
    cells = {instance.cell.name: instance.cell for instance in circuit.netlist.instances}
    models = "\n".join(line for cell in cells.values() for line in model(cell))
    (tmp_path / "wrapper.v").write_text(bench(circuit, flow, tmp_path) + models, "utf-8")
    text = (tmp_path / "bench.v").read_text("utf-8")
    assert "$dumpvars(1, dut)" in text
    (tmp_path / "bench.v").write_text(text.replace("(1, dut)", "(1, dut.core)"), "utf-8")
    subprocess.run(
        ["iverilog", "-g2005-sv", "-gspecify", "-o", "all.vvp", "-s", "bench", "bench.v",
         "wrapper.v", "export/netlist.v"], cwd=tmp_path, check=True,
    )  # fmt: skip
    said = subprocess.run(
        ["vvp", "-n", "all.vvp"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert "MISMATCH" not in said
    assert "DONE" in said
    assert circuit.workload is not None
    toggles = circuit.workload.activity.toggles()
    seen = changes((tmp_path / "window.vcd").read_text("utf-8"))
    compared = {
        bit.name: int(toggles[net])
        for net, bit in Names(circuit.netlist).nets()
        if bit.index is None
    }
    assert len(compared) > 50
    assert {name: seen[name] for name in compared} == compared


def changes(text: str) -> dict[str, int]:
    """Toggles in the window of each net of one bit."""
    head, body = text.split("$enddefinitions $end")
    codes = dict(re.findall(r"\$var \w+ 1 (\S+) (\w+) \$end", head))
    counts = dict.fromkeys(codes.values(), -1)
    for line in body.split("$dumpoff")[0].splitlines():
        if line[:1] in {"0", "1", "x", "z"} and line[1:] in codes:
            counts[codes[line[1:]]] += 1
    return counts
