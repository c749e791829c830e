# SPDX-License-Identifier: Apache-2.0
"""Clock gates with a test pin: the cell of the library that replaces `jm_clock_gate`."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from small_library import library

from joulemark.hardware.liberty.reader import parse_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import Netlist
from joulemark.hardware.synthesis.asic import map_core

SCAN_GATE = """
  cell (SGATE) { area : 7; clock_gating_integrated_cell : "latch_posedge_precontrol";
    pin (GC) { direction : output; clock_gate_out_pin : true; }
    pin (CK) { direction : input; capacitance : 0.003; clock : true; clock_gate_clock_pin : true; }
    pin (EN) { direction : input; capacitance : 0.002; clock_gate_enable_pin : true; }
    pin (SE) { direction : input; capacitance : 0.002; clock_gate_test_pin : true; }
  }
}
"""


@pytest.fixture
def scannable(crc8: Core, tmp_path: Path) -> Core:
    """The small core with `scan_enable_i` up to its top, where it is tied to 0 otherwise."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    sources = []
    for path in crc8.source_paths():
        text = path.read_text("utf-8").replace(".scan_enable_i(1'b0)", ".scan_enable_i")
        if path.stem == "crc8":
            text = text.replace("input  logic       clk_i,", "input logic clk_i, scan_enable_i,", 1)
        (tmp_path / path.name).write_text(text, "utf-8")
        sources.append(path.name)
    shutil.copytree(crc8.folder / "tb", tmp_path / "tb")
    return crc8.model_copy(update={"folder": tmp_path, "sources": sources})


def _mapped(core: Core, text: str, folder: Path) -> tuple[Netlist, Counter[str]]:
    folder.mkdir()
    (folder / "cells.lib").write_text(text, "utf-8")
    # Enables of flip-flops are left alone: they would bring gates of their own.
    netlist = map_core(
        core, core.chosen({}), folder / "cells.lib", parse_library(text), folder / "mapping",
        gated_flip_flops=100,
    )  # fmt: skip
    return netlist, Counter(instance.cell.name for instance in netlist.instances)


def _with_scan_gate() -> str:
    return library().rstrip().removesuffix("}") + SCAN_GATE


def test_a_gate_with_a_test_pin_is_taken(scannable: Core, tmp_path: Path) -> None:
    """A gate with a test pin is taken if the library has one; the core's port drives the pin."""
    netlist, cells = _mapped(scannable, _with_scan_gate(), tmp_path / "run")
    assert (cells["SGATE"], cells["GATE"]) == (1, 0)
    (gate,) = [instance for instance in netlist.instances if instance.cell.name == "SGATE"]
    ports = {net: name for name, _, net in netlist.port_bits()}
    assert ports[gate.pins["SE"]] == "scan_enable_i"


def test_without_such_a_gate_the_enable_has_an_or(scannable: Core, tmp_path: Path) -> None:
    """Without a test pin the plain gate is taken, and logic makes its enable depend on the port."""
    netlist, cells = _mapped(scannable, library(), tmp_path / "run")
    assert cells["GATE"] == 1
    (gate,) = [instance for instance in netlist.instances if instance.cell.name == "GATE"]
    (driver,) = [
        instance for instance in netlist.instances if instance.pins.get("Y") == gate.pins["EN"]
    ]
    assert not driver.cell.storage
    scan = next(net for name, _, net in netlist.port_bits() if name == "scan_enable_i")
    assert any(scan in instance.pins.values() for instance in netlist.instances)


def test_a_constant_costs_nothing(crc8: Core, tmp_path: Path) -> None:
    """If the test enable is tied to 0, the plain gate is taken although the library has both."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    _, cells = _mapped(crc8, _with_scan_gate(), tmp_path / "run")
    assert (cells["SGATE"], cells["GATE"]) == (0, 1)


def test_without_any_gate_there_is_a_latch(scannable: Core, tmp_path: Path) -> None:
    """A library without clock gates gives a latch for the enable and an AND behind it."""
    text = library()
    start = text.index("cell (GATE)")
    end = text.index("cell (", start + 1) if "cell (" in text[start + 1 :] else text.rindex("}")
    _, cells = _mapped(scannable, text[:start] + text[end:], tmp_path / "run")
    assert cells["GATE"] == 0
    assert cells["LATCH"] == 8 + 1
