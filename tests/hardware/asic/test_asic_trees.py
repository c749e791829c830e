# SPDX-License-Identifier: Apache-2.0
"""The model of clock and reset trees, computed by hand.

In the library of tests no buffer drives 16 sinks with a tenth of the largest slew (0.1 ns), so its
only one takes 16: 0.048 pF of clock pins, at a slew of 0.05 + 3 x 0.048 ns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from netlists import netlist

from joulemark.hardware.flow.trees import SKEW_SHARE, Trees, model_trees
from joulemark.hardware.gate import wire_model
from joulemark.hardware.gate.analysis import analyse
from joulemark.hardware.gate.halves import check_halves
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.synthesis import Netlist

CLOCK, RESET, ENABLE, GATED = 0, 1, 2, 3
SLEW = 0.05 + 3 * 0.048
INTERNAL = 0.0025 + 0.01 * SLEW
"""Internal energy of a buffer, the mean of both edges, in pJ."""


def registers(count: int, clock: int) -> list[tuple[str, dict[str, int]]]:
    """Flip-flops that keep their value."""
    return [
        ("DFFR", {"CK": clock, "D": 10 + place, "RN": RESET, "Q": 10 + place})
        for place in range(count)
    ]


def trees_of(circuit: Netlist) -> Trees:
    """The modelled trees of a circuit without wires."""
    return model_trees(circuit, analyse(circuit, wire_model(circuit, "none"), "clk"), "clk")


def through(load: float) -> float:
    """Delay of a buffer, or of the clock gate, in seconds."""
    return (0.1 + SLEW / 10 + 2 * load) * 1e-9


def exactly(value: float) -> object:
    """A value to compare to nine digits."""
    return pytest.approx(value, rel=1e-9, abs=0)


def test_forty_flip_flops_take_three_buffers_and_a_root(small: CellLibrary):
    """The clock's area, leakage, insertion delay, skew and energy match; so do the reset's."""
    found = trees_of(netlist(small, registers(40, CLOCK), {"clk": CLOCK, "rst": RESET}, {}))
    assert (found.buffer, found.sinks_per_buffer) == ("BUF", 16)
    assert [(tree.kind, tree.sinks, tree.levels) for tree in found.trees] == [
        ("clock", 40, (3, 1)), ("reset", 40, (3, 1)),
    ]  # fmt: skip
    assert (found.clock_area_um2, found.reset_area_um2) == (4 * 2, 4 * 2)
    assert found.leakage_w == exactly(8 * 4e-9)
    assert found.insertion_s == exactly(through(0.04) + through(0.006))
    assert found.skew_s == exactly(SKEW_SHARE * found.insertion_s)
    # The set-up time stands in for the recovery time that the library lacks.
    release_s = through(40 * 0.002 / 3) + through(0.006) + 0.05e-9
    assert found.reset_release_s == exactly(release_s)
    toggles = np.zeros(60, dtype=np.int64)
    toggles[CLOCK] = 10
    # The clock pins are charged as before; four buffers and their inputs are new.
    assert found.energy_j(toggles) == exactly(10 * 4 * (INTERNAL + 0.5 * 0.002) * 1e-12)


def test_a_gated_clock_has_a_tree_of_its_own_that_toggles_with_it(small: CellLibrary):
    """The clock gate is the root of its tree; a port with one sink needs no buffer."""
    cells = [("GATE", {"CK": CLOCK, "EN": ENABLE, "GC": GATED}), *registers(20, GATED)]
    found = trees_of(netlist(small, cells, {"clk": CLOCK, "rst": RESET, "en": ENABLE}, {}))
    levels = {tree.net: tree.levels for tree in found.trees if tree.kind == "clock"}
    assert levels == {CLOCK: (), GATED: (2,)}
    assert found.insertion_s == exactly(through(2 * 0.002) + through(10 * 0.003))
    toggles = np.zeros(40, dtype=np.int64)
    toggles[CLOCK] = 1000
    assert found.energy_j(toggles) == 0
    toggles[GATED] = 3
    assert found.energy_j(toggles) == exactly(3 * 2 * (INTERNAL + 0.5 * 0.002) * 1e-12)


def test_few_sinks_of_a_gate_need_no_buffer(small: CellLibrary):
    """The gate drives the sinks directly, and its delay is the whole insertion delay."""
    cells = [("GATE", {"CK": CLOCK, "EN": ENABLE, "GC": GATED}), *registers(16, GATED)]
    found = trees_of(netlist(small, cells, {"clk": CLOCK, "rst": RESET, "en": ENABLE}, {}))
    assert found.counts("clock") == 0
    assert found.insertion_s == exactly(through(16 * 0.003))


def test_each_budget_loses_the_skew_once(small: CellLibrary):
    """A path has the period less the skew; a budget of half a period counts the skew twice."""
    data = 6
    latch = ("LATCH", {"G": CLOCK, "D": 4, "Q": 5})
    loop = [("DFFR", {"CK": CLOCK, "D": 3, "RN": RESET, "Q": 4}), ("INV", {"A": 4, "Y": 3})]
    into_latch = [("DFFR", {"CK": CLOCK, "D": data, "RN": RESET, "Q": 4}), latch]
    for cells, lost in ((loop, 1), (into_latch, 2)):
        circuit = netlist(small, cells, {"clk": CLOCK, "rst": RESET, "d": data}, {})
        timing = analyse(circuit, wire_model(circuit, "none"), "clk")
        skew_s = 1e-9
        found = check_halves(circuit, timing, "clk", skew_s)
        assert found.period_s == check_halves(circuit, timing, "clk").period_s
        assert found.period_with_skew_s == exactly(found.period_s + lost * skew_s)


def test_a_library_without_buffers_has_no_trees(small: CellLibrary):
    """The model adds nothing, and the buffer's name is None."""
    cells = {name: cell for name, cell in small.cells.items() if name != "BUF"}
    circuit = netlist(
        replace(small, cells=cells), registers(40, CLOCK), {"clk": CLOCK, "rst": RESET}, {}
    )
    found = trees_of(circuit)
    assert found.buffer is None
    assert (found.clock_area_um2, found.insertion_s, found.trees) == (0.0, 0.0, ())
