# SPDX-License-Identifier: Apache-2.0
"""The paper's two programs as C functions, called through ctypes as its authors called theirs."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import UnavailableError

PROGRAMS: Final = {"standard": 0, "ecm_j1": 1, "ecm_j8": 8}
"""Program -> its jump; the standard program, which has no page table, has 0."""

_TAG_BYTES: Final = 32


class CastellonLibrary:
    """`libcastellon2022.so`, as installed with Joulemark (bindings/castellon2022/called.c).

    Args:
        path: another shared object than the installed one.

    Raises:
        UnavailableError: the shared object is not there or cannot be loaded.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_folder("libraries") / "libcastellon2022.so"
        try:
            self._library = ctypes.CDLL(str(self.path))
        except OSError as error:
            raise UnavailableError(
                f"the paper's programs cannot be loaded ({error}); run make setup to build them"
            ) from error
        text, address, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
        for name in (*PROGRAMS, "nothing"):
            self.function(name).argtypes = [text, size, text, size, text]
        self._visit = self._library.castellon2022_visit
        self._visit.argtypes = [size, text, size, address, size, address, size, text]
        self._read = self._library.castellon2022_read
        self._read.argtypes = [address, size, address, size]
        self._read.restype = ctypes.c_uint64

    def function(self, name: str) -> ctypes._NamedFuncPointer:
        """Returns a program, or `nothing`, of (key, key bytes, message, message bytes, tag)."""
        program: ctypes._NamedFuncPointer = getattr(self._library, f"castellon2022_{name}")
        return program

    def tag(self, name: str, key: bytes, message: bytes) -> bytes:
        """Computes one HMAC by the named program."""
        tag = ctypes.create_string_buffer(_TAG_BYTES)
        self.function(name)(key, len(key), message, len(message), tag)
        return tag.raw

    def visit(
        self, name: str, key: bytes, buffer: int, message_bytes: int, offsets: int, count: int
    ) -> bytes:
        """Tags messages in a buffer one after the other, and returns the xor of their tags.

        Args:
            name: the program.
            key: the key, which is set up once.
            buffer: address of the buffer.
            message_bytes: length of each message.
            offsets: address of `count` byte offsets, each 8 bytes, all within the buffer.
            count: number of messages.
        """
        mixed = ctypes.create_string_buffer(_TAG_BYTES)
        self._visit(PROGRAMS[name], key, len(key), buffer, message_bytes, offsets, count, mixed)
        return mixed.raw

    def read(self, buffer: int, message_bytes: int, offsets: int, count: int) -> int:
        """Reads the same messages in the same order without hashing, and returns the sum of it."""
        total: int = self._read(buffer, message_bytes, offsets, count)
        return total
