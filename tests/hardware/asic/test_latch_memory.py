# SPDX-License-Identifier: Apache-2.0
"""A memory of latches by a library's cells: every term by hand, and against a core of latches."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_library import gate, library

from joulemark.errors import UsageError
from joulemark.hardware.gate.latch_memory import latch_memory
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library, read_library

WORDS, BITS = 4, 2


@pytest.fixture(scope="module")
def small() -> CellLibrary:
    """The library that tests compute by hand with, and a multiplexer."""
    text = library().rstrip().removesuffix("}")
    return parse_library(text + gate("MUX2", 6, "(A & !C) | (B & C)", "non_unate") + "}")


def test_area_and_leakage_by_hand(small: CellLibrary) -> None:
    """Latches, decoder, multiplexers, registers and two clock gates; a NAND2 has 2 um2."""
    found = latch_memory(small, WORDS, BITS)
    assert found.cells == {"LATCH": 8, "NOR2": 16, "MUX2": 6, "DFFR": 2, "GATE": 2}
    assert found.area_ge == pytest.approx((8 * 5 + 16 * 2 + 6 * 6 + 2 * 8 + 2 * 6) / 2)
    nanowatts = 8 * 6.0 + 16 * 4.0 + 6 * 4.0 + 2 * 10.0 + 2 * 5.0
    assert found.leakage_w == pytest.approx(nanowatts * 1e-9, rel=1e-9, abs=0)


def test_energies_by_hand(small: CellLibrary) -> None:
    """Pins and wires cost half of C V^2, cells their tables at a multiplexer's slew; 1 V, pJ."""

    def wire(sinks: int) -> float:
        # The model "little": 1 at one sink, 4 at three, 2 more for each further sink, by 0.001 pF.
        return 0.001 * {1: 1.0, 2: 2.5, 4: 6.0}[sinks]

    def net(sinks: int, pin: float) -> float:
        return 0.5 * (sinks * pin + wire(sinks))

    slew = 0.05 + 3 * (0.002 + wire(1))
    logic = 0.0025 + slew * 0.01  # the mean of both edges
    found = latch_memory(small, WORDS, BITS)
    gated = 2 * (0.002 + net(1, 0.003))
    assert found.clock_j == pytest.approx(2 * gated * 1e-12, rel=1e-9, abs=0)

    address = 6 * (logic + net(1, 0.002))
    clock_pin = (0.004 + 0.002 + 0.003 + 0.001) / 4
    fixed = BITS * 2 * clock_pin + 2 * (logic + net(BITS, 0.003))
    trees = (WORDS - 1) * BITS
    # The chooser is the first of three pins of one capacitance; it has no energy of its own.
    data = trees * (logic + net(1, 0.002)) + trees * net(1, 0.002)
    data += BITS * (logic + 0.01 + net(1, 0.002)) + address
    assert found.read.fixed_j == pytest.approx(fixed * 1e-12, rel=1e-9, abs=0)
    assert found.read.data_j == pytest.approx(data * 1e-12, rel=1e-9, abs=0)

    fixed = 2 * (logic + net(BITS, 0.002)) + BITS * 2 * 0.002 + 2 * (logic + net(WORDS, 0.002))
    latch = (logic + logic + 0.005) / 2
    data = BITS * (net(WORDS, 0.002) + latch + net(1, 0.002)) + address
    assert found.write.fixed_j == pytest.approx(fixed * 1e-12, rel=1e-9, abs=0)
    assert found.write.data_j == pytest.approx(data * 1e-12, rel=1e-9, abs=0)


def test_a_block_is_the_sum_of_its_accesses(small: CellLibrary) -> None:
    """Clocks and leakage go on between accesses; data costs by the share of bits that changes."""
    found = latch_memory(small, WORDS, BITS)
    energy = found.energy_j(reads=3, writes=2, clocks=10, clock_hz=1e6, share=0.25)
    by_hand = (
        10 * found.clock_j + 10e-6 * found.leakage_w
        + 3 * (found.read.fixed_j + found.read.data_j / 4)
        + 2 * (found.write.fixed_j + found.write.data_j / 4)
    )  # fmt: skip
    assert energy == pytest.approx(by_hand, rel=1e-9, abs=0)


def test_a_library_without_a_cell_is_refused() -> None:
    """The error message names the cell."""
    with pytest.raises(UsageError, match="the library small has no 2-input multiplexer"):
        latch_memory(parse_library(library()), WORDS, BITS)


def test_it_is_no_smaller_than_latches_of_a_real_core(open_library: Path) -> None:
    """sha1_latch holds 17 words of message and 7 of state in 768 latches and 3353 GE of storage.

    The estimate's own storage for 512 bits lies within a tenth of that for each bit, and its
    energy between the bounds of its data.
    """
    found = latch_memory(read_library(open_library), 16, 32)
    assert sum(count for name, count in found.cells.items() if "_dl" in name) == 512
    whole = read_library(open_library)
    latch = next(whole.cells[name] for name in found.cells if "_dl" in name)
    unit = whole.cells["sg13g2_nand2_1"].area_um2
    assert latch.area_um2 / unit == pytest.approx(3353 / 768, rel=0.15)
    block = {"reads": 320, "writes": 80, "clocks": 405, "clock_hz": 5e5}
    least, middle, most = (found.energy_j(**block, share=share) for share in (0.0, 0.5, 1.0))
    assert least < middle < most < 10 * least
