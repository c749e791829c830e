# SPDX-License-Identifier: Apache-2.0
"""Where a key comes from: a file or an environment variable, never the command line.

Every user of the machine can read a command line (`ps`), and it stays in the shell's history; so no
option takes key material, and no message repeats any.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from joulemark.errors import KeySourceError, UsageError

__all__ = ["KeySource", "key_lengths", "key_source"]

_LARGEST_BYTES: Final = 1 << 20
_OTHERS_MAY_READ: Final = stat.S_IRGRP | stat.S_IROTH
_NIBBLES: Final = {ord(sign): int(sign, 16) for sign in "0123456789abcdefABCDEF"}


@dataclass(frozen=True, slots=True)
class KeySource:
    """The source of a key that the user names; exactly one of `file` and `variable` is set."""

    file: str | None
    variable: str | None
    hexadecimal: bool
    warn: Callable[[str], None]
    """Takes a sentence about a key that is doubtful."""

    @property
    def name(self) -> str:
        """The source's name in sentences."""
        return f"key file {self.file}" if self.file is not None else f"variable {self.variable}"

    def is_standard_input(self) -> bool:
        """Whether reading the key uses up standard input, as with `--key-file /dev/stdin`."""
        if self.file is None:
            return False
        try:
            return os.path.samestat(os.stat(self.file), os.fstat(0))  # noqa: PTH116 - as typed
        except (OSError, ValueError):
            return False

    @contextmanager
    def key(self) -> Iterator[bytearray]:
        """Yields the key, and overwrites it with zeros when the context ends.

        That wipes this copy; the native module reads it in place, and its key state and stream
        wipe themselves. A variable remains where Python and the system keep the environment, and
        in text and bytes that Python makes of it, which are freed but cannot be overwritten.

        Raises:
            KeySourceError: the key cannot be read, is empty, too long, or not hexadecimal.
        """
        raw = self._from_file() if self.file is not None else self._from_variable()
        key = raw
        try:
            if self.hexadecimal:
                key = self._decode(raw)
            if not key:
                raise KeySourceError(f"{self.name} is empty; an empty key protects nothing")
            if not self.hexadecimal and self.file is not None:
                self._warn_of_newline(key)
            yield key
        finally:
            for copy in (raw, key):
                copy[:] = bytes(len(copy))

    def _from_variable(self) -> bytearray:
        value = os.environ.get(self.variable or "")
        if value is None:
            raise KeySourceError(f"there is no environment variable {self.variable}; "
                                 "set and export it, or use --key-file")  # fmt: skip
        return bytearray(os.fsencode(value))

    def _from_file(self) -> bytearray:
        path = self.file or ""
        try:
            # Unbuffered, so that no buffer of Python's own keeps a copy.
            with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - "" is not Path("")
                mode = os.fstat(stream.fileno()).st_mode
                if stat.S_ISREG(mode) and mode & _OTHERS_MAY_READ:
                    self.warn(f"other users may read {self.name} "
                        f"(mode {stat.S_IMODE(mode):04o}); chmod 600 would mend it")  # fmt: skip
                return self._read(stream)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise KeySourceError(f"{self.name} cannot be read ({reason})") from None

    def _read(self, stream: Any) -> bytearray:
        buffer = bytearray(_LARGEST_BYTES + 1)
        filled = 0
        with memoryview(buffer) as view:
            while filled < len(buffer) and (count := stream.readinto(view[filled:])):
                filled += count
        key = bytearray(min(filled, _LARGEST_BYTES))
        for at in range(len(key)):  # byte by byte: a copy at once stays in vector registers
            key[at] = buffer[at]
        buffer[:] = bytes(len(buffer))
        if filled > _LARGEST_BYTES:
            key[:] = bytes(len(key))
            raise KeySourceError(f"{self.name} holds more than 1 MiB; that is not a key")
        return key

    def _decode(self, text: bytearray) -> bytearray:
        digits = sum(not chr(sign).isspace() for sign in text)
        if digits % 2:
            raise KeySourceError(f"{self.name} holds an odd number of hexadecimal digits")
        key = bytearray(digits // 2)  # at full length: an array that grows leaves copies behind
        at = 0
        try:
            for sign in text:
                if not chr(sign).isspace():
                    key[at // 2] = key[at // 2] << 4 | _NIBBLES[sign]
                    at += 1
        except KeyError:
            key[:] = bytes(len(key))
            raise KeySourceError(f"{self.name} does not hold hexadecimal digits alone, "
                                 "as --key-hex says it does") from None  # fmt: skip
        return key

    def _warn_of_newline(self, key: bytearray) -> None:
        """Warns of text with a newline at its end, which `echo` or an editor most likely wrote."""
        if key.endswith(b"\n") and all(32 <= sign < 127 or sign in b"\r\n\t" for sign in key):
            self.warn(f"{self.name} is text and its last newline counts as part of the key")


def key_source(
    file: str | None, variable: str | None, *, hexadecimal: bool, warn: Callable[[str], None]
) -> KeySource:
    """The source that the options name.

    Raises:
        UsageError: the options name no source, or two.
    """
    if (file is None) == (variable is None):
        raise UsageError(
            "give the key by --key-file or by --key-env"
            + ("" if file is None else ", not by both")
            + "; it is never read from the command line"
        )
    return KeySource(file, variable, hexadecimal, warn)


def key_lengths(least: int, most: int | None) -> str:
    """Key lengths that an implementation takes, as in "16 bytes" or "any length"."""
    if least == most:
        return f"{least} bytes"
    if most is None:
        return f"at least {least} bytes" if least else "any length"
    return f"{least} to {most} bytes"
