# SPDX-License-Identifier: Apache-2.0
"""Firmware on the netlist of a CPU as a report of a core, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.firmware.gate_cpu import CpuFacts
from joulemark.firmware.gates import LOGIC, MemoryMacro, MemoryUse, MessageJoules
from joulemark.firmware.glitches import Glitches, SliceJoules
from joulemark.measure.gate_trials import GateFindings, GateRow, gate_reports
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.figures import Evidence

CPU = CpuFacts(100.0, 40.0, 10.0, 9, 2e-9, 3e-9, "small", "typical", 1.2, "none", "seed 1", "0")
MACRO = MemoryMacro("ram", "a sheet", 4096, 2e-12, 3e-12, 5e-9)
SLICE = SliceJoules(9, 0, 134, 30e-9, 20e-9)
"""With delays 30 nJ, without 20 nJ: half of the energy more."""
JOULES = MessageJoules(
    core_cycles=600,
    by_category_j={**dict.fromkeys(LOGIC, 10e-9), "clock tree": 30e-9},
    leakage_j=6e-9,
    memories={"memory": MemoryUse(MACRO, 2, reads=1000, writes=100)},
)


def found(size_bytes: int, joules: MessageJoules, *others: MessageJoules) -> GateFindings:
    """SipHash-2-4 on SERV."""
    row = GateRow("siphash-2-4/portable", "gate:serv", size_bytes, joules, others)
    return GateFindings(
        [row], {"gate:serv": CPU}, [], {"gate:serv": (replace(CPU, area_ge=120.0),)}
    )


def test_figures_of_a_message() -> None:
    """33 bytes are five blocks; 600 clocks at 1 MHz are 600 us; joules are those of the row."""
    cheaper = replace(JOULES, leakage_j=1e-9)
    (report,) = gate_reports(found(33, JOULES, cheaper), 1e6, "small.lib")
    assert (report.core, report.algorithm) == ("gate:serv", "siphash-2-4")
    assert (report.firmware, report.message_bytes) == ("siphash-2-4/portable", 33)
    figures = report.figures
    assert figures["clocks_per_block"] == 120
    assert figures["energy_per_mac_j"] == pytest.approx(66e-9)
    assert figures["energy_per_block_j"] == pytest.approx(66e-9 / 5)
    assert figures["energy_per_block_lowest_j"] == pytest.approx(61e-9 / 5)
    assert figures["energy_per_block_highest_j"] == pytest.approx(66e-9 / 5)
    assert figures["energy_per_byte_j"] == pytest.approx(66e-9 / 33)
    assert figures["leakage_w"] == pytest.approx(6e-9 / 600e-6)
    assert figures["dynamic_w"] == pytest.approx(60e-9 / 600e-6)
    assert (figures["area_ge"], figures["logic_ge"], figures["mappings"]) == (100, 50, 2)
    assert (figures["area_lowest_ge"], figures["area_highest_ge"]) == (100, 120)
    assert report.settings["memories_j"] == pytest.approx(2.3e-9 + 2 * 5e-9 * 600e-6)
    assert report.settings["memories_leakage_w"] == pytest.approx(10e-9)
    assert report.settings["glitches"] == "left out"
    assert report.evidence["clocks_per_block"] is Evidence.SIMULATED
    assert report.evidence["energy_per_mac_j"] is Evidence.MODELLED
    assert {*report.evidence, *report.reasons} == set(CORE_FIGURES)


def test_glitches_are_in_the_energy() -> None:
    """Half of 60 nJ more; without them the power is that of the run without delays."""
    (report,) = gate_reports(found(33, replace(JOULES, glitches=Glitches((SLICE,)))), 1e6, "x.lib")
    assert report.figures["energy_per_mac_j"] == pytest.approx(96e-9)
    assert report.figures["dynamic_w"] == pytest.approx(90e-9 / 600e-6)
    assert report.figures["dynamic_no_glitch_w"] == pytest.approx(60e-9 / 600e-6)
    assert report.settings["glitches"] == "by slices with delays"


def test_an_empty_message_has_no_energy_a_byte() -> None:
    """The figure is absent, with the reason."""
    (report,) = gate_reports(found(0, JOULES), 1e6, "x.lib")
    assert report.figures["energy_per_byte_j"] is None
    assert "no such figure" in report.reasons["energy_per_byte_j"]
    assert report.figures["energy_per_block_j"] == pytest.approx(66e-9)


def test_blocks_of_other_lengths_are_not_told() -> None:
    """Code takes other clocks for other lengths, even for as many blocks."""
    (report,) = gate_reports(found(33, JOULES), 1e6, "x.lib")
    assert report.workload_of(33)["blocks_per_message"] == 5
    assert report.workload_of(34) == {}
