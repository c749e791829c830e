# SPDX-License-Identifier: Apache-2.0
"""Counting FPGA cells, the frame around a core, and its clock."""

from __future__ import annotations

import json
import sys

import pytest

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow import place as nextpnr
from joulemark.hardware.flow.place import DEVICES, Port, count, harness, ports_of
from joulemark.hardware.manifest import read_core
from joulemark.hardware.synthesis import generic
from tool_marks import needs_nextpnr, needs_yosys

CLOCK = Port("clk", "input", 1)


def netlist(folder, kinds):
    """A JSON netlist with these cells."""
    cells = {str(number): {"type": kind} for number, kind in enumerate(kinds)}
    ports = {"d": {"direction": "input", "bits": [2, 3]}}
    path = folder / "netlist.json"
    path.write_text(json.dumps({"modules": {"top": {"cells": cells, "ports": ports}}}))
    return path


def test_cells_are_weighed_as_documented(tmp_path):
    """A carry counts two tables, a distributed RAM six; multiplexers beside tables count none."""
    kinds = ["LUT4", "LUT4", "CCU2C", "TRELLIS_DPR16X4", "PFUMX", "TRELLIS_FF", "DP16KD"]
    found = count(netlist(tmp_path, kinds), "top", DEVICES["ecp5"].cells)
    assert (found.luts, found.flip_flops, found.block_rams, found.multipliers) == (10, 1, 1, 0)


def test_ice40_counts_every_kind_of_flip_flop(tmp_path):
    """The names of all kinds begin alike and then say reset and enable; carries do not count."""
    kinds = ["SB_LUT4", "SB_CARRY", "SB_DFF", "SB_DFFESR", "SB_RAM40_4K", "SB_MAC16"]
    found = count(netlist(tmp_path, kinds), "top", DEVICES["ice40"].cells)
    assert (found.luts, found.flip_flops, found.block_rams, found.multipliers) == (1, 2, 1, 1)


def test_ports_are_read_from_the_netlist(tmp_path):
    """Each port has the name, direction and width that the parameters gave it."""
    assert ports_of(netlist(tmp_path, []), "top") == [Port("d", "input", 2)]


@pytest.mark.parametrize(
    ("ports", "said"),
    [
        ([Port("d", "input", 1), Port("q", "output", 1)], "no input 'clk'"),
        ([CLOCK, Port("d", "input", 1)], "has no output"),
        ([CLOCK, Port("q", "output", 1), Port("b", "inout", 1)], "b is an inout"),
    ],
)
def test_ports_that_cannot_be_framed_are_refused(toy, ports, said):
    """The message names the port."""
    with pytest.raises(UsageError) as caught:
        harness(read_core(toy("toy_mac")), ports)
    assert said in str(caught.value)


@needs_yosys
def test_the_frame_is_not_counted_but_placed(toy, tmp_path):
    """The frame adds one flip-flop to an input bit and two to an output bit, and none counts."""
    core = read_core(toy("toy_mac"))
    found = mappings.map_core(core, core.chosen({}), DEVICES["ecp5"], tmp_path)
    assert found.flip_flops == 34
    framed = count(tmp_path / "framed.json", "jm_harness", DEVICES["ecp5"].cells)
    inputs, outputs = 1 + 32 + 1 + 32 + 1 + 1, 1 + 1 + 32
    assert framed.flip_flops == 34 + inputs + 2 * outputs
    assert framed.luts <= found.luts + outputs + 1


@needs_yosys
@needs_nextpnr
def test_seeds_spread_and_the_median_stands(toy, tmp_path):
    """Every seed has a clock; the figure is their median."""
    core = read_core(toy("toy_mac"))
    found = mappings.characterise_fpga(
        core, core.chosen({}), DEVICES["ice40"], seeds=(1, 2, 3), folder=tmp_path
    )
    clocks = found.clocks_hz()
    assert len(clocks) == 3
    assert found.fmax_hz() == clocks[1]
    assert 30e6 < clocks[0] <= clocks[2] < 600e6


REPORT = {"fmax": {"clk": {"achieved": 77.5}}, "critical_paths": []}


def method_of(arguments):
    """Placer and router that nextpnr is told to take."""
    return tuple(arguments[arguments.index(option) + 1] for option in ("--placer", "--router"))


@needs_nextpnr
def test_another_placer_is_tried_where_the_first_finds_no_way(tmp_path):
    """The figure names the placer that found a way, and the placer that did not."""
    asked = []

    def start(arguments, folder, log):
        asked.append(method_of(arguments))
        log.touch()
        if len(asked) == 1:
            return None
        (folder / "seed3.json").write_text(json.dumps(REPORT))
        return 0

    found = nextpnr.place("framed.json", DEVICES["ecp5"], 3, tmp_path, start)
    assert asked == list(nextpnr.METHODS.items())
    assert (found.placer, found.seed, found.fmax_hz) == ("static", 3, 77.5e6)
    assert found.instead_of == "heap"
    straight = nextpnr.place("framed.json", DEVICES["ecp5"], 3, tmp_path, start, ["static"])
    assert (straight.placer, straight.instead_of) == ("static", None)


@needs_nextpnr
def test_a_design_that_no_placer_finds_a_way_for_is_given_up(tmp_path, monkeypatch):
    """The message says what to do instead. The first method runs until its effort is spent."""
    monkeypatch.setattr(nextpnr, "EFFORT_CPU_S", 1)
    asked = []

    def start(arguments, folder, log):
        asked.append(method_of(arguments))
        busy = [sys.executable, "-c", "while True: pass"]
        return nextpnr.run_to_end(busy, folder, log) if len(asked) == 1 else None

    with pytest.raises(ImplementationError, match=r"of CPU time .* another seed"):
        nextpnr.place("framed.json", DEVICES["ecp5"], 1, tmp_path, start)
    assert asked == list(nextpnr.METHODS.items())


def test_effort_is_what_a_method_computes_and_not_how_long_it_waits(tmp_path, monkeypatch):
    """One second of CPU time lasts longer than a wait of 1.5 s; the exit code is the program's."""
    monkeypatch.setattr(nextpnr, "EFFORT_CPU_S", 1)
    waits = [sys.executable, "-c", "import time; time.sleep(1.5); raise SystemExit(7)"]
    assert nextpnr.run_to_end(waits, tmp_path, tmp_path / "log") == 7


@needs_nextpnr
def test_a_design_that_cannot_be_placed_is_not_tried_again(tmp_path):
    """The message has the tool's own words."""
    asked = []

    def start(arguments, _folder, log):
        asked.append(method_of(arguments))
        log.write_text("Info: packing\nERROR: Unable to place cell\n")
        return 255

    with pytest.raises(ImplementationError, match="ERROR: Unable to place cell"):
        nextpnr.place("framed.json", DEVICES["ecp5"], 1, tmp_path, start)
    assert asked == [("heap", "router1")]


@needs_yosys
@needs_nextpnr
@pytest.mark.parametrize(
    ("target", "placer"),
    [
        pytest.param(
            target,
            placer,
            marks=() if (target, placer) == ("ice40", "static") else pytest.mark.exhaustive,
        )
        for target in ("ecp5", "ice40")
        for placer in nextpnr.METHODS
    ],
)
def test_every_placer_routes(toy, tmp_path, target, placer):
    """On every device; the test of seeds above has the other placer on this one, and
    tests/cli/core/test_core_command.py has a placement on an ECP5.
    """
    core = read_core(toy("toy_mac"))
    found = mappings.characterise_fpga(
        core, core.chosen({}), DEVICES[target], seeds=(1,), folder=tmp_path, placers=[placer]
    )
    assert found.placements[0].placer == placer
    assert 30e6 < (found.fmax_hz() or 0) < 600e6


@needs_yosys
def test_a_core_that_does_not_compile_is_refused(toy, tmp_path):
    """The message begins with the tool's first words: file, line and fault."""
    manifest = toy("toy_mac")
    source = manifest.with_name("toy_mac.v")
    source.write_text(source.read_text().replace("fresh <= in_last", "fersh <= in_last"))
    core = read_core(manifest)
    with pytest.raises(ImplementationError, match=r"toy_mac\.v:\d+.*fersh"):
        mappings.map_core(core, core.chosen({}), DEVICES["ecp5"], tmp_path)


@needs_yosys
def test_generic_gates_are_weighed_by_their_transistors(toy, tmp_path):
    """A netlist's area is the sum over its cells; flip-flops without reset take 5.5 gates."""
    core = read_core(toy("toy_mac"))
    found = generic.map_core(core, core.chosen({}), tmp_path)
    assert found.storage_ge == 34 * 22 / 4
    transistors = sum(
        generic.LOGIC_TRANSISTORS.get(kind, 0) * number for kind, number in found.cells.items()
    )
    assert found.logic_ge == transistors / 4
    assert found.area_ge == found.storage_ge + found.logic_ge
    assert 300 < found.logic_ge < 900
