# SPDX-License-Identifier: Apache-2.0
"""The words beside the figures in the table of a report."""

from __future__ import annotations

from typing import Any

import pytest

from joulemark.cli import core_reports
from joulemark.cli.core_table import print_comparison, print_report
from joulemark.hardware.cores import find_core
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport


def report(target: str, settings: dict[str, Any], **figures: Any) -> CoreReport:
    """Makes a report with the given figures and no others."""
    return CoreReport(
        core="c", title="t", algorithm="a", configuration="small", parameters={}, target=target,
        device="d", evidence=dict.fromkeys(figures, "modelled"),
        figures=dict.fromkeys(CORE_FIGURES) | figures,
        reasons={name: "no" for name in CORE_FIGURES if name not in figures}, settings=settings,
    )  # fmt: skip


def placed(fallback: list[int]) -> CoreReport:
    """Makes a report on an FPGA; with a fallback, another placer placed seed 2."""
    other = "static" if fallback else "heap"
    return report(
        "ecp5",
        {
            "seeds": [1, 2], "placer_by_seed": ["heap", other],
            "router_by_seed": ["router1", "router2" if fallback else "router1"],
            "fallback_seeds": fallback, "effort_cpu_s": 1800,
        },
        luts=100, fmax_hz=90e6,
    )  # fmt: skip


def in_cells(mappings: int, **settings: Any) -> CoreReport:
    """Makes a report in a cell library, with clock and reset trees."""
    return report(
        "asic",
        {
            "clock_hz": 5e5, "voltage_v": 1.2, "mapping": "area", "wire_model": "5k",
            "mappings": [{}] * mappings, "trees": {"buffer": "BUF"},
        } | settings,
        mappings=mappings, area_ge=110.0, area_lowest_ge=108.0, area_highest_ge=115.0,
        clock_tree_ge=8.0, reset_tree_ge=2.0, area_without_trees_ge=100.0, period_s=1.1e-8,
        period_without_trees_s=1.09e-8, clock_insertion_s=1e-9, clock_skew_s=1e-10,
        clock_tree_w=1e-7, dynamic_w=1e-6, leakage_w=1e-7, energy_per_block_j=2.2e-9,
        energy_per_block_without_trees_j=2e-9,
    )  # fmt: skip


def test_columns_of_one_name_are_numbered(capsys: pytest.CaptureFixture[str]) -> None:
    """Two cores of one name, as of two manifests, can be told apart, and the ratio's base too."""
    first = in_cells(1)
    other = first.model_copy(update={"figures": {**first.figures, "area_ge": 220.0}})
    print_comparison([first, other, first.model_copy(update={"configuration": "large"})])
    shown = capsys.readouterr().out
    heading = shown.splitlines()[0].split()
    assert heading == ["c:small@asic", "(1)", "c:small@asic", "(2)", "c:large@asic", "evidence"]
    assert ", to c:small@asic (1)" in " ".join(shown.split())


def said(core_report: CoreReport, capsys: pytest.CaptureFixture[str]) -> str:
    """Returns the printed text, with single spaces."""
    print_report(core_report)
    return " ".join(capsys.readouterr().out.split())


def test_the_placer_of_each_seed_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Seeds of one placer share a line; after a fallback the report says it is not kept."""
    text = said(placed([]), capsys)
    assert "seeds 1, 2 placed by heap, routed by router1" in text
    assert "CPU time" not in text
    text = said(placed([2]), capsys)
    assert "seed 1 placed by heap, routed by router1" in text
    assert "seed 2 placed by static, routed by router2" in text
    assert "in 30 min of CPU time: 2. The report is not kept" in text
    print_comparison([placed([]), placed([2])])
    assert "c:small@ecp5 (2): seed 2 placed by static" in capsys.readouterr().out


def test_trees_have_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Trees have separate lines with the word `modelled`, beside the figures without trees."""
    text = said(in_cells(3), capsys)
    for words in (
        "area in NAND2 110 GE modelled", "of it clock tree (modelled) 8 GE modelled",
        "of it reset tree (modelled) 2 GE modelled", "without trees 100 GE modelled",
        "of it clock skew (modelled) 100 ps modelled", "without trees 10.9 ns modelled",
        "insertion delay of the clock tree (modelled) 1 ns modelled",
        "clock tree (modelled) 100 nW modelled", "without trees 2 nJ modelled",
        "lowest of the mappings 108 GE modelled", "highest of the mappings 115 GE modelled",
        "area mapping, median of 3 mappings",
    ):  # fmt: skip
        assert words in text, words


def test_one_mapping_has_no_range(capsys: pytest.CaptureFixture[str]) -> None:
    """A report of one mapping says so, and has no lowest and highest area."""
    text = said(in_cells(1), capsys)
    assert "of the mappings" not in text
    assert "area mapping, one mapping" in text


def test_what_the_clock_leaves_open_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The table names hold times below the skew, missing recovery times and a missing buffer."""
    fine = {"clocking": {"hold_slack_s": 2e-10, "hold_limit": "u1"}}
    text = said(in_cells(3, **fine), capsys)
    assert "hold" not in text
    assert "recovery" not in text
    tight = {"clocking": {"hold_slack_s": 0.9e-10, "hold_limit": "u1"}}
    text = said(in_cells(3, **tight), capsys)
    assert "hold times leave 90 ps at u1, less than the modelled skew of 100 ps" in text
    text = said(in_cells(3, recovery_by_setup=["DFFR"]), capsys)
    assert "no recovery times for DFFR: set-up times are used" in text
    text = said(in_cells(3, trees={"buffer": None}), capsys)
    assert "no clock and reset trees are modelled: the library has no buffer" in text


def test_energy_of_a_message_names_its_length(capsys: pytest.CaptureFixture[str]) -> None:
    """Energies of different lengths never share a row, nor a ratio; those of one length do both."""
    long, short = (
        report("asic", {"workload": {"message_bytes": size}}, energy_per_mac_j=joules)
        for size, joules in ((29, 26.1e-9), (16, 4e-9))
    )
    print_comparison([long, short])
    text = " ".join(capsys.readouterr().out.split())
    assert "energy per message of 16 B - 4 nJ modelled" in text
    assert "energy per message of 29 B 26.1 nJ - modelled" in text
    assert "ratio" not in text
    print_comparison([long, report("asic", long.settings | {}, energy_per_mac_j=7.83e-9)])
    text = " ".join(capsys.readouterr().out.split())
    assert "energy per message of 29 B 26.1 nJ 7.83 nJ modelled" in text
    assert "energy per message, to c:small@asic (1) 1.00 0.30 ratio" in text
    assert "energy per message of 16 B 4 nJ modelled" in said(short, capsys)


def test_energy_follows_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    """At a fifth of the clock leakage takes five times its joules, and switching the same."""
    powered = report(
        "asic", {"clock_hz": 5e5, "voltage_v": 1.2, "mapping": "area", "wire_model": "5k",
                 "workload": {"message_bytes": 29}},
        leakage_w=1e-6, dynamic_w=9e-6, energy_per_mac_j=20e-9, fmax_hz=7e7, mappings=1,
    )  # fmt: skip
    # Of 20 nJ leakage is 2: 10 + 18 at 100 kHz, 2 / 140 + 18 at 70 MHz.
    text = said(powered, capsys)
    assert (
        "Energy per message of 29 B by clock (modelled) clock energy leakage 100 kHz 28 nJ 36 % "
        "500 kHz 20 nJ 10 % 1 MHz 19 nJ 5.3 % 10 MHz 18.1 nJ 0.55 % 70 MHz 18 nJ 0.079 %"
    ) in text
    assert "by clock" not in said(in_cells(3), capsys)


def test_cores_are_compared_by_messages_of_one_length() -> None:
    """The longest workload that all cores take; AES alone takes whole blocks."""
    pytest.importorskip("cocotb", reason="needs cocotb (make core-tools)")
    for names, length in (
        (("hmac_sha1", "aes128_cmac"), 29),
        (("aes128_serial", "sha1_latch"), 16),
        (("siphash", "siphash"), None),
    ):
        assert core_reports._common_length([find_core(name) for name in names]) == length, names
