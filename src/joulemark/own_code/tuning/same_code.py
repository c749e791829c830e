# SPDX-License-Identifier: Apache-2.0
"""A digest of machine code, by which two shared objects are known to have the same code.

Two sets of flags often make the same code, and two measurements of it would be told apart by chance
sooner or later. All that is loaded is compared: code, constants, data and their relocations,
section by section. Names of files, notes and lines for a debugger are left out.
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["code_digest"]

_MAGIC: Final = b"\x7fELF\x02\x01"
"""ELF of 64 bits, little-endian: Tool Interface Standard, ELF 1.2, and the System V ABI, "ELF-64
Object File Format", figures 1 and 2, which the layouts below are of."""
_HEADER: Final = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_LOADED: Final = 2
"""SHF_ALLOC."""
_EMPTY: Final = 8
"""SHT_NOBITS: zeroed memory, of which a file has the size alone."""
_LEFT_OUT: Final = (b".note", b".gnu.hash", b".eh_frame")
"""A build's number; and how a debugger walks the stack, which no call reads."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int


def code_digest(path: Path) -> str | None:
    """SHA-256 of all that a shared object loads, in hexadecimal.

    Returns:
        None if the file is no ELF of 64 bits, or damaged.
    """
    try:
        return _digest(path.read_bytes())
    except (OSError, struct.error, ValueError):
        return None


def _digest(content: bytes) -> str | None:
    if not content.startswith(_MAGIC):
        return None
    (_, _, _, _, _, at, _, _, _, _, size, count, names_at) = _HEADER.unpack_from(content)
    if not at or size < _SECTION.size or names_at >= count:
        return None
    sections = [
        _Section(*_SECTION.unpack_from(content, at + number * size)[:6]) for number in range(count)
    ]
    names = _content(content, sections[names_at])
    digest = hashlib.sha256()
    for section in sections:
        name = names[section.name : names.index(b"\0", section.name)]
        if not section.flags & _LOADED or name.startswith(_LEFT_OUT):
            continue
        digest.update(b"%s %d %d\0" % (name, section.kind, section.size))
        if section.kind != _EMPTY:
            digest.update(_content(content, section))
    return digest.hexdigest()


def _content(content: bytes, section: _Section) -> bytes:
    part = content[section.offset : section.offset + section.size]
    if len(part) != section.size:
        raise ValueError("a section ends behind the file")
    return part
