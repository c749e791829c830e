# SPDX-License-Identifier: Apache-2.0
"""OpenSTA's figures of a netlist, from pin capacitances alone and an ideal clock `clk_i`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from netlists import write_structural

from joulemark.hardware.liberty.library import CellLibrary, Latch
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.synthesis import Netlist

__all__ = ["latches_to_buffers", "slack_ns"]


def latches_to_buffers(circuit: Netlist, library: CellLibrary) -> None:
    """Replaces latches by buffers, since OpenSTA wants data at a latch when it opens."""
    for instance in circuit.instances:
        if isinstance(instance.cell.storage, Latch):
            instance.cell = library.cell("sg13g2_buf_1")
            instance.pins = {"A": instance.pins["D"], "X": instance.pins["Q"]}


def slack_ns(
    circuit: Netlist, liberty: Path, folder: Path, delay: str, *facts: str, group: str = "clk"
) -> float:
    """The least slack at a period of 100 ns.

    OpenSTA takes the largest value of `capacitance_range` for the slowest path, the smallest for
    the quickest, and the library's default wire load; the ranges are taken away in a copy of the
    library, the wires by the model of no load. With the ranges it reports some 7 % more.

    Args:
        circuit: the netlist.
        liberty: its library.
        folder: for what is written.
        delay: `max` for set-up, `min` for hold.
        facts: more lines for OpenSTA.
        group: of paths; those to reset pins are in `**async_default**`.
    """
    if shutil.which("sta") is None:
        pytest.skip("no OpenSTA here: apt-get install opensta")
    plain = folder / "plain.lib"
    plain.write_text(re.sub(r".*capacitance_range.*\n", "", liberty.read_text("utf-8")), "utf-8")
    assert read_library(plain).cells.keys() == circuit.library.cells.keys()
    write_structural(circuit, folder / "netlist.v")
    (clock,) = circuit.inputs["clk_i"]
    lines = [
        f"read_liberty {plain}",
        f"read_verilog {folder}/netlist.v",
        "link_design netlist",
        "set_wire_load_model -name Zero",
        f"create_clock -name clk -period 100 n{clock}",
        "set_clock_transition 0.05 [get_clocks clk]",
        *facts,
        f"report_checks -path_delay {delay} -path_group {group} -digits 4",
        "exit",
    ]
    (folder / "run.tcl").write_text("\n".join(lines) + "\n", "utf-8")
    said = subprocess.run(
        ["sta", "-no_splash", "-exit", str(folder / "run.tcl")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (slack,) = re.findall(r"(-?[\d.]+)\s+slack", said)
    return float(slack)
