# SPDX-License-Identifier: Apache-2.0
"""Cortex-M by unicorn, which executes exactly, and a table of times (`cortex_m_times`).

As a command it writes the log of one program: `python -m ...cortex_m CORE PROGRAM MOST`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elftools.elf.elffile import ELFFile

from joulemark.firmware.simulators.cortex_m_times import BlockTime, Instruction, block_time
from joulemark.processes.child import module_command

if TYPE_CHECKING:
    from joulemark.firmware.programs.target import Target

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
