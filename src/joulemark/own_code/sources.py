# SPDX-License-Identifier: Apache-2.0
"""A user's files that are to be compiled."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened

_COMPILED: Final = frozenset({".c", ".S", ".s"})
_DECLARING: Final = frozenset({".c", ".h"})
_CXX: Final = frozenset({".cpp", ".cc", ".cxx", ".C", ".c++", ".hpp", ".hh"})
_IDENTIFIER: Final = re.compile(rb"\b[A-Za-z_]\w*(?=\s*\()")
_MOST_BYTES: Final = 64 << 20
"""Largest source; a file that grows without end is not read without end."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that is compiled, or that declares what is called."""

    given: str
    """The user's name for it."""
    path: Path
    """Absolute path; a link keeps its name, whose ending tells a compiler the language."""

    @property
    def is_compiled(self) -> bool:
        """Whether it is code, not a header."""
        return self.path.suffix in _COMPILED

    @property
    def declares(self) -> bool:
        """Whether C can include it, to see the declaration of a function."""
        return self.path.suffix in _DECLARING


@dataclass(frozen=True, slots=True)
class Code:
    """Files that are compiled into one plugin."""

    files: tuple[SourceFile, ...]
    include_folders: tuple[Path, ...]
    """Absolute paths of folders with headers."""
    function: str
    """The name of the function in C."""

    @property
    def include_flags(self) -> tuple[str, ...]:
        """The folders of headers as flags of a compiler."""
        return tuple(f"-I{folder}" for folder in self.include_folders)

    @property
    def shown_names(self) -> list[tuple[str, str]]:
        """Path of each file, and the user's name for it."""
        return [(str(file.path), file.given) for file in self.files]

    @property
    def file_names(self) -> str:
        """The user's names for the files, in one line."""
        return ", ".join(file.given for file in self.files)


def source_files(given: Sequence[str]) -> tuple[SourceFile, ...]:
    """The files of these names; their endings say what they are."""
    found: list[SourceFile] = []
    for name in given:
        path, shown = Path(name), shortened(name, 200)
        if path.is_dir():
            raise UsageError(f"{shown} is a folder; name the files in it that belong together")
        if not path.is_file():
            raise UsageError(f"{shown}: there is no such file")
        if path.suffix in _CXX:
            raise UsageError(
                f"{shown} is C++, and only C and assembler are compiled here; write a plugin "
                "around it (joulemark new plugin ALGORITHM) and measure it with --plugin"
            )
        if path.suffix not in _COMPILED | _DECLARING:
            raise UsageError(f"{shown}: only files of C (.c, .h) and assembler (.S, .s) are taken")
        if "\n" in str(path.absolute()):
            raise UsageError(f"{shown}: rename it; a line of a compiler ends in the name")
        if not any(path.samefile(before.path) for before in found):
            found.append(SourceFile(name, path.absolute()))
    if not any(source.is_compiled for source in found):
        raise UsageError("name a file to compile: headers alone have no code")
    if not any(source.declares for source in found):
        raise UsageError(
            "name a C file or a header as well, in which the function is declared: assembler "
            "alone does not say what it takes"
        )
    return tuple(found)


def folders_of(given: Sequence[str]) -> tuple[Path, ...]:
    """The absolute paths of folders with headers."""
    for name in given:
        if not Path(name).is_dir():
            raise UsageError(f"--include {shortened(name, 200)}: there is no such folder")
    return tuple(Path(name).resolve() for name in given)


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{path} is larger than {_MOST_BYTES >> 20} MiB, and no source")
    return hashlib.sha256(content).hexdigest()


def identifiers_in(files: Iterable[SourceFile]) -> set[str]:
    """Names before an opening bracket in the files: functions that may have been meant."""
    names: set[bytes] = set()
    for source in files:
        with suppress(OSError), source.path.open("rb") as file:
            names.update(_IDENTIFIER.findall(file.read(_MOST_BYTES)))
    return {name.decode("ascii", "replace") for name in names}
