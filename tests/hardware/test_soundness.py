# SPDX-License-Identifier: Apache-2.0
"""No figure of a netlist that is not the circuit of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.characterise import require_same
from joulemark.hardware.flow.place import DEVICES
from joulemark.hardware.gate.simulate import read_vcd
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation.workload import measure_clocks
from joulemark.hardware.synthesis import generic
from joulemark.hardware.synthesis.generic import survey
from joulemark.hardware.synthesis.soundness import require_no_latches
from tool_marks import needs_simulator, needs_yosys

FAULTS = {
    "a function's argument is shared": (
        (
            "function [3:0] turned(input [3:0] x); turned = {x[2:0], x[3]}; endfunction\n"
            "reg [3:0] t;\nalways @* t = turned(d + 4'd3) ^ turned(q);\n"
            "always @(posedge clk) if (en) q <= turned(q) ^ t;\n"
        ),
        r"has several drivers at .*function turned, declare that 'function automatic'",
    ),
    "a task's argument is shared": (
        (
            "reg [3:0] t, u;\ntask turn(input [3:0] x); u = {x[2:0], x[3]}; endtask\n"
            "always @* begin turn(d); t = u; end\n"
            "always @(posedge clk) begin turn(q); q <= u ^ t; end\n"
        ),
        r"has several drivers at .*declare '?task automatic'? ?turn|declare that 'task automatic'",
    ),
    "a function's argument in an asynchronous reset": (
        (
            "function [3:0] turned(input [3:0] x); turned = {x[2:0], x[3]}; endfunction\n"
            "always @(posedge clk or negedge rst_n)\n  if (!rst_n) q <= 0; else q <= turned(d);\n"
        ),
        r"'turned.x' has no value in the branch of .*declare 'function automatic' turned",
    ),
    "an asynchronous load": (
        "always @(posedge clk or negedge rst_n)\n  if (!rst_n) q <= d; else q <= q + d;\n",
        r"core.v:[23]: 'q' takes a value that is no constant in its asynchronous reset; reset it",
    ),
    "a start value": (
        "initial q = 3;\nalways @(posedge clk) if (!rst_n) q <= 0; else q <= d;\n",
        r"core.v:1: 'q' has a start value, which no cell has; reset it, or take an FPGA",
    ),
    "two always blocks": (
        "always @(posedge clk) if (!rst_n) q <= 0;\nalways @(posedge clk) if (rst_n) q <= d;\n",
        r"core.v:1: 'q' has several drivers at core.v:2 and core.v:3; assign it in one always",
    ),
    "two instances": (
        "wire [3:0] w; part one(d, w); part two(~d, w);\nalways @(posedge clk) q <= w;\n",
        r"core.v:2: 'w' has several drivers",
    ),
    "a bus": (
        (
            "wire [3:0] w;\nassign w = en ? d : 4'bz;\nassign w = en ? 4'bz : ~d;\n"
            "always @(posedge clk) q <= w;\n"
        ),
        r"core.v:2: 'w' has several drivers at core.v:3 and core.v:4; choose by a multiplexer",
    ),
    "high impedance": (
        "wire [3:0] w;\nassign w = en ? d : 4'bz;\nalways @(posedge clk) q <= w;\n",
        (
            r"core.v:3: 'w' is driven with high impedance, for which there is no cell; choose by a "
            r"multiplexer in its place, or give it a driver at all times$"
        ),
    ),
    "no value in the reset": (
        (
            "reg [3:0] r;\nalways @(posedge clk or negedge rst_n)\n"
            "  if (!rst_n) r <= 0; else begin r <= d; q <= r; end\n"
        ),
        r"core.v:4: 'q' has no value in the branch of the asynchronous reset; give it one there",
    ),
    "no driver": (
        "wire [3:0] w; assign w[2:0] = d[2:0];\nalways @(posedge clk) q <= w;\n",
        r"core.v:2: nothing drives 'w'; give it a driver or a constant",
    ),
    "a latch of always_comb": (
        (
            "reg [3:0] t, held; always @* if (!en) held = d;\n"
            "always_comb\n  case (d)\n    0: t = 4'd1;\n    1: t = 4'd2;\n  endcase\n"
            "always @(posedge clk) q <= t ^ held;\n"
        ),
        (
            r"core.v:[4-6]: 't' keeps its value where always_comb gives it none, which is a latch; "
            r"give it a value on every path$"
        ),
    ),
    "a loop of always_comb": (
        (
            "reg [3:0] a, b;\nalways_comb\n  if (en) a = b ^ d; else a = d;\n"
            "always_comb b = a & d;\nalways @(posedge clk) q <= a;\n"
        ),
        r"core.v:[45]: logic reads its own output; put a register into the loop$",
    ),
    "a loop": (
        "wire [3:0] a, b; assign a = b ^ d;\nassign b = a & d;\nalways @(posedge clk) q <= a;\n",
        r"core.v:[23]: logic reads its own output; put a register into the loop",
    ),
}
"""Source behind the first line, and the sentence about it."""
SOUND = (
    "function automatic [3:0] turned(input [3:0] x); turned = {x[2:0], x[3]}; endfunction\n"
    "reg [3:0] held; wire [3:0] t = turned(d);\nalways @* if (en) held = t;\n"
    "always @(posedge clk or negedge rst_n) if (!rst_n) q <= 0; else q <= turned(held);\n"
)
PORTS = "input clk, input rst_n, input en, input [3:0] d, output reg [3:0] q"
PART = "module part(input [3:0] i, output [3:0] o); assign o = i + 4'd1; endmodule\n"


def core_of(folder: Path, body: str) -> Core:
    """A core of this body."""
    (folder / "core.v").write_text(f"module core({PORTS});\n{body}endmodule\n{PART}", "utf-8")
    (folder / "core.toml").write_text(
        'name = "core"\ntitle = "core"\nalgorithm = "x"\ntop = "core"\nclock = "clk"\n'
        'sources = ["core.v"]\nadapter = {}\n'
    )
    return read_core(folder / "core.toml")


@needs_yosys
@pytest.mark.parametrize("fault", FAULTS)
def test_what_yosys_only_warns_of_is_refused(tmp_path: Path, fault: str) -> None:
    """The sentence has the file, the line and the remedy."""
    body, said = FAULTS[fault]
    with pytest.raises(ImplementationError) as refused:
        survey(core_of(tmp_path, body), {}, tmp_path / "survey")
    assert re.search(said, str(refused.value)), refused.value


@needs_yosys
def test_a_core_for_an_fpga_is_held_to_the_same(tmp_path: Path) -> None:
    """The look for latches, which comes before the mapping to an FPGA, refuses it too."""
    body, said = FAULTS["two always blocks"]
    with pytest.raises(ImplementationError, match=said):
        require_no_latches(core_of(tmp_path, body), {}, "an FPGA", tmp_path / "latches")


@needs_yosys
def test_latches_and_automatic_functions_are_sound(tmp_path: Path) -> None:
    """A latch that the source describes is no fault."""
    assert survey(core_of(tmp_path, SOUND), {}, tmp_path / "survey") == []


@needs_simulator
@needs_yosys
@pytest.mark.usefixtures("kept_simulations")
@pytest.mark.parametrize("target", ["generic", "ecp5", "ice40"])
def test_a_mapped_netlist_is_simulated(toy, tmp_path: Path, target: str) -> None:
    """The netlist gives the results of the sources in their clocks; one wrong gate is found."""
    core = read_core(toy("toy_pulse"))
    parameters = core.chosen({"CLOCKS": 2})
    clocks = measure_clocks(core, parameters, tmp_path / "rtl")
    if target == "generic":
        generic.map_core(core, parameters, tmp_path)
        netlist = tmp_path / generic.NETLIST
    else:
        device = DEVICES[target]
        mappings.map_core(core, parameters, device, tmp_path)
        netlist = mappings.logic(core, device, tmp_path)
    require_same(core, parameters, netlist, clocks, tmp_path / "right", target=target)
    text = netlist.read_text("utf-8")
    wrong = tmp_path / "wrong.v"
    wrong.write_text(re.sub(r" (\S+) \^ (\S+);", r" \1 | \2;", text, count=1), "utf-8")
    if wrong.read_text("utf-8") == text:
        wrong.write_text(re.sub(r"assign (result\S*) = ", r"assign \1 = ~", text, count=1), "utf-8")
    assert wrong.read_text("utf-8") != text
    with pytest.raises(ImplementationError, match=f"for {target} differs from its sources"):
        require_same(core, parameters, wrong, clocks, tmp_path / "wrong", target=target)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ("  $var wire 1 ! u_core.x $end\n", "names no net of the netlist"),
        ("$var wire 1 ! n0 $end\n $var wire 1 ! n1 $end\n", "one code for several nets"),
        ("", "names no net of the netlist"),
    ],
)
def test_a_vcd_without_the_nets_is_refused(tmp_path: Path, variables: str, said: str) -> None:
    """Such a file would have no toggles, and so no energy."""
    path = tmp_path / "other.vcd"
    path.write_text(f"{variables}$enddefinitions $end\n#0\n1!\n#5\n0!\n#10\n", "ascii")
    with pytest.raises(ImplementationError, match=said):
        read_vcd(path, 2)


def test_an_indented_vcd_is_read(tmp_path: Path) -> None:
    """Some simulators indent the declarations."""
    path = tmp_path / "indented.vcd"
    path.write_text("\t$var wire 1 ! n1 $end\n$enddefinitions $end\n#0\n1!\n#5\n0!\n#10\n", "ascii")
    assert read_vcd(path, 2).toggles().tolist() == [0, 1]
