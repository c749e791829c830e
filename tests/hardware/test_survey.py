# SPDX-License-Identifier: Apache-2.0
"""Facts of a core before it is mapped, and the message about a core that gave no record."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.hardware.cores import find_core, is_ours
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation.driving import _why
from joulemark.hardware.synthesis import generic
from joulemark.hardware.synthesis.generic import require_mappable, survey
from tool_marks import needs_yosys

MEMORY = """module kept(input clk, input we, input [4:0] wa, input [4:0] ra, input [31:0] d,
            output [31:0] q);
  reg [31:0] s [0:31];
  reg [7:0] never [0:15];
  always @(posedge clk) if (we) s[wa] <= d;
  assign q = s[ra];
endmodule"""


@pytest.fixture
def kept(tmp_path: Path) -> Core:
    """A core with a memory of 32 words, and an array that is never written."""
    (tmp_path / "kept.v").write_text(MEMORY)
    (tmp_path / "kept.toml").write_text(
        'name = "kept"\ntitle = "kept"\nalgorithm = "x"\ntop = "kept"\nclock = "clk"\n'
        'sources = ["kept.v"]\nadapter = {}\n'
    )
    return read_core(tmp_path / "kept.toml")


@needs_yosys
def test_the_cost_of_a_memory_is_about_what_mapping_gives(kept, tmp_path):
    """The estimate is within 5 % of the area mapped to generic gates; ports and words count."""
    (memory,) = survey(kept, {}, tmp_path / "survey")
    assert (memory.text, memory.bits, memory.writes, memory.reads) == (
        "s, 32 x 32 bits",
        1024,
        1,
        1,
    )
    assert memory.flip_flops_ge == pytest.approx(
        generic.map_core(kept, {}, tmp_path / "generic").area_ge, rel=0.05
    )


@needs_yosys
def test_a_memory_is_refused_above_the_limit(kept, tmp_path):
    """A memory as large as the limit is accepted."""
    memories = survey(kept, {}, tmp_path)
    require_mappable(kept, memories, 1024)
    with pytest.raises(UsageError, match="--memory-bits 1024 maps it"):
        require_mappable(kept, memories, 1023)


def test_an_outside_memory_is_a_typed_value():
    """sha1_serial's manifest has its size, its ports and its accesses."""
    memory = find_core("sha1_serial").outside_memory
    assert memory is not None
    assert memory.bits == 512
    assert memory.text == (
        "16 x 32 = 512 bits (the message block and its schedule, 272 reads and 64 writes a block) "
        "at the ports memory_address_o, memory_write_o, memory_data_o, memory_data_i"
    )
    assert find_core("hmac_sha1").outside_memory is None


def test_a_core_of_ours_is_known_by_its_place(toy):
    """A user's core of the same name is not ours."""
    assert is_ours(find_core("siphash"))
    manifest = toy("toy_mac")
    manifest.write_text(manifest.read_text().replace('name = "toy_mac"', 'name = "siphash"'))
    assert not is_ours(read_core(manifest))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("joulemark.errors.UsageError: x: y has no port 'z'", "x: y has no port 'z'"),
        ("AttributeError: top contains no child object named clk",
         "top contains no child object named clk"),
        ("nothing of note", "the simulation stopped"),
    ],
)  # fmt: skip
def test_no_class_is_named_of_a_simulation_that_broke(tmp_path, line, said):
    """The message is the last line with an error, without the name of the exception's class."""
    (tmp_path / "log").write_text(f"starting\n{line}\n")
    assert _why(tmp_path / "log") == said
