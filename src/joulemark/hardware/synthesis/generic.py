# SPDX-License-Identifier: Apache-2.0
"""Area without a cell library: generic gates of Yosys, each weighed by its transistors.

One gate equivalent is a two-input NAND of static CMOS, four transistors. The weights below are the
transistors of the textbook circuit over four (N. Weste, D. Harris, CMOS VLSI Design, 4th edition,
chapters 1 and 10: complementary gates; XOR as NOR and AND-OR-invert; multiplexer as AND-OR-invert
with the inverter of its select and of its output; master and slave of transmission gates with
clocked feedback). Real libraries differ by 10 to 20 % for the same netlist, which is why no
figure of such a library should be compared with these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis.yosys import modules_of, read_command, run_yosys

NETLIST: Final = "generic.v"
"""File of the netlist, for a simulation."""
TRANSISTORS_PER_GE: Final = 4
LOGIC_TRANSISTORS: Final[Mapping[str, int]] = {
    "$_BUF_": 4,
    "$_NOT_": 2,
    "$_NAND_": 4,
    "$_NOR_": 4,
    "$_AND_": 6,
    "$_OR_": 6,
    "$_ANDNOT_": 6,
    "$_ORNOT_": 6,
    "$_XOR_": 10,
    "$_XNOR_": 10,
    "$_AOI3_": 6,
    "$_OAI3_": 6,
    "$_AOI4_": 8,
    "$_OAI4_": 8,
    "$_MUX_": 12,
}
STORAGE_TRANSISTORS: Final[Mapping[str, int]] = {
    "$_DFF_P_": 22,
    "$_DFF_N_": 22,
    "$_DFF_PN0_": 26,
    "$_DFF_PN1_": 26,
    "$_DFF_PP0_": 26,
    "$_DFF_PP1_": 26,
    "$_DFF_NN0_": 26,
    "$_DFF_NN1_": 26,
    "$_DFF_NP0_": 26,
    "$_DFF_NP1_": 26,
    "$_DLATCH_P_": 12,
    "$_DLATCH_N_": 12,
}
"""A flip-flop is two latches of 8 (transmission gate, inverter, clocked feedback), with 4 for both
phases of the clock and 2 for the output; an asynchronous reset widens two inverters to gates; a
latch is half of that."""

_LEGAL: Final = (
    "$_DFF_P_ x",
    "$_DFF_N_ x",
    "$_DFF_?N?_ x",
    "$_DFF_?P?_ x",
    "$_DLATCH_?_ x",
)


@dataclass(frozen=True, slots=True)
class GenericArea:
    """Area in gate equivalents by the weights above, and the number of cells by kind."""

    storage_ge: float
    logic_ge: float
    cells: Mapping[str, int]

    @property
    def area_ge(self) -> float:
        """Area of storage and logic."""
        return self.storage_ge + self.logic_ge


def map_core(core: Core, parameters: Mapping[str, int], folder: Path) -> GenericArea:
    """Maps a core onto generic gates and weighs them."""
    legal = " ".join(f"-cell {rule}" for rule in _LEGAL)
    run_yosys(
        [
            read_command(core, parameters),
            f"synth -flatten -top {core.top} -run :fine",
            "opt -fast -full",
            "memory_map",
            "opt -undriven -fine",
            "techmap",
            "opt",
            "simplemap",
            f"dfflegalize {legal}",
            "opt -full -nodffe -nosdff",
            # Sharing, a part of opt -full, makes multiplexers of whole words once more.
            "simplemap",
            "abc -g AND,NAND,OR,NOR,XOR,XNOR,MUX,AOI3,OAI3,AOI4,OAI4",
            "opt_clean -purge",
            "write_json generic.json",
            f"write_verilog -noattr {NETLIST}",
        ],
        folder,
        name="generic",
    )
    top = modules_of(folder / "generic.json")[core.top]
    cells = Counter(str(cell["type"]) for cell in top["cells"].values())
    known = {*LOGIC_TRANSISTORS, *STORAGE_TRANSISTORS, "$scopeinfo"}
    unknown = [kind for kind in cells if kind not in known]
    if unknown:
        vendor = not unknown[0].startswith("$")
        why = (
            "is a primitive of an FPGA: choose a configuration that is not for one"
            if vendor
            else "has no weight in gates"
        )
        raise ImplementationError(f"{core.name}: cell {unknown[0]} {why}")
    return GenericArea(
        _gates(cells, STORAGE_TRANSISTORS), _gates(cells, LOGIC_TRANSISTORS), dict(cells)
    )


def _gates(cells: Mapping[str, int], transistors: Mapping[str, int]) -> float:
    total = sum(transistors.get(kind, 0) * number for kind, number in cells.items())
    return total / TRANSISTORS_PER_GE
