# SPDX-License-Identifier: Apache-2.0
"""Core cycles of one instruction of a Cortex-M, by the tables of Arm's reference manuals.

- Cortex-M0+: DDI 0484C, table 3-1; the multiplier takes one core cycle, which is the choice of a
  part's maker.
- Cortex-M3: DDI 0337I, table 3-1; Cortex-M4: DDI 0439D, table 3-1; section 3.3.2 of both for loads
  and stores that follow one another.

The times have no wait states. If a manual gives a range, the choice is named beside the number. A
rule is a pattern of mnemonics, their core cycles, and the additional core cycles of a taken branch.
The first rule that fits counts; an instruction without a rule takes one core cycle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_REFILL: Final = 1
"""Core cycles in which the pipeline of M3 and M4 fills again after a branch to a known place. The
manuals say 1 to 3, by the alignment of the target and whether it was foreseen."""
_REFILL_UNKNOWN: Final = 2
"""The same after a branch to a register or from the stack."""
_DIVISION: Final = 7
"""Out of 2 to 12, depending on the numbers; no kernel divides."""
_LONG_PRODUCT_M3: Final = 4
"""Out of 3 to 5, depending on the numbers; with an addition 4 to 7."""
_CONDITION: Final = "(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
_LOAD: Final = re.compile(rf"ldrs?[bh]?{_CONDITION}?")
_STORE: Final = re.compile(rf"str[bh]?{_CONDITION}?")
_IMMEDIATE: Final = re.compile(r"\w+(?:, #-?\w+)?\]")
"""An address without its opening bracket: a register, with or without an offset."""
_SEVERAL: Final = re.compile("push|pop|ldm(?:ia|db)?|stm(?:ia|db)?")

Rule = tuple[re.Pattern[str], int, int]


def _rules(*rules: tuple[str, int, int]) -> tuple[Rule, ...]:
    return tuple((re.compile(pattern), cycles, taken) for pattern, cycles, taken in rules)


_M0PLUS: Final = _rules(
    ("bl", 3, 0),
    ("bl?x", 2, 0),
    ("b", 2, 0),
    (rf"b{_CONDITION}", 1, 1),
    (rf"{_LOAD.pattern}|{_STORE.pattern}", 2, 0),
    ("mrs|msr|dmb|dsb|isb", 3, 0),
)
_M4: Final = _rules(
    ("bl", 1 + _REFILL, 0),
    ("bl?x", 1 + _REFILL_UNKNOWN, 0),
    ("b", 1 + _REFILL, 0),
    (rf"b{_CONDITION}|cbn?z", 1, _REFILL),
    ("ldrd|strd", 3, 0),
    (rf"{_LOAD.pattern}|{_STORE.pattern}", 2, 0),
    ("[su]div", _DIVISION, 0),
    ("mrs|msr", 2, 0),
)
_M3: Final = (
    *_rules(
        ("[su]mull", _LONG_PRODUCT_M3, 0),
        ("[su]mlal", _LONG_PRODUCT_M3 + 1, 0),
        ("mla|mls", 2, 0),
    ),
    *_M4,
)
CORES: Final = {"cortex-m0plus": _M0PLUS, "cortex-m3": _M3, "cortex-m4": _M4}
"""Core -> its rules."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, as a disassembler names it."""

    mnemonic: str
    operands: str

    @property
    def name(self) -> str:
        """The mnemonic without its width, as in `ldr` of `ldr.w`."""
        return self.mnemonic.partition(".")[0]

    @property
    def registers(self) -> int:
        """Number of registers in the list in braces."""
        inside = self.operands[self.operands.find("{") + 1 : self.operands.find("}")]
        return len([name for name in inside.split(",") if name.strip()])


@dataclass(frozen=True, slots=True)
class BlockTime:
    """Time of a block, which has no branch before its end."""

    core_cycles: int
    """Core cycles if the next instruction in memory follows."""
    taken: int
    """Additional core cycles if another instruction follows."""
    instructions: int


def block_time(core: str, block: Sequence[Instruction]) -> BlockTime:
    """The time of a block.

    Args:
        core: one of `CORES`.
        block: its instructions.
    """
    cycles, taken = 0, 0
    before: Instruction | None = None
    for instruction in block:
        own, taken = _time(core, instruction)
        if core != "cortex-m0plus" and before is not None and _overlaps(before, instruction):
            own -= 1
        cycles += own
        before = instruction
    return BlockTime(cycles, taken, len(block))


def _time(core: str, instruction: Instruction) -> tuple[int, int]:
    """Core cycles, and additional core cycles if the instruction branches."""
    large = core != "cortex-m0plus"
    if _SEVERAL.fullmatch(instruction.name):
        into_pc = "pc" in instruction.operands and not instruction.name.startswith(("push", "stm"))
        return 1 + instruction.registers + (2 if into_pc else 0), 0
    if large and _is_quick_store(instruction):
        return 1, 0
    cycles, taken = next(
        (
            (cycles, taken)
            for pattern, cycles, taken in CORES[core]
            if pattern.fullmatch(instruction.name)
        ),
        (1, 0),
    )
    if instruction.operands.startswith("pc,"):
        cycles += _REFILL_UNKNOWN if large else 1
    return cycles, taken


def _is_quick_store(instruction: Instruction) -> bool:
    """STR with an immediate offset, which M3 and M4 always do in one core cycle."""
    address = instruction.operands.partition("[")[2]
    return bool(_STORE.fullmatch(instruction.name) and _IMMEDIATE.match(address))


def _overlaps(before: Instruction, instruction: Instruction) -> bool:
    """Whether a load, or a slow store, begins within the load before it and so saves a core cycle.

    It saves nothing if its address depends on that load.
    """
    if not _LOAD.fullmatch(before.name):
        return False
    slow_store = _STORE.fullmatch(instruction.name) and not _is_quick_store(instruction)
    if not (_LOAD.fullmatch(instruction.name) or slow_store):
        return False
    loaded = before.operands.partition(",")[0].strip()
    return re.search(rf"\b{re.escape(loaded)}\b", instruction.operands.partition("[")[2]) is None
