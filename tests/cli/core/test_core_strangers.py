# SPDX-License-Identifier: Apache-2.0
"""Verilog of other people: a core that does not fit is refused in a sentence, and soon."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from joulemark.cli.core_table import print_comparison, print_report
from joulemark.hardware.flow import testing
from joulemark.hardware.manifest import read_core
from joulemark.hardware.synthesis.generic import require_mappable, survey
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport
from tool_marks import needs_core_tools

pytestmark = pytest.mark.usefixtures("kept_simulations")
CORES = Path(__file__).parents[2] / "hardware" / "cores"
GENERIC = ("--target", "generic", "--no-cache", "--no-store")


@pytest.fixture
def stranger(tmp_path):
    """`stranger("toy_pulse", manifest={old: new}, source={old: new})` makes a changed copy."""

    def changed(name: str, manifest=None, source=None) -> Path:
        folder = tmp_path / name
        shutil.copytree(CORES / name, folder)
        toml = folder / f"{name}.toml"
        verilog = next(path for path in folder.iterdir() if path.suffix in {".v", ".sv"})
        for path, changes in ((toml, manifest or {}), (verilog, source or {})):
            text = path.read_text()
            for old, new in changes.items():
                assert old in text
                text = text.replace(old, new)
            path.write_text(text)
        return toml

    return changed


@needs_core_tools
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('clock = "clk_i"', 'clock = "clk"', "'clk', which the manifest names as its clock"),
        ('done = "done_o"', 'done = "donne"', "'donne', which the manifest names as adapter"),
        ("mode_i = 1", "mood_i = 1", "'mood_i', which the manifest names as adapter.idle"),
    ],
)
def test_a_port_that_is_not_there_is_named(refused, stranger, old, new, said):
    """A missing port is refused with the near port, and without the name of a Python class."""
    line = refused("core", "report", stranger("toy_cipher", {old: new}), *GENERIC)
    assert f"toy_cipher has no port {said}" in line
    assert "did you mean " in line
    assert "Error" not in line


@needs_core_tools
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('clock = "clk_i"', 'clock = "clk"', "'clk', which the manifest names as its clock"),
        ('reset = "rst_ni"', 'reset = "rst"', "'rst', which the manifest names as its reset"),
    ],
)
def test_a_clock_that_is_not_there_is_seen_before_mapping(
    refused, stranger, tmp_path, old, new, said
):
    """A missing clock or reset is refused before mapping to cells, which takes longest."""
    (tmp_path / "cells.lib").write_text(_LIBRARY)
    line = refused("core", "report", stranger("toy_cipher", {old: new}), "--liberty", "cells.lib",
                   "--no-power", "--keep", "kept", "--no-store")  # fmt: skip
    assert f"has no port {said}" in line
    assert not (tmp_path / "kept" / "asic").exists()


@needs_core_tools
def test_a_core_that_never_finishes_is_said_to(refused, stranger):
    """The limit of clocks follows from the number that the manifest promises."""
    promise = {
        "[workload]": "[configurations.default]\nabout = 'x'\nclocks_per_block = 5\n[workload]"
    }
    core = stranger("toy_cipher", promise, {"done_o <= left_q == 3'd1;": "done_o <= 1'b0;"})
    line = refused("core", "report", core, *GENERIC)
    assert "toy_cipher does not finish: done_o stayed low for 1320 clocks" in line
    assert "in message 1 of 1, of 4 bytes (the manifest promises 5)" in line
    assert "Error" not in line


@needs_core_tools
def test_a_stream_that_never_ends_is_said_to(refused, stranger):
    """A core with streams has such a limit too, and `longest_clocks` of the manifest sets it."""
    core = stranger("toy_mac", {"[workload]": "[workload]\nlongest_clocks = 50"},
                    {"out_valid <= in_last;": "out_valid <= 1'b0;"})  # fmt: skip
    line = refused("core", "report", core, *GENERIC)
    assert "toy_mac does not finish: out_valid stayed low for 50 clocks" in line
    assert "longest_clocks in [workload]" in line


@needs_core_tools
def test_inputs_without_a_role_are_named_where_a_result_is_wrong(refused, stranger):
    """After a wrong result the message names `mode_i`, which is 0 without a value in `idle`."""
    core = stranger("toy_cipher", {"idle = { mode_i = 1 }\n": ""})
    line = refused("core", "report", core, *GENERIC)
    assert "the reference says" in line
    assert "inputs without a role stay 0: mode_i; idle = { mode_i = 1 } in [adapter]" in line


@needs_core_tools
@pytest.mark.parametrize(
    ("limit", "counted"),
    [
        (511, "age_q == 511 ? 511 : start_i ? (age_q > 500 ? 511 : 0) : age_q + (age_q < 510)"),
        (255, "done_o ? age_q + 1 : age_q"),
    ],
    ids=["a pause of 500 clocks", "the 256th block"],
)  # fmt: skip
def test_what_only_long_runs_show_is_found(run, stranger, limit, counted):
    """A core that is wrong after a long pause, or once a counter is full, is not ok."""
    core = stranger("toy_cipher", source={
        "assign result_o = state_q;": f"assign result_o = state_q ^ 32'(age_q >= {limit});",
        "logic [2:0] left_q;": "logic [2:0] left_q; logic [8:0] age_q;\n"
        "  always_ff @(posedge clk_i or negedge rst_ni)\n"
        f"    if (!rst_ni) age_q <= 0; else age_q <= 9'({counted});",
    })  # fmt: skip
    done = run("core", "test", core)
    assert done.exit_code == 1, done.output
    assert "the reference says" in done.output


@needs_core_tools
def test_warnings_in_somebody_elses_file_are_notes(run, stranger, tmp_path, monkeypatch):
    """A lint warning is a note where the core is not ours; in a core of ours it is a failure."""
    core = read_core(stranger("toy_pulse", source={"assign result": "wire spare; assign result"}))
    found = testing._lint(core, core.chosen({}), tmp_path / "lint")
    assert (found.passed, found.note) == (True, True)
    assert "%Warning-UNUSED" in found.remark or "%Warning-UNDRIVEN" in found.remark
    monkeypatch.setattr("joulemark.cli.core_run.check_core", lambda *_arguments: [found])
    result = run("core", "test", core.folder / "toy_pulse.toml", "--json", "t.json")
    assert result.exit_code == 0, result.output
    assert "note  lint" in result.stdout
    assert json.loads((tmp_path / "t.json").read_text())["checks"][0]["note"] is True
    monkeypatch.setattr("joulemark.hardware.flow.testing.is_ours", lambda _core: True)
    strict = testing._lint(core, core.chosen({}), tmp_path / "lint")
    assert (strict.passed, strict.note) == (False, False)


@needs_core_tools
@pytest.mark.parametrize("automatic", [False, True])
def test_a_shared_argument_is_refused_at_its_line(run, stranger, tmp_path, automatic):
    """A function that is not automatic has one argument for all its calls, and no report."""
    function = "function automatic" if automatic else "function"
    new = {
        "    reg [31:0] state;\n": f"    {function} [31:0] turned(input [31:0] x);\n"
        "        turned = {x[20:0], x[31:21]};\n    endfunction\n"
        "    reg [31:0] state, next;\n    always @* next = turned(block) + 32'h9e3779b9;\n",
        "{block[20:0], block[31:21]} + 32'h9e3779b9": "next & (turned(block) + 32'h9e3779b9)",
    }
    core = stranger("toy_pulse", source=new).rename(tmp_path / "toy_pulse" / "my_core.toml")
    result = run("core", "report", core, *GENERIC, "--json", "report.json")
    if automatic:
        assert result.exit_code == 0, result.stderr
        found = json.loads((tmp_path / "report.json").read_text())
        assert found["figures"]["storage_ge"] == (32 + 8 + 1) * 6.5
        return
    assert result.exit_code == 2, result.output
    assert re.search(
        r"toy_pulse cannot be mapped as it is written: toy_pulse\.v:12: 'block', an argument of "
        r"turned, has several drivers at toy_pulse\.v:\d+; declare 'function automatic' turned: "
        r"the arguments of ",
        result.stderr,
    ), result.stderr
    assert result.stdout == ""


MEMORY = """
    reg [31:0] store [0:1023];
    reg [9:0] at;
    always @(posedge clk) begin
        at <= at + 10'd1;
        store[at] <= store[at + 10'd5] ^ block;
    end
    assign result = store[at] & 32'd0 | (done ? state : 32'd0);
"""


@needs_core_tools
def test_a_memory_is_seen_before_it_is_mapped(refused, stranger, tmp_path):
    """The refusal has the memory's size, its cost in flip-flops, and both remedies."""
    core = stranger("toy_pulse", source={"assign result = done ? state : 32'd0;": MEMORY})
    (tmp_path / "cells.lib").write_text(_LIBRARY)
    said = refused("core", "report", core, "--liberty", "cells.lib", "--no-power", "--keep", "kept",
                   "--no-store")  # fmt: skip
    assert "has the memory store, 1024 x 32 bits" in said
    assert "its 32768 bits become flip-flops, about 475,136 GE" in said
    assert "--memory-bits 32768" in said
    assert "[outside_memory]" in said
    assert not (tmp_path / "kept" / "asic").exists()
    found = survey(read_core(core), {"CLOCKS": 1, "PAUSE": 0}, tmp_path / "survey")
    assert [(memory.bits, memory.writes, memory.reads) for memory in found] == [(32768, 1, 2)]
    require_mappable(read_core(core), found, 32768)


@needs_core_tools
@pytest.mark.parametrize("voltage", ["0.1", "1.26", "12"])
def test_a_supply_far_from_the_librarys_is_refused(refused, stranger, tmp_path, voltage):
    """The refusal has the range of voltages that power is scaled to."""
    (tmp_path / "cells.lib").write_text(_LIBRARY)
    line = refused("core", "report", stranger("toy_pulse"), "--liberty", "cells.lib", "--no-power",
                   "--voltage", voltage, "--no-cache", "--no-store")  # fmt: skip
    assert f"--voltage {voltage}: the library is of 1 V" in line
    assert "0.75 to 1.25 V" in line


def test_sentences_about_unknown_cores_end(refused):
    """The suggestion and the hint about manifests are two complete sentences."""
    near = refused("core", "report", "sipash")
    assert near.endswith("did you mean siphash? A path to a manifest (.toml) works too.")
    far = refused("core", "report", "qqqqqqqq")
    assert ". A path to a manifest (.toml) works too." in far


def _report(**more: object) -> CoreReport:
    facts = {"period_s": 1e-9, "fmax_hz": 1e9, "area_ge": 100.0}
    settings = {"clocking": {"unchecked": "a: latch b may be open in both halves of clk"}}
    return CoreReport.model_validate(
        {
            "core": "a", "title": "A", "algorithm": "x", "configuration": None, "parameters": {},
            "target": "asic", "device": "cells", "figures": dict.fromkeys(CORE_FIGURES) | facts,
            "evidence": dict.fromkeys(facts, "modelled"),
            "reasons": {name: "-" for name in CORE_FIGURES if name not in facts},
            "settings": settings, **more,
        }
    )  # fmt: skip


def test_a_clock_that_is_not_checked_is_said_in_the_tables(capsys):
    """An unchecked clock is named beside the figures and below the table of one or more cores."""
    checked = _report(core="b", settings={})
    print_report(_report())
    item = capsys.readouterr().out
    assert item.count("modelled, unchecked") == 2
    assert (
        "clocks are not checked; the period is the critical path and the skew: a: latch b" in item
    )
    print_comparison([checked, _report()])
    several = capsys.readouterr().out
    assert several.count("modelled/unchecked") == 2
    assert "a@asic: clocks are not checked" in several
    print_comparison([checked, checked])
    assert "unchecked" not in capsys.readouterr().out


def test_clocks_that_depend_on_the_message_are_said_under_the_table(capsys):
    """A time that depends on the message is a finding; one that does not needs no word."""
    print_report(_report(settings={"clocks_varied": "11 to 91 for a message of 8 B alone"}))
    assert "clocks depend on the message: 11 to 91 for a message of 8 B" in capsys.readouterr().out
    print_report(_report(settings={"clocks_varied": ""}))
    assert "depend on the message" not in capsys.readouterr().out


def test_a_memory_outside_is_said_under_the_tables(capsys):
    """Memory outside a core is named below the table, of one core and of several."""
    outside = {"text": "16 x 32 = 512 bits (the block) at the ports a, b", "words": 16}
    part = _report(core="part", settings={"outside_memory": outside})
    print_report(part)
    assert "leave out a memory outside the core: 16 x 32" in capsys.readouterr().out
    print_comparison([_report(core="b", settings={}), part])
    said = capsys.readouterr().out
    assert "part@asic: these figures leave out a memory outside the core" in said
    assert "b@asic: part" not in said


def test_a_memory_made_of_flip_flops_is_said_under_the_table(capsys):
    """A memory of 32 words is named below the table; one of 5 words is not."""
    large = {"name": "store", "words": 32, "word_bits": 32, "flip_flops_ge": 1.0}
    small = {"name": "h_q", "words": 5, "word_bits": 32, "flip_flops_ge": 1.0}
    print_report(_report(settings={"memories": [large, small]}))
    said = capsys.readouterr().out
    assert "the memory store, 32 x 32 bits, is made of flip-flops here" in said
    assert "h_q" not in said


_LIBRARY = """library (x) { time_unit : "1ns"; capacitive_load_unit (1, pf); voltage_unit : "1V";
nom_voltage : 1.0; cell (NAND2) { area : 4; pin (A) { direction : input; capacitance : 1; }
pin (B) { direction : input; capacitance : 1; }
pin (Y) { direction : output; function : "!(A B)"; } } }"""


def test_an_option_of_one_value_that_comes_twice_is_refused(refused):
    """The last of two libraries, clocks or seeds would count without a word."""
    two = ("--liberty", "typical.lib", "--liberty", "slow.lib")
    line = refused("core", "report", "siphash", *two)
    assert "--liberty is given 2 times, and takes one value" in line
    line = refused(
        "core", "compare", "siphash:small", "siphash:fast", "--clock", "1k", "--clock=2k"
    )
    assert "--clock is given 2 times" in line
