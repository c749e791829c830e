# SPDX-License-Identifier: Apache-2.0
"""The sink in C++ finds the joules in Verilator that the replay finds in a run of Icarus."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Flow
from joulemark.firmware.target import firmware_folder
from joulemark.hardware.gate import wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.power import replay
from joulemark.hardware.gate.simulate import read_vcd, simulate
from joulemark.hardware.gate.sink import (
    SINK_CATEGORIES,
    write_sink_tables,
    write_watched_netlist,
)
from joulemark.hardware.simulation.verilator import make_program, verilator_command
from joulemark.processes.tool import ask_tool

CLOCK_HZ = 1e6
TREE_J = 7e-15
"""Made-up energy of a toggle of the clock port, as of a tree."""
PLAYER = """#include "Vcore.h"
#include "verilated.h"
#include "nets.h"
#include "sink.h"
#include <fstream>
double sc_time_stamp() {{ return 0; }}
int main(int, char **argv) {{
    std::ifstream stimulus(argv[1]);
    Sink sink(argv[2]);
    const int64_t period = std::atoll(argv[3]), first = std::atoll(argv[4]);
    const int64_t last = std::atoll(argv[5]);
    uint64_t nets[JM_NET_WORDS];
    VerilatedContext context;
    Vcore core(&context);
    core.jm_watch = 1;
    for (int64_t k = 0; k < last; k++) {{
        core.{clock} = 1, core.eval();
        {inputs}
        core.eval(), jm_nets(core, nets);
        if (k >= first) sink.sample(nets, k * period);
        core.{clock} = 0, core.eval(), jm_nets(core, nets);
        if (k >= first) sink.sample(nets, k * period + period / 2);
        if (k + 1 == first) sink.begin(nets, first * period - 1);
    }}
    sink.end(last * period);
    std::printf("%.17g", sink.leakage_j);
    for (double joules : sink.joules) std::printf(" %.17g", joules);
}}
"""
"""Plays inputs, one period a line; they change after the rising edge, as in the bench of Icarus."""


def _compiled(flow: Flow, folder: Path, inputs: list[str]) -> Path:
    """The player of the flow's netlist."""
    write_watched_netlist(flow.netlist, folder / "netlist.v", folder / "nets.h")
    reads = " ".join(f"{{ uint64_t v; stimulus >> v; core.{name} = v; }}" for name in inputs)
    main = folder / "player.cpp"
    main.write_text(PLAYER.format(clock=flow.core.clock, inputs=reads), "utf-8")

    def run(command: list[str]) -> None:
        said = ask_tool(command, timeout_s=300.0)
        assert said.code == 0, said.errors

    sink = firmware_folder() / "simulators"
    run(
        [
            str(verilator_command(folder / "bin")), "--cc", "--exe", "-Wno-lint", "-Wno-fatal",
            "--prefix", "Vcore", "--top-module", flow.netlist.top, "-o", "player",
            "-Mdir", str(folder / "made"), "-CFLAGS", f"-O1 -std=c++20 -I{folder} -I{sink}",
            str(folder / "netlist.v"), str(main),
        ]
    )  # fmt: skip
    make_program(folder / "made", "Vcore", main, run)
    return folder / "made" / "player"


def test_the_sink_agrees_with_the_replay(flow: Flow, icarus: None, tmp_path: Path) -> None:
    """Every category, the leakage and the trees of a window equal the replay's to 1e-9."""
    netlist, recording = flow.netlist, flow.recording
    timing = analyse(netlist, wire_model(netlist, "library"), flow.core.clock)
    vcd = simulate(
        netlist, flow.core.clock, recording, tmp_path / "icarus", timing=None, clock_hz=CLOCK_HZ
    )
    activity = read_vcd(vcd, netlist.net_count)
    right = replay(netlist, timing, activity)
    [clock] = netlist.inputs[flow.core.clock]
    inputs = [name for name in netlist.inputs if name != flow.core.clock]
    write_sink_tables(netlist, timing, {clock: TREE_J}, tmp_path / "tables")
    stimulus = tmp_path / "stimulus.txt"
    rows = zip(*(recording.inputs[name] for name in inputs), strict=True)
    stimulus.write_text("".join(f"{' '.join(map(str, row))}\n" for row in rows), "utf-8")
    player = _compiled(flow, tmp_path, inputs)
    words = [stimulus, tmp_path / "tables", round(1e12 / CLOCK_HZ), *recording.window]
    said = ask_tool([str(player), *map(str, words)], timeout_s=60.0)
    leakage_j, *joules = map(float, said.output.split())
    *plain, trees = joules
    found = dict(zip(SINK_CATEGORIES, plain, strict=False))
    assert min(found[name] for name in ("logic", "clock pins", "storage outputs")) > 0
    assert found == pytest.approx(dict(right.by_category_j), rel=1e-9, abs=1e-30)
    assert leakage_j == pytest.approx(right.leakage_w * right.duration_s, rel=1e-9, abs=0)
    assert trees == pytest.approx(TREE_J * activity.toggles()[clock], rel=1e-9, abs=0)
