# SPDX-License-Identifier: Apache-2.0
"""Power replay: every term by hand on a few cells, and against OpenSTA's own calculation."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from netlists import activity, netlist, write_structural
from small_library import library

from joulemark.errors import UsageError
from joulemark.hardware.gate import wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.power import cell_model, replay
from joulemark.hardware.gate.simulate import read_vcd
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library, read_library

SLEW = 0.05
"""Transition time of the clock and of the inputs, in ns."""


def nand(small: CellLibrary):
    """A NAND of two inputs that drives an inverter: nets 0, 1 in, 2 between, 3 out."""
    cells = [("NAND2", {"A": 0, "B": 1, "Y": 2}), ("INV", {"A": 2, "Y": 3})]
    circuit = netlist(small, cells, {"clk": 4, "a": 0, "b": 1}, {"y": 3})
    return circuit, analyse(circuit, wire_model(circuit, "none"), "clk")


def test_logic_by_hand(small: CellLibrary):
    """Nets, internal energy by edge and slew, leakage by state: the sums written out."""
    circuit, timing = nand(small)
    # a rises at 1 ns, b at 2 ns: the NAND falls after b, the inverter rises; b falls at 6 ns.
    seen = activity(
        circuit.net_count,
        {0: [1000], 1: [2000, 6000], 2: [2100, 6100], 3: [2200, 6200]},
        {2: 1}, 10_000,
    )  # fmt: skip
    power = replay(circuit, timing, seen)
    nets = 0.5 * (0.002 * 1 + 0.002 * 2 + 0.002 * 2)
    nand_fall, nand_rise = 0.002 + SLEW * 0.01, 0.003 + SLEW * 0.01
    middle = 0.05 + 3 * 0.002
    inv_fall, inv_rise = 0.002 + middle * 0.01, 0.003 + middle * 0.01
    internal = nand_fall + nand_rise + inv_fall + inv_rise
    assert power.energy_j == pytest.approx((nets + internal) * 1e-12, rel=1e-9, abs=0)
    assert power.by_category_j["logic"] == pytest.approx(internal * 1e-12, rel=1e-9, abs=0)
    assert power.by_category_j["input nets"] == pytest.approx(0.5 * 0.006 * 1e-12, rel=1e-9, abs=0)
    # NAND: both low 1 nW for 1 ns, both high 9 nW for 4 ns, else 4 nW for 5 ns; inverter 4 nW.
    assert power.leakage_w == pytest.approx(
        (1 * 1 + 9 * 4 + 4 * 5) / 10 * 1e-9 + 4e-9, rel=1e-9, abs=0
    )
    assert power.by_instance_j.sum() == pytest.approx(
        (internal + 0.5 * 0.004) * 1e-12, rel=1e-9, abs=0
    )
    assert power.dynamic_w == pytest.approx(power.energy_j / 10e-9, rel=1e-9, abs=0)


def test_the_input_that_changed_last_names_the_energy(small: CellLibrary):
    """A latch's output edge costs more after an edge of its gate than after an edge of its data."""
    cells = [("LATCH", {"G": 0, "D": 1, "Q": 2})]
    circuit = netlist(small, cells, {"g": 0, "d": 1, "clk": 3}, {"q": 2})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    count = circuit.net_count
    by_gate = replay(circuit, timing, activity(count, {0: [200], 1: [100], 2: [300]}, {}, 1000))
    by_data = replay(circuit, timing, activity(count, {0: [100], 1: [200], 2: [300]}, {}, 1000))
    assert by_gate.energy_j - by_data.energy_j == pytest.approx(0.005e-12, rel=1e-9, abs=0)


def test_clock_edges_cost_what_their_condition_says(small: CellLibrary):
    """A flip-flop's clock pin costs by edge and data; the output's edge belongs to the clock."""
    cells = [("DFFR", {"CK": 0, "D": 1, "RN": 2, "Q": 3})]
    circuit = netlist(small, cells, {"clk": 0, "d": 1, "rst": 2}, {"q": 3})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    assert timing.clocks == {0}
    # Rise with D low, fall; D rises with the clock low; rise with D high (Q follows), fall.
    toggles = {0: [1000, 2000, 4000, 5000], 1: [3000], 3: [4200]}
    power = replay(circuit, timing, activity(circuit.net_count, toggles, {2: 1}, 6000))
    assert power.by_category_j["clock pins"] == pytest.approx(
        (0.003 + 0.001 + 0.004 + 0.002) * 1e-12, rel=1e-9, abs=0
    )
    assert power.by_category_j["storage inputs"] == pytest.approx(0.001e-12, rel=1e-9, abs=0)
    assert power.by_category_j["storage outputs"] == pytest.approx(
        (0.013 + SLEW * 0.01) * 1e-12, rel=1e-9, abs=0
    )
    assert power.by_category_j["clock nets"] == pytest.approx(
        4 * 0.5 * 0.003 * 1e-12, rel=1e-9, abs=0
    )


def test_data_that_changes_with_the_clock_changes_after_it(small: CellLibrary):
    """Without delays clock and data change at one moment: the clock edge counts first."""
    cells = [("DFFR", {"CK": 0, "D": 1, "RN": 2, "Q": 3})]
    circuit = netlist(small, cells, {"clk": 0, "d": 1, "rst": 2}, {"q": 3})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    power = replay(
        circuit, timing, activity(circuit.net_count, {0: [1000], 1: [1000]}, {2: 1}, 2000)
    )
    assert power.by_category_j["clock pins"] == pytest.approx(0.003e-12, rel=1e-9, abs=0)
    assert power.by_category_j["storage inputs"] == 0


def test_a_condition_is_the_first_that_holds_and_none_is_for_the_rest(small: CellLibrary):
    """The clock pin's slot goes by the data; the data input costs only while the clock is low."""
    model = cell_model(small.cell("DFFR"))
    names = [pin.name for pin in model.pins]
    clock, data = names.index("CK"), names.index("D")
    states = np.arange(1 << len(names))
    high = (states >> data & 1).astype(bool)
    slots = model.input_slot[clock]
    assert len(set(slots[high])) == len(set(slots[~high])) == 1
    assert slots[high][0] != slots[~high][0]
    low = ~(states >> clock & 1).astype(bool)
    assert (model.input_slot[data][low] > 0).all()
    assert (model.input_slot[data][~low] == 0).all()


def test_a_library_without_power_tables_is_refused():
    """A library without power tables is an error, not a power of zero."""
    text = re.sub(r"internal_power \(\) \{", "ignored () {", library())
    bare = parse_library(text)
    circuit, timing = nand(bare)
    with pytest.raises(UsageError, match="no internal_power tables"):
        replay(circuit, timing, activity(circuit.net_count, {}, {}, 1000))


def test_large_runs_are_cut_into_pieces_without_a_difference(
    small: CellLibrary, monkeypatch: pytest.MonkeyPatch
):
    """A replay of one cell at a time gives the same energy for each instance."""
    circuit, timing = nand(small)
    cells = [(instance.cell.name, instance.pins) for instance in circuit.instances] * 5
    many = netlist(small, cells, {"clk": 4, "a": 0, "b": 1}, {"y": 3})
    toggles = {0: range(10, 900, 30), 1: range(15, 950, 50), 2: range(20, 800, 40)}
    seen = activity(many.net_count, toggles, {2: 1}, 1000)
    timing = replace(timing)
    at_once = replay(many, timing, seen)
    monkeypatch.setattr("joulemark.hardware.gate.power._PINS_AT_ONCE", 1)
    in_pieces = replay(many, timing, seen)
    assert in_pieces.by_instance_j == pytest.approx(at_once.by_instance_j, rel=1e-9, abs=0)
    assert in_pieces.leakage_w == pytest.approx(at_once.leakage_w, rel=1e-9, abs=0)


def adder(bits: int) -> list[tuple[str, dict[str, int]]]:
    """A ripple adder of IHP cells: operands in nets from 0, carry in net 2 x bits."""
    cells: list[tuple[str, dict[str, int]]] = []
    carry, net = 2 * bits, 2 * bits + 2
    for place in range(bits):
        a, b = place, bits + place
        cells += [
            ("sg13g2_xor2_1", {"A": a, "B": b, "X": net}),
            ("sg13g2_xor2_1", {"A": net, "B": carry, "X": net + 1}),
            ("sg13g2_nand2_1", {"A": a, "B": b, "Y": net + 2}),
            ("sg13g2_nand2_1", {"A": net, "B": carry, "Y": net + 3}),
            ("sg13g2_nand2_1", {"A": net + 2, "B": net + 3, "Y": net + 4}),
        ]
        carry, net = net + 4, net + 5
    return cells


def play(cells, inputs: int, nets: int, periods: int, period_ps: int):
    """Random inputs, no delays: toggles by net, first values, and periods at 1 by net."""
    chance = np.random.default_rng(5)
    toggles: dict[int, list[int]] = {}
    ones = np.zeros(nets)
    series = []
    for _ in range(periods + 1):
        value = np.zeros(nets, dtype=int)
        value[:inputs] = chance.integers(0, 2, inputs)
        for name, pins in cells:
            a, b = value[pins["A"]], value[pins["B"]]
            value[pins.get("X", pins.get("Y"))] = a ^ b if "xor" in name else 1 - (a & b)
        series.append(value)
    for period, (before, after) in enumerate(itertools.pairwise(series)):
        for net in np.flatnonzero(after != before):
            toggles.setdefault(int(net), []).append(period * period_ps + 100)
        ones += after
    return toggles, dict(enumerate(series[0])), ones


def test_opensta_differs_by_what_is_known(open_library: Path, tmp_path: Path):
    """A ripple adder with random inputs; OpenSTA is given the activity of every pin.

    Switching power of nets agrees within 2 %, from the same pin capacitances (OpenSTA takes the
    largest of `capacitance_range`, which a copy of the library lacks). Leakage agrees within 6 %:
    OpenSTA weights states by probabilities that it takes as independent. Internal power does not:
    for every edge of an output the 2019 version adds the energies of all related pins, and of
    conditions that exclude each other, where the replay takes the one group that applies. Its
    figure is therefore between the replay's and the sum over all groups.
    """
    if shutil.which("sta") is None:
        pytest.skip("no OpenSTA here: apt-get install opensta")
    plain = tmp_path / "plain.lib"
    text = open_library.read_text("utf-8")
    plain.write_text(re.sub(r".*capacitance_range.*\n", "", text), "utf-8")
    real = read_library(plain)
    bits, periods, period_ps = 6, 400, 10_000
    cells = adder(bits)
    inputs = {f"i{place}": place for place in range(2 * bits + 1)}
    circuit = netlist(real, cells, {**inputs, "clk": 2 * bits + 1}, {"c": cells[-1][1]["Y"]})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    toggles, initial, ones = play(cells, len(inputs), circuit.net_count, periods, period_ps)
    ours = replay(
        circuit, timing, activity(circuit.net_count, toggles, initial, periods * period_ps)
    )
    write_structural(circuit, tmp_path / "netlist.v")
    settings = []
    for place, (_, pins) in enumerate(cells):
        for pin, here in pins.items():
            settings.append(
                # The documented command, set_power_activity -pins, does not work in this version.
                f"foreach one [get_pins c{place}/{pin}] {{ ::sta::set_power_pin_activity $one "
                f"{len(toggles.get(here, ())) / periods} {ones[here] / periods} }}"
            )
    ports = [
        f"set_power_activity -input_ports [get_ports n{here}] "
        f"-activity {len(toggles.get(here, ())) / periods} -duty {ones[here] / periods}"
        for here in inputs.values()
    ]
    (tmp_path / "run.tcl").write_text(
        "\n".join(
            [
                f"read_liberty {plain}", f"read_verilog {tmp_path}/netlist.v",
                "link_design netlist", "set_wire_load_model -name Zero",
                f"create_clock -name clk -period {period_ps / 1000} n{2 * bits + 1}",
                "set_input_transition 0.05 [all_inputs]",
                "set_input_delay 0 -clock clk [all_inputs]",
                *ports, *settings, "report_power -digits 6", "exit", "",
            ]
        )
    )  # fmt: skip
    said = subprocess.run(
        ["sta", "-no_splash", "-exit", str(tmp_path / "run.tcl")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    row = re.findall(r"^Total\s+(\d\S+)\s+(\d\S+)\s+(\d\S+)", said, re.MULTILINE)[0]
    internal, switching, leakage = map(float, row)
    seconds = ours.duration_s
    assert switching == pytest.approx(ours.by_category_j["logic nets"] / seconds, rel=0.02, abs=0)
    assert leakage == pytest.approx(ours.leakage_w, rel=0.06, abs=0)
    replayed = ours.by_category_j["logic"] / seconds
    assert internal > 3 * replayed
    added = 0.0
    for instance in circuit.instances:
        (out,) = instance.cell.outputs()
        here = instance.pins[out.name]
        for energy in out.energies:
            slew = sum(timing.slews[instance.pins[energy.related_pin or ""]]) / 2
            each = sum(table.at(slew, timing.loads[here]) for table in energy.edges.values()) / 2
            added += each * len(toggles.get(here, ())) * 1e-12 / seconds
    assert 0.6 * added < internal < added


def test_changes_are_read_from_a_vcd(tmp_path: Path):
    """Only nets are read, from the window's first moment to $dumpoff; unknown counts as 0."""
    path = tmp_path / "window.vcd"
    path.write_text(
        "$timescale 1ps $end\n$scope module dut $end\n$var wire 1 ! n1 $end\n"
        '$var wire 1 " n2 $end\n$var reg 1 # s0 $end\n$var wire 3 % i [2:0] $end\n'
        '$upscope $end\n$enddefinitions $end\n#500\n$dumpvars\n1!\n0"\n0#\nb101 %\n$end\n'
        '#700\n0!\n1#\n#900\n1"\nx!\n#1000\n1!\n#1500\n$dumpoff\nx!\nx"\n$end\n#2000\n'
    )
    seen = read_vcd(path, 4)
    assert seen.duration_ps == 1000
    assert list(seen.initial) == [0, 1, 0, 0]
    assert list(seen.toggles()) == [0, 2, 1, 0]
    assert list(seen.times_ps) == [200, 500, 400]
    assert seen.unknown == 1
