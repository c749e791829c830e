# SPDX-License-Identifier: Apache-2.0
"""Cortex-M by unicorn, which executes exactly, and a table of the times of instructions.

As a command it writes the log of one program: `python -m ...cortex_m CORE PROGRAM MOST`.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elftools.elf.elffile import ELFFile

from joulemark.processes.child import module_command

if TYPE_CHECKING:
    from joulemark.firmware.target import Target

# Core cycles of one instruction of a Cortex-M, by the tables of Arm's reference manuals.
#
# - Cortex-M0+: DDI 0484C, table 3-1; the multiplier takes one core cycle, which is the choice of a
#   part's maker.
# - Cortex-M3: DDI 0337I, table 3-1; Cortex-M4: DDI 0439D, table 3-1; section 3.3.2 of both for
#   loads and stores that follow one another.
#
# The times have no wait states. If a manual gives a range, the choice is named beside the number. A
# rule is a pattern of mnemonics, their core cycles, and the additional core cycles of a taken
# branch. The first rule that fits counts; an instruction without a rule takes one core cycle.

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
        ("[su]mull", _LONG_PRODUCT_M3, 0), ("[su]mlal", _LONG_PRODUCT_M3 + 1, 0), ("mla|mls", 2, 0)
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
    """The time of a block on one of `CORES`."""
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


_PORT: Final = 0x40000000
_RAM: Final = 0x20000000
_MEMORY_BYTES: Final = 1 << 20


def missing(_target: Target) -> str | None:
    """See `SimulatorModule`."""
    for package in ("unicorn", "capstone"):
        if find_spec(package) is None:
            return f"needs {package} (pip install {package}, or joulemark[firmware])"
    return None


def title(_target: Target) -> str:
    """See `SimulatorModule`."""
    try:
        return f"unicorn {version('unicorn')} with a table of instruction times"
    except PackageNotFoundError:
        return "unicorn"


def command(target: Target, program: Path, most_core_cycles: int) -> list[str]:
    """See `SimulatorModule`."""
    return [*module_command(__name__), target.simulator.core, str(program), str(most_core_cycles)]


def _library(name: str) -> Any:
    """A library without types; only the process that simulates loads it, since that is slow."""
    return import_module(name)


def _functions_with_marks(elf: Any) -> Iterator[tuple[int, int]]:
    """First and last address of the functions of the bench that contain marks.

    Only there the address of each instruction is followed. Elsewhere the program is counted block
    by block, which costs a tenth.
    """
    for symbol in elf.get_section_by_name(".symtab").iter_symbols():
        if symbol.name in ("main", "set_key", "work_on") and symbol["st_size"]:
            begin = symbol["st_value"] & ~1
            yield begin, begin + symbol["st_size"] - 1


class _Machine:
    """One program on one core."""

    def __init__(
        self, core: str, program: Path, most_core_cycles: int, say: Callable[[str], Any]
    ) -> None:
        unicorn, capstone = _library("unicorn"), _library("capstone")
        self._core, self._most, self._say = core, most_core_cycles, say
        self._core_cycles = self._instructions = 0
        self._times: dict[tuple[int, int], BlockTime] = {}
        self._last: tuple[int, int, BlockTime] | None = None
        """Begin, end and time of the block that is being executed."""
        self._here = 0
        """Address of the present instruction, in functions with marks."""
        self.ended = False
        self._disassembler = capstone.Cs(
            capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS
        )
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
        models = unicorn.arm_const
        uc.ctl_set_cpu_model(
            {
                "cortex-m0plus": models.UC_CPU_ARM_CORTEX_M0,
                "cortex-m3": models.UC_CPU_ARM_CORTEX_M3,
                "cortex-m4": models.UC_CPU_ARM_CORTEX_M4,
            }[core]
        )
        uc.mem_map(0, _MEMORY_BYTES)
        uc.mem_map(_RAM, _MEMORY_BYTES)
        elf = ELFFile(io.BytesIO(program.read_bytes()))
        for segment in elf.iter_segments("PT_LOAD"):
            if segment["p_filesz"]:
                uc.mem_write(segment["p_paddr"], segment.data())
        stack, start = (int.from_bytes(uc.mem_read(at, 4), "little") for at in (0, 4))
        uc.reg_write(models.UC_ARM_REG_SP, stack)
        uc.mmio_map(_PORT, 0x1000, None, None, self._written, None)
        uc.hook_add(unicorn.UC_HOOK_BLOCK, self._block)
        for begin, end in _functions_with_marks(elf):
            uc.hook_add(unicorn.UC_HOOK_CODE, self._at, None, begin, end)
        self._uc, self._start = uc, start | 1

    def run(self) -> None:
        """Runs the program until it ends."""
        self._uc.emu_start(self._start, 0xFFFFFFFE)

    def _at(self, _uc: Any, address: int, _size: int, _data: Any) -> None:
        self._here = address

    def _block(self, uc: Any, address: int, size: int, _data: Any) -> None:
        """Counts the block before this block, whose time depends on the next address."""
        if self._last is not None:
            _, end, before = self._last
            self._core_cycles += before.core_cycles + (before.taken if address != end else 0)
            self._instructions += before.instructions
        if (address, size) not in self._times:
            block = self._disassemble(address, size)
            self._times[address, size] = block_time(self._core, block)
        time = self._times[address, size]
        self._last = (address, address + size, time)
        if self._core_cycles > self._most:
            uc.emu_stop()

    def _written(self, uc: Any, offset: int, _size: int, value: int, _data: Any) -> None:
        if offset == 0:
            self._mark(value)
        elif offset == 4:
            self._say(f"byte {value & 0xFF}")
        else:
            self.ended = True
            uc.emu_stop()

    def _mark(self, number: int) -> None:
        """Writes the counts at a mark: of all blocks before, and of this block up to the mark."""
        assert self._last is not None
        begin = self._last[0]
        block = self._disassemble(begin, self._here - begin) if self._here > begin else []
        part = block_time(self._core, block)
        core_cycles = self._core_cycles + part.core_cycles
        self._say(f"mark {number} {core_cycles} {self._instructions + part.instructions}")

    def _disassemble(self, address: int, size: int) -> list[Instruction]:
        code = bytes(self._uc.mem_read(address, size))
        return [
            Instruction(mnemonic, operands)
            for _, _, mnemonic, operands in self._disassembler.disasm_lite(code, address)
        ]


def main(arguments: list[str]) -> int:
    """Runs one program; returns the exit code."""
    core, program, most = arguments
    lines: list[str] = []
    machine = _Machine(core, Path(program), int(most), lines.append)
    try:
        machine.run()
    except Exception as error:  # noqa: BLE001 - unicorn's errors have no common base
        lines.append(f"crash {error}")
    else:
        lines.append("end" if machine.ended else f"crash no end within {most} core cycles")
    print("\n".join(lines))
    return 0 if machine.ended else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
