# SPDX-License-Identifier: Apache-2.0
"""Full adders: which cell of a library is a full adder, and where mapping uses it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from small_library import cell, energy, library, out, pin, timing

from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis.asic import full_adder, map_core

CARRY, SUM = "(A & B) | (A & C) | (B & C)", "A ^ B ^ C"
CARRY_SAVE = """// SPDX-License-Identifier: Apache-2.0
module carry_save (
  input [3:0] a, input [3:0] b, input [3:0] c, output [3:0] sum, output [3:0] carry
);
  assign sum = a ^ b ^ c;
  assign carry = (a & b) | (a & c) | (b & c);
endmodule
"""


def with_adders(*functions: tuple[str, float, str, str]) -> str:
    """The small library and cells of three inputs and two outputs: name, area, CO, S."""
    more = []
    for name, area, carry, total in functions:
        arcs = [part for text in "ABC" for part in (timing(text, "non_unate"), energy(text))]
        outs = (out("CO", carry, arcs), out("S", total, arcs))
        more.append(cell(name, area, 4.0, *outs, *(pin(text, 0.002) for text in "ABC")))
    return library().rstrip().removesuffix("}") + "".join(more) + "}\n"


def test_an_adder_is_known_by_its_functions(small: CellLibrary) -> None:
    """The smallest cell with sum and carry of three bits is taken, and no other two-output cell."""
    assert full_adder(small) is None
    text = with_adders(
        ("ODD", 1, "A & B & C", SUM), ("LARGE", 9, CARRY, SUM), ("GOOD", 7, CARRY, SUM)
    )
    found = full_adder(parse_library(text))
    assert found is not None
    chosen, total, carry = found
    assert (chosen.name, total, carry) == ("GOOD", "S", "CO")


@pytest.mark.skipif(find_spec("pyosys") is None, reason="needs pyosys (make core-tools)")
@pytest.mark.parametrize(("area", "adders"), [(5, 4), (500, 0)])
def test_mapping_takes_adders_where_they_save(area: float, adders: int, tmp_path: Path) -> None:
    """Each adder has separate bits, sum and carry at its ports; smaller logic is not replaced."""
    text = with_adders(("ADD", area, CARRY, SUM))
    path = tmp_path / "adders.lib"
    path.write_text(text, "utf-8")
    (tmp_path / "carry_save.sv").write_text(CARRY_SAVE, "utf-8")
    core = Core.model_validate(
        {
            "name": "carry_save", "title": "three words as two", "algorithm": "none",
            "top": "carry_save", "clock": "a", "sources": ["carry_save.sv"], "adapter": "none.py",
            "folder": tmp_path,
        }
    )  # fmt: skip
    netlist = map_core(core, {}, path, parse_library(text), tmp_path / "mapping")
    found = [instance for instance in netlist.instances if instance.cell.name == "ADD"]
    assert len(found) == adders
    for instance in found:
        bit = netlist.outputs["sum"].index(instance.pins["S"])
        assert instance.pins["CO"] == netlist.outputs["carry"][bit]
        words = {netlist.inputs[word][bit] for word in "abc"}
        assert {instance.pins[name] for name in "ABC"} == words
