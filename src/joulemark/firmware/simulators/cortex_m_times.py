# SPDX-License-Identifier: Apache-2.0
"""Core cycles of one instruction of a Cortex-M, by the tables of Arm's reference manuals.

- Cortex-M0+: DDI 0484C, table 3-1; the multiplier takes one core cycle, a choice of the part's maker.
- Cortex-M3: DDI 0337I, table 3-1; Cortex-M4: DDI 0439D, table 3-1; section 3.3.2 of both for loads and
  stores that follow one another.

No wait states. Where the manual gives a range, the choice is named beside the number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["BlockTime", "Instruction", "block_time", "knows"]

_CONDITIONS: Final = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"
_BRANCH: Final = re.compile(rf"b(?:{_CONDITIONS})?(?:\.[nw])?|cbn?z")
_LOAD: Final = re.compile(r"ldrs?[bh]?(?:[a-z]{2})?(?:\.w)?")
_STORE: Final = re.compile(r"str[bh]?(?:[a-z]{2})?(?:\.w)?")
_REFILL: Final = 1
"""Core cycles in which the pipeline of M3 and M4 fills again after a branch to a known place: the manual
says 1 to 3, by the alignment of the target and whether it was foreseen."""
_REFILL_UNKNOWN: Final = 2
"""The same after a branch to a register or from the stack."""
_DIVISION: Final = 7
"""Of 2 to 12, by the numbers; no kernel divides."""
_LONG_PRODUCT_M3: Final = 4
"""Of 3 to 5 for UMULL and SMULL, 4 to 7 with an addition, by the numbers."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, as a disassembler names it."""

    mnemonic: str
    operands: str


@dataclass(frozen=True, slots=True)
class BlockTime:
    """What a block without branches but at its end takes."""

    core_cycles: int
    """If what follows it in memory is executed next."""
    taken: int
    """More, if something else is."""
    instructions: int


def knows(core: str) -> bool:
    """Whether there is a table for this core."""
    return core in ("cortex-m0plus", "cortex-m3", "cortex-m4")


def block_time(core: str, block: Sequence[Instruction]) -> BlockTime:
    """The time of a block.

    Args:
        core: `cortex-m0plus`, `cortex-m3` or `cortex-m4`.
        block: its instructions, at least one.
    """
    one = _m0plus if core == "cortex-m0plus" else _m3_or_m4
    cycles, taken, before = 0, 0, None
    for instruction in block:
        own, taken = one(core, instruction)
        if core != "cortex-m0plus" and before is not None and _pipelined(before, instruction):
            own -= 1
        cycles += own
        before = instruction
    return BlockTime(cycles, taken, len(block))


def _registers(operands: str) -> int:
    """How many registers a list in braces has; capstone writes each by itself or as a range."""
    inside = operands[operands.find("{") + 1 : operands.find("}")]
    return len([name for name in inside.split(",") if name.strip()])


def _base(mnemonic: str) -> str:
    return mnemonic.partition(".")[0]


def _m0plus(core: str, one: Instruction) -> tuple[int, int]:
    """Core cycles, and more of them if it branches."""
    del core
    name, operands = _base(one.mnemonic), one.operands
    writes_pc = operands.startswith("pc,")
    if name == "bl":
        return 3, 0
    if name in ("bx", "blx"):
        return 2, 0
    if _BRANCH.fullmatch(name):
        return (2, 0) if name == "b" else (1, 1)
    if name in ("push", "pop", "ldm", "stm", "ldmia", "stmia"):
        extra = 2 if name == "pop" and "pc" in operands else 0
        return 1 + _registers(operands) + extra, 0
    if _LOAD.fullmatch(name) or _STORE.fullmatch(name):
        return 2, 0
    if name in ("mrs", "msr", "dmb", "dsb", "isb"):
        return 3, 0
    return (2, 0) if name in ("mov", "add") and writes_pc else (1, 0)


def _m3_or_m4(core: str, one: Instruction) -> tuple[int, int]:  # noqa: PLR0911 - a table
    """Core cycles, and more of them if it branches."""
    name, operands = _base(one.mnemonic), one.operands
    writes_pc = operands.startswith("pc,")
    if name == "bl":
        return 1 + _REFILL, 0
    if name in ("bx", "blx"):
        return 1 + _REFILL_UNKNOWN, 0
    if _BRANCH.fullmatch(name):
        return (1 + _REFILL, 0) if name == "b" else (1, _REFILL)
    if name.startswith(("push", "pop", "ldm", "stm")):
        refill = _REFILL_UNKNOWN if "pc" in operands and name.startswith(("pop", "ldm")) else 0
        return 1 + _registers(operands) + refill, 0
    if name.startswith(("ldrd", "strd")):
        return 3, 0
    if _LOAD.fullmatch(name):
        return 2 + (_REFILL_UNKNOWN if writes_pc else 0), 0
    if _STORE.fullmatch(name):
        return (1 if "#" in operands or "," not in operands.partition("[")[2] else 2), 0
    if name.startswith(("sdiv", "udiv")):
        return _DIVISION, 0
    if core == "cortex-m3" and name.startswith(("umull", "smull")):
        return _LONG_PRODUCT_M3, 0
    if core == "cortex-m3" and name.startswith(("umlal", "smlal")):
        return _LONG_PRODUCT_M3 + 1, 0
    if core == "cortex-m3" and name in ("mla", "mls"):
        return 2, 0
    if name in ("mrs", "msr"):
        return 2, 0
    return (1 + _REFILL_UNKNOWN, 0) if writes_pc and name in ("mov", "add") else (1, 0)


def _pipelined(before: Instruction, one: Instruction) -> bool:
    """Whether a load or store overlaps with the load before it, which saves one core cycle: unless its
    address needs what that one loads."""
    if not _LOAD.fullmatch(_base(before.mnemonic)):
        return False
    name = _base(one.mnemonic)
    loads = _LOAD.fullmatch(name)
    if not loads and not (_STORE.fullmatch(name) and _m3_or_m4("cortex-m4", one)[0] > 1):
        return False
    loaded = before.operands.partition(",")[0].strip()
    address = one.operands.partition("[")[2]
    return re.search(rf"\b{re.escape(loaded)}\b", address) is None
