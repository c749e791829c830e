# SPDX-License-Identifier: Apache-2.0
"""Budgets of half a period and hold times: circuits of a few cells, computed by hand.

In the library of tests a flip-flop's output rises 0.105 ns and falls 0.085 ns after the clock, and
2 ns/pF later for its load; a latch's after its gate likewise; both have 0.05 ns of set-up time.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from netlists import netlist
from opensta import latches_to_buffers, slack_ns
from small_library import library, setup

from joulemark.errors import ImplementationError
from joulemark.hardware.gate import wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.halves import Halves, check_halves
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis.asic import map_core

CLOCK, RESET = 0, 1
PORTS = {"clk": CLOCK, "rst": RESET}
INVERTED = ("INV", {"A": CLOCK, "Y": 9})
ONE_PIN = 2 * 0.002
LAUNCH_RISE, LAUNCH_FALL = 0.105 + ONE_PIN, 0.085 + ONE_PIN
THROUGH = 0.1 + (0.05 + 3 * 0.002) / 10 + ONE_PIN
"""Delay in ns of a rise through a logic cell or an open latch, from one such cell to the next."""
SETUP = 0.05


def flip_flop(d: int, q: int, clock: int = CLOCK) -> tuple[str, dict[str, int]]:
    """A flip-flop with a reset."""
    return "DFFR", {"CK": clock, "D": d, "RN": RESET, "Q": q}


def halves(
    of: CellLibrary, cells: list[tuple[str, dict[str, int]]], inputs: dict[str, int] | None = None
) -> Halves:
    """The check of a circuit without wires."""
    circuit = netlist(of, cells, PORTS | (inputs or {}), {})
    return check_halves(circuit, analyse(circuit, wire_model(circuit, "none"), "clk"), "clk")


def ns(value: float) -> object:
    """A value in nanoseconds as seconds, to compare to nine digits."""
    return pytest.approx(value * 1e-9, rel=1e-9, abs=0)


def test_flip_flops_alone_have_the_whole_period(small: CellLibrary) -> None:
    """The shortest period is the critical path, and the hold slack is the shortest path."""
    found = halves(small, [flip_flop(3, 2), ("BUF", {"A": 2, "Y": 3})])
    assert found.period_s == ns(LAUNCH_RISE + THROUGH + SETUP)
    assert found.limit == "rise at u0"
    fall_through = 0.08 + (0.05 + 3 * 0.002) / 10 + ONE_PIN
    assert found.hold_slack_s == ns(LAUNCH_FALL + fall_through)
    assert found.latches == (0, 0)
    assert found.hazards == ()


def test_input_ports_change_with_the_clock(small: CellLibrary) -> None:
    """Input ports count in the period and have no hold slack: the user decides when they change."""
    cells = [("BUF", {"A": 4, "Y": 5}), ("BUF", {"A": 5, "Y": 3}), flip_flop(3, 2)]
    found = halves(small, cells, {"given": 4})
    assert found.period_s == ns(LAUNCH_RISE + THROUGH + SETUP)
    assert found.hold_slack_s is None


def test_what_a_latch_lets_go_as_the_clock_falls_has_half_a_period(small: CellLibrary) -> None:
    """A latch opens as the clock falls: its output decides, though its data path is longer."""
    cells = [flip_flop(3, 2), INVERTED, ("LATCH", {"G": 9, "D": 2, "Q": 3})]
    found = halves(small, cells)
    assert found.period_s == ns(2 * (LAUNCH_RISE + SETUP))
    assert found.limit == "fall at u0"
    assert found.latches == (1, 0)
    # The flip-flop is held by half a period; the latch, as it closes, by the flip-flop's delay.
    assert found.hold_slack_s == ns(LAUNCH_FALL)
    assert found.hold_limit == "u2"


def test_what_comes_late_through_an_open_latch_has_the_whole_period(small: CellLibrary) -> None:
    """A path that is too slow for the first half takes the rest from the second half."""
    chain = [("BUF", {"A": net, "Y": net + 1}) for net in range(10, 15)]
    cells = [flip_flop(3, 10), *chain, INVERTED, ("LATCH", {"G": 9, "D": 15, "Q": 3})]
    found = halves(small, cells)
    assert found.period_s == ns(LAUNCH_RISE + 6 * THROUGH + SETUP)
    assert found.limit == "late at u0"


def test_a_change_goes_on_through_latches_that_are_open_together(small: CellLibrary) -> None:
    """The delay of the second latch adds to the half period of the first."""
    cells = [
        INVERTED, ("LATCH", {"G": 9, "D": 4, "Q": 5}), ("LATCH", {"G": 9, "D": 5, "Q": 3}),
        flip_flop(3, 2),
    ]  # fmt: skip
    found = halves(small, cells, {"given": 4})
    assert found.period_s == ns(2 * (LAUNCH_RISE + THROUGH + SETUP))
    assert found.limit == "fall at u3"


def test_a_latch_that_closes_as_the_clock_falls_is_ready_by_then(small: CellLibrary) -> None:
    """The path to a latch that is open while the clock is high has half a period."""
    cells = [flip_flop(4, 2), ("BUF", {"A": 2, "Y": 3}), ("LATCH", {"G": CLOCK, "D": 3, "Q": 4})]
    found = halves(small, cells)
    assert found.period_s == ns(2 * (LAUNCH_RISE + THROUGH + SETUP))
    assert found.limit == "rise at u2"
    assert found.latches == (0, 1)
    # It opens with the clock that the flip-flop acts on, which takes its old value.
    assert found.hold_slack_s == ns(LAUNCH_FALL)
    assert found.hold_limit == "u0"


def test_a_latch_that_closes_as_another_opens_is_held_by_its_delay(small: CellLibrary) -> None:
    """The output of the latch that opens must not change before the other latch has closed."""
    cells = [INVERTED, ("LATCH", {"G": 9, "D": 4, "Q": 2}), ("LATCH", {"G": CLOCK, "D": 2, "Q": 3})]
    found = halves(small, cells, {"given": 4})
    assert found.hold_slack_s == ns(LAUNCH_FALL)
    assert found.hold_limit == "u2"


def test_latches_of_both_kinds_in_turn(small: CellLibrary) -> None:
    """Each latch has half a period; none borrows beyond the end of its half, and no loop is cut."""
    cells = [
        INVERTED,
        ("LATCH", {"G": CLOCK, "D": 3, "Q": 2}),
        ("LATCH", {"G": 9, "D": 2, "Q": 3}),
    ]
    found = halves(small, cells)
    assert found.period_s == ns(2 * (LAUNCH_RISE + SETUP))
    assert found.latches == (1, 1)
    assert found.cut_latches == 0
    # Each latch changes as the other closes.
    assert found.hold_slack_s == ns(LAUNCH_FALL)


def test_a_gate_of_the_low_clock_has_its_control_by_the_middle(small: CellLibrary) -> None:
    """A flip-flop that gates the low clock must settle while the clock is high."""
    chain = [("BUF", {"A": net, "Y": net + 1}) for net in range(10, 13)]
    cells = [
        flip_flop(3, 10), *chain, ("NOR2", {"A": CLOCK, "B": 13, "Y": 9}),
        ("LATCH", {"G": 9, "D": 4, "Q": 3}),
    ]  # fmt: skip
    found = halves(small, cells, {"given": 4})
    assert found.hazards == ()
    assert found.period_s == ns(2 * (LAUNCH_RISE + 3 * THROUGH))
    assert found.limit == "rise at gate of the clock at u4"


def test_controls_that_change_in_mid_pulse_are_hazards(small: CellLibrary) -> None:
    """A latch that gates the low clock, and a flip-flop that gates the high clock, are hazards."""
    low = [
        INVERTED, flip_flop(4, 2), ("LATCH", {"G": 9, "D": 2, "Q": 3}),
        ("NOR2", {"A": CLOCK, "B": 3, "Y": 8}), ("LATCH", {"G": 8, "D": 2, "Q": 4}),
    ]  # fmt: skip
    assert halves(small, low).hazards == ("u3",)
    high = [
        flip_flop(3, 2), ("NAND2", {"A": CLOCK, "B": 2, "Y": 8}), ("INV", {"A": 8, "Y": 9}),
        flip_flop(2, 3, clock=9),
    ]  # fmt: skip
    assert halves(small, high).hazards == ("u1",)


def test_a_clock_gate_of_a_latch_and_logic_is_none(small: CellLibrary) -> None:
    """Such a gate is no hazard: the latch holds the enable still while the clock is high."""
    cells = [
        INVERTED, flip_flop(3, 2), ("LATCH", {"G": 9, "D": 2, "Q": 4}),
        ("NAND2", {"A": CLOCK, "B": 4, "Y": 7}), ("INV", {"A": 7, "Y": 8}),
        flip_flop(2, 3, clock=8),
    ]  # fmt: skip
    assert halves(small, cells).hazards == ()


def test_a_clock_that_is_data_changes_at_both_edges(small: CellLibrary) -> None:
    """A pulse that is also data, as to free a bus, must end after it has closed the latch."""
    cells = [INVERTED, ("BUF", {"A": 9, "Y": 2}), ("LATCH", {"G": 9, "D": 2, "Q": 3})]
    found = halves(small, cells)
    assert found.hold_slack_s == ns(LAUNCH_FALL)
    assert found.period_s == ns(2 * (LAUNCH_RISE + SETUP))
    assert found.limit == "fall at u2"


def test_hold_times_of_the_library_count(small: CellLibrary) -> None:
    """A shift register's delay meets one hold time of a library and violates a longer one."""
    text = library().replace(
        setup("CK", "setup_rising"), setup("CK", "setup_rising") + setup("CK", "hold_rising")
    )
    cells = [flip_flop(3, 2), flip_flop(2, 3)]
    assert halves(parse_library(text), cells).hold_slack_s == ns(LAUNCH_FALL - SETUP)
    longer = setup("CK", "hold_rising").replace("0.05", "0.2")
    text = library().replace(setup("CK", "setup_rising"), setup("CK", "setup_rising") + longer)
    assert halves(parse_library(text), cells).hold_slack_s == ns(LAUNCH_FALL - 0.2)
    assert halves(small, cells).hold_slack_s == ns(LAUNCH_FALL)


def test_latches_that_feed_themselves_while_open_are_counted(small: CellLibrary) -> None:
    """The loop is cut, and the result says so."""
    cells = [INVERTED, ("LATCH", {"G": 9, "D": 3, "Q": 2}), ("INV", {"A": 2, "Y": 3})]
    assert halves(small, cells).cut_latches == 1


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([INVERTED, flip_flop(3, 2, clock=9)], "u1 may act at other times than when clk rises"),
        ([flip_flop(3, 2), flip_flop(2, 3, clock=2)], "u1 may act at other times"),
        (
            [flip_flop(3, 2), ("LATCH", {"G": 2, "D": 2, "Q": 3})],
            "latch u1 may be open in both halves of clk",
        ),
        (
            [flip_flop(3, 2), ("XOR2", {"A": CLOCK, "B": 2, "Y": 9}),
             ("LATCH", {"G": 9, "D": 2, "Q": 3})],
            "latch u2 may be open in both halves of clk",
        ),
    ],
    ids=["falling", "no clock", "no clock at a latch", "either half"],
)  # fmt: skip
def test_other_clocking_is_refused(
    small: CellLibrary, cells: list[tuple[str, dict[str, int]]], said: str
) -> None:
    """The message is one sentence that names the cell."""
    with pytest.raises(ImplementationError, match=said):
        halves(small, cells)


def test_a_clock_gate_for_the_falling_edge_is_refused() -> None:
    """The message names the kind of the clock gate."""
    other = parse_library(library().replace("latch_posedge", "latch_negedge"))
    cells = [("GATE", {"CK": CLOCK, "EN": 2, "GC": 9}), flip_flop(3, 2, clock=9)]
    with pytest.raises(ImplementationError, match="u0 is a latch_negedge, and only latch_posedge"):
        halves(other, cells)


def test_opensta_finds_the_same_hold_slack(
    crc8: Core, real: CellLibrary, open_library: Path, tmp_path: Path
) -> None:
    """OpenSTA agrees within 2 ps for flip-flops and a clock gate in a real library."""
    circuit = map_core(crc8, crc8.chosen({}), open_library, real, tmp_path / "mapping")
    latches_to_buffers(circuit, real)
    timing = analyse(circuit, wire_model(circuit, "none"), "clk_i")
    found = check_halves(circuit, timing, "clk_i")
    assert found.hold_slack_s is not None
    slack = slack_ns(circuit, open_library, tmp_path, "min")
    assert found.hold_slack_s * 1e9 == pytest.approx(slack, rel=0, abs=0.002)
    assert found.period_s == pytest.approx(timing.critical_path_s, rel=1e-9, abs=0)


def test_a_core_with_a_latch_in_a_real_library(
    crc8: Core, real: CellLibrary, open_library: Path, tmp_path: Path
) -> None:
    """Latches are open in one half, no gate of a clock has a hazard, all hold times are met."""
    circuit = map_core(crc8, crc8.chosen({}), open_library, real, tmp_path / "mapping")
    timing = analyse(circuit, wire_model(circuit, "library"), "clk_i")
    found = check_halves(circuit, timing, "clk_i")
    assert sum(found.latches) > 0
    assert found.hazards == ()
    assert found.hold_slack_s is not None
    assert found.hold_slack_s > 0
    assert found.period_s > 0
