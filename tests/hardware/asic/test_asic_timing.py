# SPDX-License-Identifier: Apache-2.0
"""Static timing: by hand on a few cells, against OpenSTA on a core."""

from __future__ import annotations

from pathlib import Path

import pytest
from netlists import netlist
from opensta import latches_to_buffers, slack_ns
from small_library import library, pin, setup

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.gate import add_buffers, clock_nets, wire_model
from joulemark.hardware.gate.analysis import CLOCK_SLEW_S, analyse, reset_ends, without_recovery
from joulemark.hardware.gate.halves import check_halves
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.synthesis.asic import map_core

ROOT = Path(__file__).resolve().parents[3]
CHAIN = [
    ("DFFR", {"CK": 0, "D": 4, "RN": 1, "Q": 2}),
    ("INV", {"A": 2, "Y": 3}),
    ("NAND2", {"A": 3, "B": 2, "Y": 4}),
]


def test_a_loop_of_three_cells_takes_what_the_tables_say(small: CellLibrary):
    """In a loop of flip-flop, inverter and NAND, the worst delays and slews are as by hand."""
    circuit = netlist(small, CHAIN, {"clk": 0, "rst": 1}, {})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    slew = 0.05
    assert pytest.approx(slew * 1e-9, rel=1e-9, abs=0) == CLOCK_SLEW_S
    # Loads: Q drives two pins of 2 fF, the others one. Worst: Q rises, Y falls, D rises.
    q_rise = 0.1 + slew / 10 + 2 * 0.004
    q_slew = 0.05 + 3 * 0.004
    y_fall = q_rise + 0.08 + q_slew / 10 + 2 * 0.002
    d_rise = y_fall + 0.1 + (0.05 + 3 * 0.002) / 10 + 2 * 0.002
    assert timing.critical_path_s == pytest.approx((d_rise + 0.05) * 1e-9, rel=1e-9, abs=0)
    assert [step.split()[0] for step in timing.path] == ["DFFR", "INV", "NAND2", "u0"]


def test_wires_add_their_capacitance(small: CellLibrary):
    """The load may be pins, the library's wire-load model, or a capacitance per sink."""
    circuit = netlist(small, CHAIN, {"clk": 0, "rst": 1}, {})
    loads = {
        word: analyse(circuit, wire_model(circuit, word), "clk").loads[2]
        for word in ("none", "library", "5fF")
    }
    assert loads == pytest.approx({"none": 0.004, "library": 0.0065, "5fF": 0.014}, rel=1e-9, abs=0)
    with pytest.raises(UsageError, match="no wire model"):
        wire_model(circuit, "thick")


def test_clock_gates_are_in_the_ideal_clock(small: CellLibrary):
    """The gated clock arrives with the clock; the enable has a set-up time."""
    cells = [
        ("GATE", {"CK": 0, "EN": 2, "GC": 5}),
        ("DFFR", {"CK": 5, "D": 3, "RN": 1, "Q": 2}),
        ("INV", {"A": 2, "Y": 3}),
    ]
    circuit = netlist(small, cells, {"clk": 0, "rst": 1}, {})
    assert clock_nets(circuit, "clk") == {0, 5}
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    assert set(timing.worst) == {"clock gate", "flip-flop", "reset"}
    assert timing.worst["clock gate"] == pytest.approx(
        (0.1 + 0.005 + 0.008 + 0.05) * 1e-9, rel=1e-9, abs=0
    )


def test_latches_are_transparent_and_cut_loops(small: CellLibrary):
    """A path goes on through a latch; a loop through latches alone is cut at one."""
    cells = [
        ("DFFR", {"CK": 0, "D": 3, "RN": 1, "Q": 2}),
        ("LATCH", {"G": 0, "D": 2, "Q": 3}),
    ]
    circuit = netlist(small, cells, {"clk": 0, "rst": 1}, {})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    assert [step.split()[0] for step in timing.path] == ["DFFR", "LATCH", "u0"]
    assert timing.cut_latches == 0
    loop = netlist(
        small, [("LATCH", {"G": 0, "D": 3, "Q": 2}), ("INV", {"A": 2, "Y": 3})], {"clk": 0}, {}
    )
    assert analyse(loop, wire_model(loop, "none"), "clk").cut_latches == 1


def test_a_loop_is_cut_at_a_latch_that_is_part_of_it(small: CellLibrary):
    """A latch behind the loop stays open: what comes out of the loop goes on through it."""
    cells = [
        ("INV", {"A": 4, "Y": 5}), ("LATCH", {"G": 0, "D": 3, "Q": 2}),
        ("INV", {"A": 2, "Y": 3}), ("LATCH", {"G": 0, "D": 2, "Q": 4}),
    ]  # fmt: skip
    circuit = netlist(small, cells, {"clk": 0}, {"q": 5})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    assert timing.cut_latches == 1
    assert [step.split()[1] for step in timing.path[:-1]] == ["u1", "u3", "u0"]


def test_a_loop_of_logic_is_refused(small: CellLibrary):
    """The message names a cell of it."""
    circuit = netlist(small, [("INV", {"A": 1, "Y": 2}), ("INV", {"A": 2, "Y": 1})], {"clk": 0}, {})
    with pytest.raises(ImplementationError, match="loop of cells without storage, through u"):
        analyse(circuit, wire_model(circuit, "none"), "clk")


def test_opensta_finds_the_same_critical_path(
    crc8: Core, real: CellLibrary, open_library: Path, tmp_path: Path
):
    """OpenSTA agrees within 1 % with the same pin capacitances."""
    circuit = map_core(crc8, crc8.chosen({}), open_library, real, tmp_path / "mapping")
    latches_to_buffers(circuit, real)
    timing = analyse(circuit, wire_model(circuit, "none"), "clk_i")
    slack = slack_ns(
        circuit, open_library, tmp_path, "max",
        "set_input_transition 0.05 [all_inputs]", "set_input_delay 0 -clock clk [all_inputs]",
        "set_output_delay 0 -clock clk [all_outputs]",
    )  # fmt: skip
    assert 100 - slack == pytest.approx(timing.critical_path_s * 1e9, rel=0.01, abs=0)


def test_a_wipe_that_resets_320_bits_has_slews_of_the_tables_and_opensta_recovery(
    real: CellLibrary, open_library: Path, tmp_path: Path
):
    """`clear_n` of aes128_serial is buffered, and its release is within 1 % of OpenSTA's figure."""
    core = read_core(ROOT / "hdl" / "aes128_serial" / "aes128_serial.toml")
    circuit = map_core(core, core.chosen({}), open_library, real, tmp_path / "mapping")
    wires = wire_model(circuit, "library")
    resets = sum(
        len(list(reset_ends(instance, circuit.constants))) for instance in circuit.instances
    )
    assert resets > 250
    clocks = clock_nets(circuit, core.clock)
    assert analyse(circuit, wires, core.clock).max_slew > 20
    add_buffers(circuit, clocks, wires.load, fast=False)
    timing = analyse(circuit, wires, core.clock)
    largest = real.cell("sg13g2_nor2_1").outputs()[0].arcs[0].delay["rise"].slews[-1]
    assert timing.max_slew <= largest == pytest.approx(2.5, abs=0.1)
    bare = analyse(circuit, wire_model(circuit, "none"), core.clock)
    slack = slack_ns(
        circuit, open_library, tmp_path, "max", "set_input_transition 0.05 [all_inputs]",
        group="**async_default**",
    )  # fmt: skip
    assert 100 - slack == pytest.approx(bare.worst["reset"] * 1e9, rel=0.01, abs=0)


RECOVERY = 0.07
RESET_BY_LOGIC = [
    ("DFFR", {"CK": 0, "D": 5, "RN": 1, "Q": 2}),
    ("INV", {"A": 2, "Y": 3}),
    ("DFFR", {"CK": 0, "D": 5, "RN": 3, "Q": 4}),
]
"""A flip-flop that an inverted flip-flop resets."""


def with_recovery() -> CellLibrary:
    """The library of tests with recovery and removal times for the reset."""
    times = " ".join(
        setup("CK", kind).replace("0.05", str(RECOVERY)).replace("fall_constraint", "fall_unused")
        for kind in ("recovery_rising", "removal_rising")
    )
    return parse_library(library().replace(pin("RN", 0.002), pin("RN", 0.002, [times])))


@pytest.mark.parametrize("tables", [True, False])
def test_a_reset_that_logic_makes_is_let_go_in_time(small: CellLibrary, *, tables: bool):
    """The recovery time of the library counts, or the set-up time if the library has none."""
    circuit = netlist(
        with_recovery() if tables else small, RESET_BY_LOGIC, {"clk": 0, "rst": 1}, {}
    )
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    need = RECOVERY if tables else 0.05
    q_fall = 0.08 + 0.05 / 10 + 2 * 0.002
    release = q_fall + 0.1 + (0.05 + 3 * 0.002) / 10 + 2 * 0.002
    assert timing.worst["reset"] == pytest.approx((release + need) * 1e-9, rel=1e-9, abs=0)
    assert timing.critical_path_s == timing.worst["reset"]
    checked = check_halves(circuit, timing, "clk")
    assert checked.period_s == timing.critical_path_s
    assert checked.limit == "rise at the reset of u2"
    slowest = without_recovery(circuit.library.cell("DFFR"))
    assert slowest is not tables


@pytest.mark.parametrize("tables", [True, False])
def test_a_reset_must_not_be_let_go_too_soon(*, tables: bool):
    """The removal time of the library counts, or the hold time if the library has none."""
    if tables:
        of, before, after = with_recovery(), RECOVERY, RECOVERY
    else:
        hold = setup("CK", "hold_rising").replace("0.05", "0.03")
        text = library().replace(
            f"pin (D) {{ direction : input; capacitance : 0.002;  {setup('CK', 'setup_rising')}",
            f"pin (D) {{ direction : input; capacitance : 0.002;  {setup('CK', 'setup_rising')} "
            f"{hold}",
        )
        assert hold in text
        of, before, after = parse_library(text), 0.05, 0.03
    circuit = netlist(of, RESET_BY_LOGIC, {"clk": 0, "rst": 1}, {})
    timing = analyse(circuit, wire_model(circuit, "none"), "clk")
    found = check_halves(circuit, timing, "clk")
    assert found.hold_limit == "the reset of u2"
    quickest = timing.worst["reset"] - before * 1e-9
    assert found.hold_slack_s == pytest.approx(quickest - after * 1e-9, rel=1e-9, abs=0)
