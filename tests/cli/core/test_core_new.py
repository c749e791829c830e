# SPDX-License-Identifier: Apache-2.0
"""`joulemark core new`: from a stranger's sources to a manifest that `core test` passes."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.proposing.trying import Drive, Tried
from joulemark.hardware.vhdl import verilog_of
from tool_marks import needs_core_tools

pytestmark = pytest.mark.usefixtures("kept_simulations")
STRANGERS = Path(__file__).parents[2] / "hardware" / "strangers"
needs_ghdl = pytest.mark.skipif(
    shutil.which("ghdl") is None, reason="needs GHDL (apt-get install ghdl)"
)


@pytest.fixture
def stranger(tmp_path):
    """`stranger("HalfSip.sv")` copies files of `strangers`, and returns the first."""

    def copy(*names: str) -> Path:
        for name in names:
            shutil.copy(STRANGERS / name, tmp_path)
        return tmp_path / names[0]

    return copy


@needs_core_tools
@pytest.mark.parametrize(
    ("names", "options", "adapter"),
    [
        (["chaskey_core.v"], [], {"byte_order": "little", "reset_active": "low"}),
        (
            ["HalfSip.sv"], ["--algorithm", "halfsiphash-2-4"],
            {"byte_order": "little", "reset_active": "high", "start_with_done": False},
        ),
        (
            ["mix_top.v", "mix_round.v"], ["--reference", "mix.py"],
            {"byte_order": "big", "reset_active": "high", "idle": {"i_en": 1, "i_dec": 0}},
        ),
        pytest.param(
            ["mix_pkg.vhd", "Mix_Vhdl.vhd"], ["--reference", "mix.py", "--output", "mix_pkg.toml"],
            {"reset_active": "high"}, marks=needs_ghdl,
        ),
    ],
    ids=["load and ready", "held", "key pulse", "VHDL"],
)  # fmt: skip
def test_a_manifest_is_found_and_holds(run, stranger, names, options, adapter):
    """Names, levels, orders of bytes and protocols differ; `core test` passes each."""
    stranger(*names, "mix.py")
    made = run("core", "new", *names, *options)
    manifest = Path(names[0]).stem + ".toml"
    assert made.exit_code == 0, made.output
    assert made.output.splitlines()[-1] == f"next: joulemark core test {manifest}"
    facts = tomllib.loads(Path(manifest).read_text("utf-8"))
    assert facts["adapter"] == facts["adapter"] | adapter
    assert facts["inputs"] == ("held" if names == ["HalfSip.sv"] else "sampled")
    tested = run("core", "test", manifest)
    assert tested.exit_code == 0, tested.output
    assert "clocks per block" in tested.output


@needs_core_tools
def test_a_manifest_with_gaps_is_written_and_says_them(run, refused, stranger):
    """Exit code 1, a comment at each gap, and `core test` names the first one."""
    made = run("core", "new", stranger("HalfSip.sv"))
    assert made.exit_code == 1
    assert "fill in the id of the algorithm" in " ".join(made.output.split())
    text = Path("HalfSip.toml").read_text("utf-8")
    assert "# algorithm: fill in the id of the algorithm" in text
    assert "HalfSip.toml: algorithm: field required" in refused("core", "test", "HalfSip.toml")


@needs_core_tools
def test_a_core_that_no_way_fits_is_said_to_be_wrong(run, stranger):
    """A wrong rotation: the manifest has what the core gives and what is right."""
    source = stranger("chaskey_core.v")
    source.write_text(source.read_text().replace("rotl(v1, 5)", "rotl(v1, 6)"))
    made = run("core", "new", source)
    assert made.exit_code == 1
    assert "No way of driving it was right: chaskey_core gives" in " ".join(made.output.split())
    assert "the reference says" in Path("chaskey_core.toml").read_text("utf-8")


TWO_CLOCKS = """
module two (input clk, input slow, input start, input [31:0] block, output reg [31:0] result,
            output reg done);
    reg [31:0] taken;
    reg go;
    always @(posedge clk) begin go <= start; if (start) taken <= block; end
    always @(posedge slow) begin result <= taken; done <= go; end
endmodule
"""


@needs_core_tools
def test_a_second_clock_that_was_held_is_named(run, stranger, monkeypatch):
    """Its name is not that of a clock, so it is held; then the core, not `done`, is to blame."""
    stranger("mix.py").with_name("two.v").write_text(TWO_CLOCKS)

    def fails(made, *_):
        return Tried(Drive("none", "big", [], made.idle, 0), None, "done stayed low")

    monkeypatch.setattr("joulemark.cli.core_check.find_drive", fails)
    made = run("core", "new", "two.v", "--algorithm", "toy", "--reference", "mix.py")
    assert made.exit_code == 1, made.output
    said = "slow clocks flip-flops too, and was held; done stayed low"
    assert f"No way of driving it was right: {said}." in " ".join(made.output.split())
    assert said in Path("two.toml").read_text("utf-8")


@needs_core_tools
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.v"], "there is no source none.v"),
        (["mix.py"], "give sources in Verilog, SystemVerilog or VHDL"),
        (["HalfSip.sv", "mix_pkg.vhd"], "give all in one language"),
        (["mix_top.v"], "unknown module 'mix_round'"),
        (["HalfSip.sv", "--top", "Half"], "'Half' is not a valid top-level module"),
        (["HalfSip.sv", "--algorithm", "halfsip"], "unknown algorithm 'halfsip'; did you mean"),
        (["HalfSip.sv", "--reference", "no.py"], "--reference no.py: there is no such file"),
        (["HalfSip.sv", "--output", "here.txt"], "a manifest's name ends in .toml"),
        (["HalfSip.sv", "--output", "no/x.toml"], "there is no folder no"),
        (["HalfSip.sv", "--output", "old.toml"], "old.toml exists, and nothing is overwritten"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, stranger, arguments, said):
    """In one sentence, and without a file."""
    stranger("HalfSip.sv", "mix_top.v", "mix.py", "mix_pkg.vhd").with_name("old.toml").write_text(
        "mine"
    )
    assert said in refused("core", "new", *arguments)
    assert Path("old.toml").read_text() == "mine"
    assert len(list(Path().glob("*.toml"))) == 1


VHDL_MANIFEST = """
name = "mix"
title = "mix"
algorithm = "mix"
top = "mix_vhdl"
clock = "Clk"
sources = ["mix_pkg.vhd", "Mix_Vhdl.vhd"]
adapter = "none.py"
"""


def test_vhdl_without_ghdl_names_the_package(refused, stranger, monkeypatch):
    """One sentence, for a manifest and for a new one."""
    stranger("mix_pkg.vhd", "Mix_Vhdl.vhd").with_name("mix.toml").write_text(VHDL_MANIFEST)
    monkeypatch.setattr("joulemark.hardware.vhdl.shutil.which", lambda _name: None)
    for arguments in (["new", "Mix_Vhdl.vhd", "mix_pkg.vhd"], ["test", "mix.toml"]):
        monkeypatch.setattr("joulemark.hardware.flow.request.require", lambda *_, **_more: None)
        assert "apt-get install ghdl" in refused("core", *arguments)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("Mix_Vhdl.vhd", "HalfSip.sv"), "mix_pkg.vhd is VHDL and others are Verilog"),
        (
            ('"none.py"', '"n"\n[parameters.W]\nabout="w"\ndefault=1\nvalues=[1]'),
            "generics of VHDL stay at their defaults",
        ),
    ],
)  # fmt: skip
def test_what_the_translation_cannot_do_is_refused(refused, stranger, change, said):
    """Two languages in one core, and parameters of VHDL."""
    manifest = stranger("mix_pkg.vhd", "Mix_Vhdl.vhd", "HalfSip.sv").with_name("mix.toml")
    manifest.write_text(VHDL_MANIFEST.replace(*change))
    assert said in refused("core", "test", "mix.toml")


@needs_ghdl
def test_old_and_wrong_vhdl(tmp_path, monkeypatch):
    """The packages of old code are known, entities have any case, errors have file and line."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = (
        "library ieee; use ieee.std_logic_1164.all; use ieee.std_logic_unsigned.all;\n"
        "entity Old is port (d : in std_logic_vector(7 downto 0); "
        "q : out std_logic_vector(7 downto 0)); end;\n"
        "architecture a of old is begin q <= d + 1; end;\n"
    )
    source = tmp_path / "old.vhd"
    source.write_text(text)
    made = verilog_of([source], "OLD")
    assert "module OLD\n" in made.read_text("utf-8")
    assert made.is_relative_to(tmp_path / "cache")
    source.write_text(text.replace("d + 1", "d +"))
    with pytest.raises(ImplementationError, match=r"old.vhd:3:\d+: "):
        verilog_of([source], "OLD")
    source.write_text("entity old is end;")
    with pytest.raises(ImplementationError, match="GHDL refuses the VHDL: "):
        verilog_of([source], None)
