# SPDX-License-Identifier: Apache-2.0
"""Without a cell library: area in generic gates, and the memories that would become flip-flops.

One gate equivalent is a two-input NAND of static CMOS, four transistors. The weights below are the
transistors of the textbook circuit over four (N. Weste, D. Harris, CMOS VLSI Design, 4th edition,
chapters 1 and 10: complementary gates; XOR as NOR and AND-OR-invert; multiplexer as AND-OR-invert
with the inverter of its select and of its output; master and slave of transmission gates with
clocked feedback). Real libraries differ by 10 to 20 % for the same netlist, which is why no
figure of such a library should be compared with these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.bench.adapter import no_port
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import YosysModule, modules_of, read_command, run_yosys
from joulemark.hardware.synthesis.soundness import CHECK, require_sound

NETLIST: Final = "generic.v"
"""File of the netlist, for a simulation."""
TRANSISTORS_PER_GE: Final = 4
LOGIC_TRANSISTORS: Final[Mapping[str, int]] = {
    "$_NOT_": 2,
    **dict.fromkeys(("$_BUF_", "$_NAND_", "$_NOR_"), 4),
    **dict.fromkeys(("$_AND_", "$_OR_", "$_ANDNOT_", "$_ORNOT_", "$_AOI3_", "$_OAI3_"), 6),
    **dict.fromkeys(("$_AOI4_", "$_OAI4_"), 8),
    **dict.fromkeys(("$_XOR_", "$_XNOR_"), 10),
    "$_MUX_": 12,
}
STORAGE_TRANSISTORS: Final[Mapping[str, int]] = {
    **{f"$_DFF_{edge}_": 22 for edge in "PN"},
    **{f"$_DFF_{edge}{level}{value}_": 26 for edge in "PN" for level in "PN" for value in "01"},
    **{f"$_DLATCH_{level}_": 12 for level in "PN"},
}
"""A flip-flop is two latches of 8 (transmission gate, inverter, clocked feedback), with 4 for both
phases of the clock and 2 for the output; an asynchronous reset widens two inverters to gates; a
latch is half of that."""

_LEGAL: Final = ("$_DFF_P_ x", "$_DFF_N_ x", "$_DFF_?N?_ x", "$_DFF_?P?_ x", "$_DLATCH_?_ x")


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
    cells = Counter(cell["type"] for cell in top["cells"].values())
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


# Looks at ports and memories of a core before its mapping, which may take minutes.
#
# An FPGA has block RAMs for memories. Without block RAMs each bit becomes a flip-flop with the
# multiplexers that write and read it: tools take long for them, and nobody would build such a
# memory.

MEMORY_BITS: Final = 8192
"""Bits of the largest memory that is mapped to flip-flops unless a user asks for more."""


@dataclass(frozen=True, slots=True)
class MemoryArray:
    """An array of words that is written while the core runs."""

    name: str
    words: int
    word_bits: int
    writes: int
    """Number of write ports."""
    reads: int
    """Number of read ports."""

    @property
    def bits(self) -> int:
        """Size of the memory."""
        return self.words * self.word_bits

    @property
    def flip_flops_ge(self) -> float:
        """Modelled area in generic gates: a flip-flop a bit, and a multiplexer a bit and port."""
        ports = self.writes + self.reads
        transistors = STORAGE_TRANSISTORS["$_DFF_P_"] + ports * LOGIC_TRANSISTORS["$_MUX_"]
        return self.bits * transistors / TRANSISTORS_PER_GE

    @property
    def text(self) -> str:
        """The memory in a few words."""
        return f"{self.name}, {self.words} x {self.word_bits} bits"


def survey(core: Core, parameters: Mapping[str, int], folder: Path) -> list[MemoryArray]:
    """The memories of a core with these parameters, the largest first; seconds, for any size."""
    run_yosys(
        [
            read_command(core, parameters),
            f"hierarchy -check -top {core.top}",
            "proc",
            "write_json survey.json",
            *CHECK,
            "write_json flat.json",
        ],
        folder,
        name="survey",
    )
    modules = modules_of(folder / "survey.json")
    for name, role in ((core.clock, "its clock"), (core.reset, "its reset")):
        if name is not None and name not in modules[core.top]["ports"]:
            raise UsageError(no_port(core, name, role, modules[core.top]["ports"]))
    require_sound(core, folder / "survey.log", folder / "flat.json", for_cells=True)
    memories = [memory for module in modules.values() for memory in _of_module(module)]
    return sorted(memories, key=lambda memory: -memory.bits)


def require_mappable(core: Core, memories: Sequence[MemoryArray], most_bits: int) -> None:
    """Refuses a core with a memory of more than `most_bits`."""
    large = [memory for memory in memories if memory.bits > most_bits]
    if not large:
        return
    first = large[0]
    more = f" and {len(large) - 1} more" if len(large) > 1 else ""
    raise UsageError(
        f"{core.name} has the memory {first.text}{more}: without block RAMs its {first.bits} bits "
        f"become flip-flops, about {first.flip_flops_ge:,.0f} GE by generic gates, which takes "
        f"minutes to map. --memory-bits {first.bits} maps it all the same; or leave the memory "
        "outside the core and say so in the manifest's [outside_memory]"
    )


def _of_module(module: YosysModule) -> list[MemoryArray]:
    ports: dict[str, list[str]] = {}
    for cell in module["cells"].values():
        name = cell["parameters"].get("MEMID")
        if name is not None:
            ports.setdefault(name.removeprefix("\\"), []).append(cell["type"])
    memories = []
    for name, facts in module.get("memories", {}).items():
        kinds = ports.get(name, [])
        writes, reads = (
            sum(cell_kind.startswith(kind) for cell_kind in kinds) for kind in ("$memwr", "$memrd")
        )
        if writes:
            memories.append(MemoryArray(name, facts["size"], facts["width"], writes, reads))
    return memories
