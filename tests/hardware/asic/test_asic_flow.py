# SPDX-License-Identifier: Apache-2.0
"""Workload, mapping, gate-level run and the whole entry point on one small core."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from netlists import netlist

from conftest import Flow
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.hardware.flow import asic, mappings
from joulemark.hardware.flow.asic import map_and_time
from joulemark.hardware.flow.cache import at_voltage
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.gate import add_buffers, net_loads, wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.power import replay
from joulemark.hardware.gate.simulate import icarus_version, read_vcd, simulate
from joulemark.hardware.gate.verilog import write_netlist
from joulemark.hardware.liberty.library import CellLibrary, ClockGate, FlipFlop, Latch
from joulemark.hardware.liberty.reader import parse_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.workload import clocks_per_message
from joulemark.hardware.synthesis.asic import map_core, nand2_area_um2


def test_clocks_are_those_of_the_manifest(flow: Flow):
    """A byte takes two clocks and the result one; the window holds the messages asked for."""
    promised = flow.core.configurations["default"]
    clocks = flow.recording.clocks
    assert clocks.clocks_per_block == promised.clocks_per_block
    assert clocks.latency_clocks == promised.latency_clocks
    first, last = flow.recording.window
    assert flow.recording.window_messages == flow.core.workload.messages
    assert last - first == flow.recording.window_messages * clocks.message_clocks


def test_clocks_by_length(crc8: Core, flow: Flow):
    """One simulation counts messages back to back and alone; a length too long is refused."""
    rows = clocks_per_message(crc8, crc8.chosen({}), [1, 2, 10], flow.folder / "rtl", messages=3)
    assert [row.throughput_clocks for row in rows] == [3, 5, 21]
    assert [row.latency_clocks for row in rows] == [3, 5, 21]
    with pytest.raises(UsageError, match="at most 100 bytes"):
        clocks_per_message(crc8, crc8.chosen({}), [101], flow.folder / "rtl")


def test_a_wrong_result_gives_no_clocks(crc8: Core, flow: Flow, tmp_path: Path):
    """If the reference has another polynomial, the error message has both results."""
    text = (crc8.folder / "tb" / "adapter.py").read_text("utf-8").replace("(7 if", "(29 if")
    (tmp_path / "other.py").write_text(text, "utf-8")
    other = crc8.model_copy(update={"adapter": str(tmp_path / "other.py")})
    with pytest.raises(ImplementationError, match="the reference says"):
        clocks_per_message(other, crc8.chosen({}), [3], flow.folder / "rtl")


def test_every_cell_is_of_the_library_and_in_its_module(flow: Flow):
    """The netlist has the source's storage and the library's clock gate; logic keeps its module."""
    kinds = [type(instance.cell.storage) for instance in flow.netlist.instances]
    # One clock gate of the source, one for the enable of the CRC register.
    assert kinds.count(ClockGate) == 2
    assert kinds.count(Latch) == 8
    # A byte, its last flag and the CRC; the state has two or, one-hot, three.
    assert kinds.count(FlipFlop) in {8 + 1 + 8 + 2, 8 + 1 + 8 + 3}
    modules = {instance.module for instance in flow.netlist.instances}
    assert modules == {"", "u_gate", "u_step"}
    areas = flow.netlist.areas_um2()
    assert sum(areas.values()) == pytest.approx(flow.netlist.area_um2, rel=1e-9, abs=0)
    assert areas["latch"] == 8 * 5
    assert areas["clock_gate"] == 2 * 6


def test_the_unit_of_area_is_the_smallest_nand(small: CellLibrary):
    """The NAND is found by function, not by name; a library without a NAND is refused."""
    assert nand2_area_um2(small) == 2
    without = {name: cell for name, cell in small.cells.items() if name != "NAND2"}
    with pytest.raises(UsageError, match="no two-input NAND"):
        nand2_area_um2(replace(small, cells=without))


def test_what_the_library_has_no_cell_for_is_named(crc8: Core, small_file: Path, tmp_path: Path):
    """If the library has no latch, the mapping stops and names the cell that is left."""
    text = small_file.read_text("utf-8")
    start = text.index("  cell (LATCH)")
    cut = text[:start] + text[text.index("  cell (GATE)") :]
    path = tmp_path / "cut.lib"
    path.write_text(cut, "utf-8")
    with pytest.raises(ImplementationError, match="DLATCH"):
        map_core(crc8, crc8.chosen({}), path, parse_library(cut), tmp_path / "mapping")


def test_buffers_bring_loads_within_the_limit(small: CellLibrary):
    """A net with two hundred sinks gets a tree, and so does a reset that logic makes; the clock
    does not get one.
    """
    sinks = [("INV", {"A": 2, "Y": 10 + place}) for place in range(200)]
    registers = [("DFFR", {"CK": 0, "D": 3, "RN": 4, "Q": 300 + place}) for place in range(60)]
    cells = [("INV", {"A": 1, "Y": 2}), ("INV", {"A": 1, "Y": 4}), *sinks, *registers]
    circuit = netlist(small, cells, {"clk": 0, "a": 1, "d": 3}, {})
    wire = wire_model(circuit, "none")
    assert net_loads(circuit, wire)[2] == pytest.approx(0.4, rel=1e-9, abs=0)
    added = add_buffers(circuit, frozenset({0}), wire.load, fast=False)
    loads = net_loads(circuit, wire)
    # Of 0.4 pF the driver keeps less than 0.1 pF; a buffer takes 0.07 pF. Of 0.12 pF one is enough.
    assert added == 5 + 1
    assert max(loads[net] for net in circuit.drivers()) <= 0.1
    assert loads[0] == pytest.approx(60 * 0.003, rel=1e-9, abs=0)
    assert 25 <= len(circuit.sinks()[2]) - 5 <= 30
    assert 60 - 35 <= len(circuit.sinks()[4]) - 1 <= 60 - 30


def test_buffers_bring_slews_into_the_tables(small: CellLibrary):
    """A NOR may drive 0.5 pF, but its slew reaches the largest value, 1 ns, at 0.317 pF."""
    pins = small.cell("NOR2").pins
    strong = replace(
        small.cell("NOR2"), pins={**pins, "Y": replace(pins["Y"], max_capacitance=0.5)}
    )
    library = replace(small, cells={**small.cells, "NOR2": strong})
    sinks = [("INV", {"A": 2, "Y": 10 + place}) for place in range(240)]
    circuit = netlist(library, [("NOR2", {"A": 1, "B": 3, "Y": 2}), *sinks], {"a": 1, "b": 3}, {})
    wire = wire_model(circuit, "none")
    assert add_buffers(circuit, frozenset(), wire.load, fast=False) == 3
    assert net_loads(circuit, wire)[2] <= (1 - 0.05) / 3


def test_the_netlist_gives_the_same_outputs_with_and_without_delays(
    icarus: None, flow: Flow, tmp_path: Path
):
    """Outputs agree in every period; with delays there are no fewer toggles than without."""
    timing = analyse(flow.netlist, wire_model(flow.netlist, "library"), "clk_i")
    counts = []
    for name, delays in (("with", timing), ("without", None)):
        vcd = simulate(
            flow.netlist, "clk_i", flow.recording, tmp_path / name, timing=delays,
            clock_hz=1e6,
        )  # fmt: skip
        seen = read_vcd(vcd, flow.netlist.net_count)
        first, last = flow.recording.window
        assert seen.duration_ps == pytest.approx((last - first) * 1e6, abs=2)
        (clock,) = flow.netlist.inputs["clk_i"]
        assert seen.toggles()[clock] == 2 * (last - first)
        assert seen.unknown == 0
        counts.append(seen.toggles().sum())
    assert counts[0] >= counts[1] > 0


def test_without_delays_the_clock_as_data_does_not_race_its_own_edge(
    small: CellLibrary, tmp_path: Path
):
    """Logic that takes the clock as data reads it late; clock pins and clock gates do not."""
    cells = [
        ("INV", {"A": 0, "Y": 2}),
        ("LATCH", {"G": 2, "D": 3, "Q": 4}),
        ("NAND2", {"A": 2, "B": 1, "Y": 3}),
    ]
    circuit = netlist(small, cells, {"clk": 0, "d": 1}, {"q": 4})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    write_netlist(circuit, None, "clk", tmp_path / "still.v")
    write_netlist(circuit, timing, "clk", tmp_path / "timed.v")
    still = (tmp_path / "still.v").read_text("utf-8")
    assert "assign #1 late2 = g0.n2;" in still
    assert "assign g0.n3 = ~(late2 & g0.n1);" in still.replace("((", "(").replace("))", ")")
    assert "assign g0.n2 = ~g0.n0;" in still
    assert "if (g0.n2)" in still
    assert "late" not in (tmp_path / "timed.v").read_text("utf-8")


def test_no_scope_of_a_written_netlist_has_many_signals(small: CellLibrary, tmp_path: Path):
    """Icarus compiles a netlist in a time that grows with the square of the signals of a scope."""
    cells = [("INV", {"A": net, "Y": net + 1}) for net in range(300)]
    circuit = netlist(small, cells, {"a": 0}, {"y": 300})
    write_netlist(circuit, None, "clk", tmp_path / "chain.v")
    lines = (tmp_path / "chain.v").read_text("utf-8").splitlines()
    scopes = [place for place, line in enumerate(lines) if line.startswith("if (1) begin")]
    ends = [place for place, line in enumerate(lines) if line == "end"]
    assert len(scopes) == len(ends) == 2 * 5
    assert max(end - scope for scope, end in zip(scopes, ends, strict=True)) <= 65
    inside = sum(end - scope - 1 for scope, end in zip(scopes, ends, strict=True))
    assert inside == 301 + 300  # nets and cells


def test_energy_of_a_period_does_not_depend_on_the_clock(icarus: None, flow: Flow, tmp_path: Path):
    """At ten times the clock the energy is the same and the dynamic power is ten times as much."""
    timing = analyse(flow.netlist, wire_model(flow.netlist, "library"), "clk_i")
    powers = [
        replay(
            flow.netlist, timing,
            read_vcd(
                simulate(
                    flow.netlist, "clk_i", flow.recording, tmp_path / f"{hertz:g}", timing=timing,
                    clock_hz=hertz,
                ), flow.netlist.net_count,
            ),
        )
        for hertz in (5e5, 5e6)
    ]  # fmt: skip
    assert powers[1].energy_j == pytest.approx(powers[0].energy_j, rel=1e-9, abs=0)
    assert powers[1].dynamic_w == pytest.approx(10 * powers[0].dynamic_w, rel=1e-4, abs=0)


def test_one_wrong_cell_is_found_by_the_gate_level_run(icarus: None, flow: Flow, tmp_path: Path):
    """If a NOR replaces an XOR with the same pins, the message names the outputs that differ."""
    index, instance = next(
        (index, cell) for index, cell in enumerate(flow.netlist.instances)
        if cell.cell.name == "XOR2" and cell.module == "u_step"
    )  # fmt: skip
    broken = list(flow.netlist.instances)
    broken[index] = replace(instance, cell=flow.netlist.library.cell("NOR2"))
    with pytest.raises(ImplementationError, match=r"differs from the RTL in .* outputs crc_o"):
        simulate(
            replace(flow.netlist, instances=broken), "clk_i", flow.recording, tmp_path,
            timing=None, clock_hz=1e6,
        )  # fmt: skip


def test_the_shortest_period_runs_and_a_shorter_one_is_refused(
    icarus: None, flow: Flow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The stated period runs; a shorter period is refused before the core is simulated."""
    core, parameters = flow.core, flow.core.chosen({})
    asked = AskedFlow(target="asic", liberty=flow.liberty)
    period_s = map_and_time(core, parameters, asked, tmp_path).period_s
    allowed = asked.model_copy(update={"clock_hz": 1 / period_s})
    found = mappings.characterise(core, parameters, allowed, folder=flow.folder, mappings=1)
    assert found.median.period_s == period_s

    def unwanted(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the core is simulated for a clock that it cannot have")

    monkeypatch.setattr(asic, "record", unwanted)
    faster = asked.model_copy(update={"clock_hz": 1.01 / period_s})
    with pytest.raises(UsageError, match=r"its shortest clock period is .* slower --clock"):
        mappings.characterise(core, parameters, faster, folder=tmp_path, mappings=1)


def test_missing_icarus_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch):
    """The message says which package to install."""
    icarus_version.cache_clear()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnavailableError, match="apt-get install iverilog"):
        icarus_version()
    icarus_version.cache_clear()


def test_the_entry_point_gives_figures_that_add_up(icarus: None, flow: Flow):
    """Area, power and energy per block agree with their parts, modules included."""
    core = flow.core
    figures = mappings.characterise(
        core,
        core.chosen({}),
        AskedFlow(target="asic", liberty=flow.liberty, modules=True, clock_hz=1e6),
        folder=flow.folder,
        mappings=1,
    ).median
    trees_ge = figures.clock_tree_ge + figures.reset_tree_ge
    assert trees_ge > 0
    assert figures.area_without_trees_ge == pytest.approx(
        figures.storage_ge + figures.logic_ge, rel=1e-9, abs=0
    )
    assert figures.area_ge == pytest.approx(
        trees_ge + sum(module.area_ge for module in figures.modules), rel=1e-9, abs=0
    )
    assert figures.critical_path_s is None, "a path through a latch is no period"
    assert figures.period_without_trees_s == figures.settings["clocking"]["period_s"] > 0
    assert figures.period_s == figures.settings["clocking"]["period_with_skew_s"]
    assert figures.period_s - figures.period_without_trees_s >= figures.clock_skew_s > 0
    assert figures.settings["clocking"]["hazards"] == []
    assert figures.leakage_w is not None
    assert figures.dynamic_w is not None
    assert figures.dynamic_no_glitch_w is not None
    assert figures.dynamic_pin_cap_w is not None
    assert figures.dynamic_w >= figures.dynamic_no_glitch_w > 0
    assert figures.dynamic_w > figures.dynamic_pin_cap_w
    assert figures.energy_per_block_j == pytest.approx(
        (figures.leakage_w + figures.dynamic_w) * 11 / 1e6, rel=1e-9, abs=0
    )
    assert figures.clock_tree_w is not None
    assert figures.trees_leakage_w is not None
    of_trees_j = (figures.clock_tree_w + figures.trees_leakage_w) * 11 / 1e6
    assert figures.energy_per_block_without_trees_j == pytest.approx(
        figures.energy_per_block_j - of_trees_j, rel=1e-9, abs=0
    )
    assert sum(figures.dynamic_by_category_w.values()) == pytest.approx(
        figures.dynamic_w, rel=1e-9, abs=0
    )
    assert sum(module.leakage_w or 0 for module in figures.modules) == pytest.approx(
        figures.leakage_w - figures.trees_leakage_w, rel=1e-9, abs=0
    )
    scaled = at_voltage(figures, 0.5)
    assert scaled.energy_per_block_without_trees_j == pytest.approx(
        figures.energy_per_block_without_trees_j
        - (figures.dynamic_w - figures.clock_tree_w) * 0.75 * 11 / 1e6,
        rel=1e-9, abs=0,
    )  # fmt: skip
    assert scaled.dynamic_w == pytest.approx(figures.dynamic_w / 4, rel=1e-9, abs=0)
    assert scaled.leakage_w == figures.leakage_w
    assert scaled.settings["voltage_scaled"] is True
