# SPDX-License-Identifier: Apache-2.0
"""Exported files of netlists written down by hand: names, nets, delays, activity, constraints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from netlists import activity, netlist

from conftest import HERE
from joulemark.hardware.export import Circuit, GateWorkload, Names
from joulemark.hardware.export.sdc import sdc_lines
from joulemark.hardware.export.simulator_files import (
    clock_sdf_lines,
    saif_lines,
    sdf_lines,
    vcd_lines,
    verilog_lines,
)
from joulemark.hardware.export.testbench import COMMANDS
from joulemark.hardware.export.write import export_circuit, manifest_of, timing_script
from joulemark.hardware.gate import net_loads, wire_loads, wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.power import replay
from joulemark.hardware.liberty.library import CellLibrary, Units
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation.workload import PortRecording, WorkloadClocks
from joulemark.hardware.synthesis import Instance, Netlist, read_netlist, run_yosys


def circuit(found: Netlist, clock: str = "clk", reset: str | None = None) -> Circuit:
    """The netlist with its timing, as a report would have it, and without a workload."""
    core = read_core(HERE / "crc8" / "crc8.toml")
    core = core.model_copy(update={"top": found.top, "clock": clock, "reset": reset})
    timing = analyse(found, wire_model(found, "library"), clock)
    recording = PortRecording(
        inputs={name: (0, 0) for name in found.inputs if name != clock},
        outputs=dict.fromkeys(found.outputs, (0, 0)),
        compare_from=1, window=(1, 2), window_messages=1, clocks=WorkloadClocks(0, 0, 0, 0), seed=0,
    )  # fmt: skip
    return Circuit(
        core, {}, found, timing, timing.critical_path_s, 1e6, HERE / "crc8" / "crc8.toml", {},
        recording, None,
    )  # fmt: skip


def odd(small: CellLibrary) -> Netlist:
    """A netlist with names to escape, ranges that do not end at 0, constants, feed-throughs."""
    cells = [
        ("INV", {"A": 2, "Y": 10}), ("NAND2", {"A": 10, "B": 1, "Y": 11}),
        ("DFFR", {"CK": 3, "D": 11, "RN": 1, "Q": 12}), ("INV", {"A": 12, "Y": 13}),
        ("NOR2", {"A": 4, "B": 5, "Y": 14}),
    ]  # fmt: skip
    return Netlist(
        top="odd$1",
        library=small,
        instances=[
            Instance(f"$auto${place}", small.cell(name), dict(pins), "")
            for place, (name, pins) in enumerate(cells)
        ],
        inputs={"a.b": [2], "clk$": [3], "data": [4, 5], "reg": [6]},
        outputs={"q": [12], "same": [12], "low": [0], "through": [6], "up": [13, 14]},
        constants={0: 0, 1: 1},
        names={10: "u_core.state_q[3]", 11: "$abc$7", 12: "u_core/kept"},
        net_count=15,
        ranges={"data": (8, 7), "up": (0, 1)},
    )


def test_another_reader_finds_the_same_netlist(small: CellLibrary, tmp_path: Path):
    """Yosys reads the Verilog: cells, pins, nets, ranges, constants and feed-throughs."""
    if find_spec("pyosys") is None:
        pytest.skip("pyosys is not installed: make core-tools")
    found = odd(small)
    names = Names(found)
    lines = list(verilog_lines(circuit(found, "clk$"), names))
    (tmp_path / "netlist.v").write_text("\n".join(lines), "utf-8")
    run_yosys(["read_verilog netlist.v", "proc", "clean", "write_json read.json"], tmp_path)
    again = read_netlist(tmp_path / "read.json", "odd$1", small)
    assert again.ranges == found.ranges
    place = {instance.name.removeprefix("\\"): instance for instance in again.instances}
    of_net: dict[int, int] = {0: 0, 1: 1}
    for index, instance in enumerate(found.instances):
        other = place[names.instance(index)]
        assert other.cell is instance.cell
        for pin, net in instance.pins.items():
            assert of_net.setdefault(net, other.pins[pin]) == other.pins[pin]
    for ports, others in ((found.inputs, again.inputs), (found.outputs, again.outputs)):
        assert list(ports) == list(others)
        for name, nets in ports.items():
            assert [of_net.setdefault(net, others[name][bit]) for bit, net in enumerate(nets)] == (
                others[name]
            )
    assert len(set(of_net.values())) == len(of_net)


def test_names_are_the_sources_in_plain_letters(small: CellLibrary):
    """Nets of the source keep their names, and storage has its net's name; no name occurs twice."""
    found = odd(small)
    names = Names(found)
    assert names.net(10).plain() == "u_core_state_q_3"
    assert names.net(11).plain() == "n11"
    assert names.instance(2) == "u_core_kept_reg"
    assert [bit.plain() for bit in names.port("data")] == ["data[7]", "data[8]"]
    assert [bit.plain() for bit in names.port("up")] == ["up[1]", "up[0]"]
    assert names.net(2).verilog() == "\\a.b "
    assert names.net(6).verilog() == "\\reg "
    found.names = {10: "data", 11: "c4", 12: "wire"}
    names = Names(found)
    taken = [names.net(10).plain(), names.net(11).plain(), *map(names.instance, range(5))]
    assert taken == ["data_2", "c4", "c0", "c1", "wire_reg", "c3", "c4_2"]


def test_every_arc_states_the_delay_of_the_run(small: CellLibrary):
    """A flip-flop has an arc from its clock, a gate one per input; wires and clock gates take 0."""
    cells = [
        ("GATE", {"CK": 0, "EN": 2, "GC": 5}),
        ("DFFR", {"CK": 5, "D": 3, "RN": 1, "Q": 2}),
        ("NAND2", {"A": 2, "B": 1, "Y": 3}),
    ]
    found = circuit(netlist(small, cells, {"clk": 0, "rst": 1}, {"y": 3}))
    names = Names(found.netlist)
    text = "\n".join(sdf_lines(found, names))
    # To D: 0.1 ns + a tenth of the slew of Q or 50 ps of the port, + 2 ns/pF x (2 fF + wires).
    rise, fall = found.timing.delays[2, "Y"]
    assert f"({rise * 1e3:.0f}:{rise * 1e3:.0f}:{rise * 1e3:.0f})" in text
    for source in ("A", "B"):
        assert re.search(rf"\(IOPATH {source} Y \({rise * 1e3:.0f}:\S+ \({fall * 1e3:.0f}:", text)
    assert re.search(r"\(IOPATH \(posedge CK\) Q \(1\d\d:", text)
    assert "(IOPATH CK GC (0:0:0) (0:0:0))" in text
    assert "(INTERCONNECT c2/Y c1/D (0:0:0))" in text
    assert "(INTERCONNECT rst c1/RN (0:0:0))" in text
    assert text.count("(") == text.count(")")
    ideal = "\n".join(clock_sdf_lines(found, names))
    assert re.findall(r"INSTANCE (\w+)", ideal) == ["c0"]


def test_saif_and_vcd_say_what_the_nets_did(small: CellLibrary):
    """Hand computation gives the SAIF's time at 1 and toggles; the VCD's changes give the same."""
    cells = [("NAND2", {"A": 0, "B": 1, "Y": 2})]
    found = circuit(netlist(small, cells, {"a": 0, "b": 1, "clk": 3}, {"y": 2, "again": 2}))
    did = activity(4, {0: [100, 400], 1: [250], 2: [250, 400], 3: [500]}, {1: 1, 2: 1}, 1000)
    workload = GateWorkload(did, replay(found.netlist, found.timing, did), 1, 1.0)
    names = Names(found.netlist)
    saif = "\n".join(saif_lines(found, names, workload))
    said = {
        text[0]: tuple(map(int, text[1:]))
        for text in re.findall(
            r"^    \((\w+) \(T0 (\d+)\) \(T1 (\d+)\) .*\(TC (\d+)\)", saif, re.MULTILINE
        )
    }
    assert said == {
        "a": (700, 300, 2), "b": (750, 250, 1), "y": (150, 850, 2), "clk": (500, 500, 1),
        "again": (150, 850, 2),
    }  # fmt: skip
    assert re.search(r"\(INSTANCE c0\n +\(NET\n +\(A \(T0 700\) \(T1 300\) \(TX 0\) \(TC 2\)", saif)
    assert "(DURATION 1000)" in saif
    assert saif.count("(") == saif.count(")")
    assert changes("\n".join(vcd_lines(found, names, workload))) == {
        name: (ones, toggles) for name, (_, ones, toggles) in said.items()
    }


def changes(text: str) -> dict[str, tuple[int, int]]:
    """Time at 1 and toggles of the nets of the top module of a VCD."""
    head, body = text.split("$enddefinitions $end")
    top = head.split("$scope")[1]
    names = {name: code for code, name in re.findall(r"\$var wire 1 (\S+) (\S+) \$end", top)}
    codes = set(names.values())
    value: dict[str, str] = {}
    ones = dict.fromkeys(codes, 0)
    toggles = dict.fromkeys(codes, -1)
    now = 0
    for line in body.split():
        if line.startswith("#"):
            later = int(line[1:])
            for code in codes:
                ones[code] += (later - now) * (value.get(code) == "1")
            now = later
        elif line[0] in "01" and line[1:] in codes:
            value[line[1:]] = line[0]
            toggles[line[1:]] += 1
    return {name: (ones[code], toggles[code]) for name, code in names.items()}


def test_the_period_is_rounded_up_and_has_equal_halves(small: CellLibrary):
    """Rounding up keeps a slack of 0 from becoming late; units are the library's."""
    cells = [("DFFR", {"CK": 0, "D": 2, "RN": 1, "Q": 2})]
    found = circuit(netlist(small, cells, {"clk": 0, "rst": 1}, {"q": 2}), reset="rst")
    text = "\n".join(sdc_lines(found, Names(found.netlist), 1.2345670001e-9, "a test"))
    assert "set_units -time ns -capacitance pF" in text
    assert "create_clock -name {clk} -period 1.234568 -waveform {0 0.617284}" in text
    assert "set_false_path -from [get_ports {rst}]" in text
    assert "set_input_delay 0 -clock [get_clocks {clk}] [get_ports {rst}]" in text
    assert "set_load 0.0025 [get_nets {q}]" in text, "two sinks, one of them the port"
    coarse = replace(small, units=Units(1e-11, 1e-13, 1e-9, 1.0))
    found = circuit(netlist(coarse, cells, {"clk": 0, "rst": 1}, {"q": 2}))
    text = "\n".join(sdc_lines(found, Names(found.netlist), 1e-9, "a test"))
    assert "set_units -time 10ps -capacitance 100fF" in text
    assert "-period 100.000000 " in text
    assert "set_clock_transition 5 " in text


def test_loops_of_latches_are_cut_where_the_report_cuts_them(small: CellLibrary):
    """One latch of the loop lets nothing through; a latch outside the loop stays as it is."""
    cells = [
        ("LATCH", {"G": 0, "D": 3, "Q": 2}), ("INV", {"A": 2, "Y": 3}),
        ("LATCH", {"G": 0, "D": 2, "Q": 4}),
    ]  # fmt: skip
    found = circuit(netlist(small, cells, {"clk": 0}, {"q": 4}))
    text = "\n".join(sdc_lines(found, Names(found.netlist), 1e-9, "a test"))
    assert re.findall(r"set_disable_timing .*", text) == [
        "set_disable_timing -from {D} -to {Q} [get_cells c0]"
    ]
    assert "0 are open while the clock is low, 2 while it is high" in text


def test_wires_and_pins_make_the_load(small: CellLibrary):
    """The constraints give wires the load that the timing took, without the pins' load."""
    found = odd(small)
    wire = wire_model(found, "5fF")
    bare = net_loads(found, wire_model(found, "none"))
    assert [a + b for a, b in zip(bare, wire_loads(found, wire), strict=True)] == pytest.approx(
        net_loads(found, wire), rel=1e-12, abs=0
    )
    assert wire_loads(found, wire)[12] == pytest.approx(0.015, rel=1e-9, abs=0), "two are ports"


def test_a_compressed_library_is_unpacked_by_the_script(small: CellLibrary, tmp_path: Path):
    """A library's first bytes show that it is compressed, whatever its name."""
    cells = [("INV", {"A": 1, "Y": 2})]
    found = circuit(netlist(small, cells, {"clk": 0, "a": 1}, {"y": 2}))
    packed = tmp_path / "a library.lib"
    packed.write_bytes(b"\x1f\x8b\x08")
    plain = "\n".join(timing_script(found))
    assert f"read_liberty {found.liberty}\n" in plain
    script = "\n".join(timing_script(replace(found, liberty=packed)))
    assert "exec gzip -dc {" in script
    assert "/a library.lib} > library.lib\nread_liberty library.lib" in script


def test_the_manifest_names_cells_as_the_netlist_does(small: CellLibrary):
    """The critical path has cells; without a workload the manifest says why activity is lacking."""
    found = circuit(odd(small), "clk$")
    facts = json.loads(json.dumps(manifest_of(found, Names(found.netlist), [])))
    assert facts["critical_path"][0].startswith("INV c0 at ")
    assert facts["critical_path"][-1].startswith("u_core_kept_reg at ")
    assert "--no-power" in facts["workload"]
    assert facts["commands"] == {**COMMANDS, "timing": "sta -exit timing.tcl"}
    assert len(facts["library"]["sha256"]) == 64


def test_ranges_of_ports_are_those_of_the_source(small: CellLibrary, tmp_path: Path):
    """Yosys gives the lowest index of a range and the end at which it stands."""
    port = {"direction": "input", "bits": [2, 3, 4]}
    module = {
        "cells": {}, "netnames": {},
        "ports": {"a": port, "b": {**port, "offset": 4}, "c": {**port, "offset": 1, "upto": 1}},
    }  # fmt: skip
    (tmp_path / "one.json").write_text(json.dumps({"modules": {"top": module}}), "utf-8")
    assert read_netlist(tmp_path / "one.json", "top", small).ranges == {"b": (6, 4), "c": (1, 3)}


def test_opensta_reads_odd_names(small: CellLibrary, small_file: Path, tmp_path: Path):
    """Port names may be keywords or need an escape in Verilog, constraints and delays."""
    if shutil.which("sta") is None:
        pytest.skip("no OpenSTA here: apt-get install opensta")
    liberty = tmp_path / "a [small] library$1.lib"
    shutil.copy(small_file, liberty)
    found = replace(circuit(odd(small), "clk$"), liberty=liberty)
    export_circuit(found, tmp_path / "out")
    said = subprocess.run(
        ["sta", "-no_splash", "-exit", "/dev/stdin"], cwd=tmp_path / "out", text=True,
        input="source timing.tcl\nread_sdf delays.sdf\nreport_checks -from [get_ports a.b]\n"
        "report_checks -to [get_ports {up[0]}]\n",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
    ).stdout  # fmt: skip
    assert not re.findall(r"^(?:Error|Warning).*", said, re.MULTILINE), said
    assert "Startpoint: a.b (input port clocked by clk$)" in said
    assert "Endpoint: up[0] (output port clocked by clk$)" in said


def test_constraints_use_commands_of_the_format_alone(small: CellLibrary):
    """Latches in a loop, settled latches, a reset, ports and wires need no command of one tool."""
    cells = [
        ("LATCH", {"G": 0, "D": 3, "Q": 2}), ("INV", {"A": 2, "Y": 3}),
        ("INV", {"A": 0, "Y": 4}), ("LATCH", {"G": 4, "D": 5, "Q": 6}),
        ("LATCH", {"G": 0, "D": 6, "Q": 7}),
    ]  # fmt: skip
    found = netlist(small, cells, {"clk": 0, "d": 5, "rst": 1}, {"q": 2, "p": 7})
    lines = list(sdc_lines(circuit(found, reset="rst"), Names(found), 1e-9, "a test"))
    words = {line.split()[0] for line in lines if line and not line.startswith("#")}
    assert words == {
        "set", "set_units", "create_clock", "set_clock_transition", "set_input_delay",
        "set_input_transition", "set_output_delay", "set_load", "set_clock_gating_check",
        "set_false_path", "set_disable_timing", "set_max_time_borrow",
    }  # fmt: skip
    assert all(len(line) <= 100 for line in lines if line.startswith("#"))


def test_latches_that_only_a_falling_edge_reaches_may_not_borrow(small: CellLibrary):
    """A latch open at high clock may not borrow behind a low latch, and may behind a register."""
    cells = [
        ("INV", {"A": 0, "Y": 5}), ("LATCH", {"G": 5, "D": 6, "Q": 2}),
        ("LATCH", {"G": 0, "D": 2, "Q": 3}), ("DFFR", {"CK": 0, "D": 3, "RN": 7, "Q": 4}),
        ("LATCH", {"G": 0, "D": 4, "Q": 8}),
    ]  # fmt: skip
    found = circuit(netlist(small, cells, {"clk": 0, "d": 6, "rst": 7}, {"q": 8}))
    text = "\n".join(sdc_lines(found, Names(found.netlist), 1e-9, "a test"))
    assert "1 are open while the clock is low, 2 while it is high" in text
    assert "set_max_time_borrow 0 [get_pins {c2/D}]" in text
    assert "set_disable_timing" not in text
