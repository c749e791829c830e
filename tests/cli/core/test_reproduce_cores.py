# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce michail2005` and `kaps2006`, the core flow replaced by known reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.hardware.flow.points import PointOutcome, ReportPoint
from joulemark.records.core_report import CoreReport
from joulemark.studies import equipment

LIBRARY = "toy.lib"
CLOCKS = {"sha1_serial": 405, "aes128_serial": 534, "sha1_latch": 340, "aes128_latch": 216}


def run(*arguments: object) -> Result:
    """Runs the command in this process."""
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)], prog_name="joulemark")


def report(point: ReportPoint) -> CoreReport:
    """Makes a report of plausible figures for the target of the point."""
    timed = point.asked.target == "asic"
    found = {"clocks_per_block": CLOCKS.get(point.core.name, 16), "latency_clocks": 65,
             "area_ge": 4000.0, "storage_ge": 2000.0}  # fmt: skip
    if timed:
        found |= {"critical_path_s": 5e-9, "period_s": 6e-9, "period_without_trees_s": 5e-9,
                  "fmax_hz": 1e9 / 6, "area_ge": 4500.0,
                  "area_without_trees_ge": 4000.0}  # fmt: skip
    if timed and point.asked.power:
        found |= {"leakage_w": 1.5e-6, "trees_leakage_w": 0.5e-6, "dynamic_w": 11e-6,
                  "clock_tree_w": 2e-6, "dynamic_no_glitch_w": 9e-6, "energy_per_block_j": 10e-9,
                  "energy_per_block_without_trees_j": 8e-9}  # fmt: skip
    return CoreReport(
        core=point.core.name, title="", algorithm=point.core.algorithm,
        configuration=point.variant[0], parameters=point.variant[1], target=point.asked.target,
        device="toy, 1.2 V", figures=found, evidence={},
        settings={"voltage_v": 1.2, "clock_hz": (point.asked.clock_share or 0) / 5e-9},
    )  # fmt: skip


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[ReportPoint]:
    """The points that the study asked for, each answered by `report`."""
    made: list[ReportPoint] = []

    def run_points(points: Sequence[ReportPoint], _cache: Path, **_: object) -> list[PointOutcome]:
        made.extend(points)
        return [PointOutcome(point, report(point), None, kept=False) for point in points]

    monkeypatch.setattr(equipment, "run_points", run_points)
    monkeypatch.chdir(tmp_path)
    Path(LIBRARY).write_text("library (toy) {}", "utf-8")
    return made


def test_every_configuration_of_the_studies_exists(asked: list[ReportPoint]) -> None:
    """The manifests have all cores and configurations that the studies name."""
    assert run("kaps2006", "--hardware", "--liberty", LIBRARY).exit_code == 0
    assert run("michail2005", "--liberty", LIBRARY, "--fpga", "--other-hashes").exit_code == 0
    names = {(point.core.name, point.variant[0]) for point in asked}
    assert {("sha1_serial", "kaps2006"), ("sha256_pipeline", "merged"),
            ("hmac_sha256", "proposed"), ("sha1_pipeline", "merged"),
            ("sha512_pipeline", "precomputed")} <= names  # fmt: skip
    assert {point.asked.target for point in asked} == {"asic", "ecp5", "generic"}
    placed = {(point.core.name, point.asked.placer) for point in asked if point.asked.placer}
    pipelines = ("sha1_pipeline", "sha256_pipeline", "sha512_pipeline")
    assert placed == {*((name, "heap") for name in pipelines), ("hmac_sha256", "static")}


def test_kaps2006_leaves_its_files_and_judges_its_claims(asked: list[ReportPoint]) -> None:
    """The study writes page, Markdown and JSON; clocks equal to the paper's hold."""
    result = run("kaps2006", "--hardware", "--liberty", LIBRARY, "--json")
    assert result.exit_code == 0, result.stderr
    outcome = json.loads(result.stdout)
    verdicts = {claim["id"]: claim["verdict"] for claim in outcome["claims"]}
    assert verdicts["sha1-clocks"] == verdicts["aes-clocks"] == "holds"
    assert sorted(path.name for path in Path("kaps2006").glob("kaps2006.*")) == [
        "kaps2006.html", "kaps2006.json", "kaps2006.md", "kaps2006.tex",
    ]  # fmt: skip
    assert all(point.asked.clock_hz == 500e3 for point in asked)


def test_studies_compare_without_the_modelled_trees(asked: list[ReportPoint]) -> None:
    """The compared figures are those without trees, as in the papers, and a note says so."""
    result = run("kaps2006", "--hardware", "--liberty", LIBRARY, "--json")
    outcome = json.loads(result.stdout)
    entry = outcome["data"]["cores"]["aes"]
    assert (entry["area_ge"], entry["period_s"], entry["fmax_hz"]) == (4000.0, 5e-9, 200e6)
    assert entry["leakage_w"] == pytest.approx(1e-6, rel=1e-9, abs=0)
    assert entry["dynamic_w"] == pytest.approx(9e-6, rel=1e-9, abs=0)
    assert entry["dynamic_no_glitch_w"] == pytest.approx(7e-6, rel=1e-9, abs=0)
    assert entry["energy_per_block_j"] == 8e-9
    assert any("without the clock and reset trees" in note for note in outcome["notes"])


@pytest.mark.parametrize("study", ["kaps2006", "michail2005"])
def test_help_says_what_there_is_without_a_library(asked: list[ReportPoint], study: str) -> None:
    """Without a library the help and the study have clocks and generic gates alone."""
    said = " ".join(run(study, "--help").stdout.split())
    assert "without it there are clocks, and area in generic gates" in said
    hardware = ["--hardware"] if study == "kaps2006" else []
    result = run(study, *hardware, "--json")
    assert result.exit_code == 0, result.stderr
    assert {point.asked.target for point in asked} == {"generic"}
    if study == "kaps2006":
        cores = json.loads(result.stdout)["data"]["cores"]
        assert {core["area_ge"] for core in cores.values()} == {4000.0}
        assert {core["energy_per_block_j"] for core in cores.values()} == {None}


def test_kaps2006_without_hardware_runs_no_tool(asked: list[ReportPoint]) -> None:
    """Without `--hardware` the energy of packets follows from the paper's figures."""
    result = run("kaps2006", "--output", "out")
    assert result.exit_code == 0, result.stderr
    assert asked == []
    assert "9 bytes, not 17" in result.stdout


def test_michail2005_without_a_library_counts_generic_gates(asked: list[ReportPoint]) -> None:
    """Without a library the points are of generic gates alone; nothing is placed."""
    result = run("michail2005")
    assert result.exit_code == 0, result.stderr
    assert {point.asked.target for point in asked} == {"generic"}
    assert "--liberty" in result.stdout


def test_michail2005_asks_for_power_at_clocks_that_follow(asked: list[ReportPoint]) -> None:
    """Power is asked at a share of each core's clock, and at half the usual clock in a corner."""
    Path("low.lib").write_text("library (low) {}", "utf-8")
    result = run("michail2005", "--liberty", LIBRARY, "--corner", "low.lib")
    assert result.exit_code == 0, result.stderr
    powered = [point.asked for point in asked if point.asked.target == "asic"]
    assert [flow.clock_share for flow in powered] == [*[0.8] * 4, None]
    assert [flow.library.name for flow in powered] == [*["toy.lib"] * 4, "low.lib"]
    assert powered[-1].clock_hz == pytest.approx(0.5 * 0.8 / 5e-9)


def test_michail2005_maps_its_hmac_cores_only_if_that_is_asked_for(
    asked: list[ReportPoint],
) -> None:
    """Without --hmac their sources alone are simulated, and the claim on their area says so."""
    whys = {}
    for options in ([], ["--hmac"]):
        result = run("michail2005", "--liberty", LIBRARY, *options, "--json")
        assert result.exit_code == 0, result.stderr
        claims = {claim["id"]: claim for claim in json.loads(result.stdout)["claims"]}
        assert claims["latency"]["verdict"] == "does not hold here"
        whys[len(options)] = claims["area-hmac"]["why"]
    hmac = [point.asked for point in asked if point.core.name == "hmac_sha256"]
    assert [(flow.target, flow.mapped) for flow in hmac] == [
        *[("generic", False)] * 2, *[("asic", True)] * 2,
    ]  # fmt: skip
    assert "--hmac" in whys[0]
    assert "gate equivalents" in whys[1]


def test_a_library_that_is_not_there_is_refused() -> None:
    """A missing library is refused by name with exit code 2."""
    result = run("kaps2006", "--hardware", "--liberty", "missing.lib")
    assert result.exit_code == 2
    assert "missing.lib" in result.stderr.splitlines()[-1]


def test_an_unknown_paper_is_refused() -> None:
    """An unknown study is refused with the names of all studies."""
    result = run("kaps2007")
    assert result.exit_code == 2
    assert "castellon2022, kaps2006, michail2005" in result.stderr
