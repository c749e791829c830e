# SPDX-License-Identifier: Apache-2.0
"""Looks at ports and memories of a core before its mapping, which may take minutes.

An FPGA has block RAMs for memories. Without block RAMs each bit becomes a flip-flop with the
multiplexers that write and read it: tools take long for them, and nobody would build such a memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.hardware.core.driven import no_port
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis.generic import (
    LOGIC_TRANSISTORS,
    STORAGE_TRANSISTORS,
    TRANSISTORS_PER_GE,
)
from joulemark.hardware.synthesis.soundness import CHECK, require_sound
from joulemark.hardware.synthesis.yosys import modules_of, read_command, run_yosys

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
    require_sound(core, folder / "survey.log", folder / "flat.json")
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


def _of_module(module: Mapping[str, Mapping[str, Mapping[str, object]]]) -> list[MemoryArray]:
    ports: dict[str, list[str]] = {}
    for cell in module["cells"].values():
        parameters = cell["parameters"]
        if isinstance(parameters, dict) and "MEMID" in parameters:
            name = str(parameters["MEMID"]).removeprefix("\\")
            ports.setdefault(name, []).append(str(cell["type"]))
    memories = []
    for name, facts in module.get("memories", {}).items():
        kinds = ports.get(name, [])
        writes, reads = (
            sum(cell_kind.startswith(kind) for cell_kind in kinds) for kind in ("$memwr", "$memrd")
        )
        if writes:
            memories.append(
                MemoryArray(name, int(str(facts["size"])), int(str(facts["width"])), writes, reads)
            )
    return memories
