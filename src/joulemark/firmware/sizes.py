# SPDX-License-Identifier: Apache-2.0
"""Sizes of a program in a target's memories, read from the linked file (ELF)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from joulemark.errors import ImplementationError
from joulemark.firmware.build import KernelSources

_WRITE, _ALLOCATED, _EXECUTED = 1, 2, 4
"""Flags of sections (ELF specification, sh_flags)."""
_POINTER_AND_OFFSETS = 8


@dataclass(frozen=True, slots=True)
class ProgramSizes:
    """Bytes of one program by kind."""

    code: int
    read_only: int
    variables: int
    """Initialised variables, with the constants on targets that copy those to RAM."""
    zeroed: int


def _sections(elf: ELFFile) -> Iterator[Any]:
    for section in elf.iter_sections():
        if section["sh_flags"] & _ALLOCATED and section["sh_size"]:
            yield section


def program_sizes(path: Path) -> ProgramSizes:
    """Adds up the sections that take memory of a machine."""
    code = read_only = variables = zeroed = 0
    with path.open("rb") as file:
        for section in _sections(ELFFile(file)):
            size, flags = section["sh_size"], section["sh_flags"]
            if section["sh_type"] == "SHT_NOBITS":
                zeroed += 0 if section.name.startswith(".stack") else size
            elif flags & _EXECUTED:
                code += size
            elif flags & _WRITE:
                variables += size
            else:
                read_only += size
    return ProgramSizes(code, read_only, variables, zeroed)


def state_bytes_of(path: Path, kernel: KernelSources) -> int | None:
    """Bytes of a key state or a schedule, from the implementation's table; None for a hash.

    `jm_bench_offsets` in the program has their offsets in the table.
    """
    elf = ELFFile(io.BytesIO(path.read_bytes()))
    table, offsets = symbol_address(elf, kernel.symbol), symbol_address(elf, "jm_bench_offsets")
    size, _, mac, cipher, _, key_state, _, schedule = (
        int.from_bytes(_bytes_at(elf, offsets + 2 * i, 2), "little")
        for i in range(_POINTER_AND_OFFSETS)
    )
    for pointer_at, within in ((mac, key_state), (cipher, schedule)):
        functions = int.from_bytes(_bytes_at(elf, table + pointer_at, size), "little")
        if functions:
            # On AVR a pointer lacks the bit by which a linker tells RAM from flash.
            space = table & ~0xFFFF if size == 2 else 0
            return int.from_bytes(_bytes_at(elf, (functions | space) + within, size), "little")
    return None


def symbol_address(elf: ELFFile, name: str) -> int:
    """Address of a symbol of a program."""
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for symbol in section.get_symbol_by_name(name) or ():
                return int(symbol["st_value"])
    raise ImplementationError(f"the program has no {name}")


def _bytes_at(elf: ELFFile, address: int, count: int) -> bytes:
    for section in _sections(elf):
        begin = section["sh_addr"]
        if begin <= address and address + count <= begin + section["sh_size"]:
            data: bytes = section.data()
            return data[address - begin : address - begin + count]
    raise ImplementationError(f"the program has nothing at {address:#x}")
