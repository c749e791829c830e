# SPDX-License-Identifier: Apache-2.0
"""A user's files that are to be compiled, read once and named as the user named them."""

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

CXX: Final = frozenset({".cpp", ".cc", ".cxx", ".C", ".c++"})
"""Endings of the names of files in C++."""
COMPILED: Final = frozenset({".c", ".S", ".s"}) | CXX
"""Endings of the names of files that are compiled."""
_BUILT: Final = (".o", ".a")
"""Code that was compiled before: objects, then archives, in which a linker looks for what the
objects need."""
_SHARED_NAME: Final = re.compile(r"\.so(\.[0-9]+)*$")
_DECLARING: Final = frozenset({".c", ".h"})
_CXX_HEADERS: Final = frozenset({".hpp", ".hh", ".hxx", ".h++"})
_IDENTIFIER: Final = re.compile(rb"\b[A-Za-z_]\w*(?=\s*\()")
_MOST_BYTES: Final = 64 << 20
"""Largest source; a file that grows without end is not read without end."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that is compiled or linked, or that declares what is called."""

    given: str
    """The user's name for it."""
    path: Path
    """Absolute path; a link keeps its name, whose ending tells a compiler the language."""

    @property
    def is_compiled(self) -> bool:
        """Whether it is code, not a header."""
        return self.path.suffix in COMPILED

    @property
    def is_cxx(self) -> bool:
        """Whether a compiler of C++ is needed."""
        return self.path.suffix in CXX

    @property
    def is_built(self) -> bool:
        """Whether it was compiled before, and becomes a part of the plugin."""
        return self.path.suffix in _BUILT

    @property
    def is_shared(self) -> bool:
        """Whether it is a shared library, of which a copy lies beside the plugin."""
        return bool(_SHARED_NAME.search(self.path.name))

    @property
    def has_code(self) -> bool:
        """Whether it is compiled or linked, and is not a header alone."""
        return self.is_compiled or self.is_built or self.is_shared

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
    """The name of the function in C; of a stream those of init, update and final, with commas."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names, one by one."""
        return tuple(self.function.split(","))

    @property
    def has_cxx(self) -> bool:
        """Whether some of it is C++, whose compiler then links."""
        return any(file.is_cxx for file in self.files)

    @property
    def built(self) -> list[Path]:
        """Objects and archives, in the order in which a linker wants them."""
        found = [file.path for file in self.files if file.is_built]
        return sorted(found, key=lambda path: _BUILT.index(path.suffix))

    @property
    def shared(self) -> list[Path]:
        """Shared libraries."""
        return [file.path for file in self.files if file.is_shared]

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


def source_files(given: Sequence[str], folder: Path | None = None) -> tuple[SourceFile, ...]:
    """The files of these names, in that folder or in ours; their endings say what they are."""
    found: list[SourceFile] = []
    for name in given:
        path, shown = (folder or Path()) / name, shortened(name, 200)
        if path.is_dir():
            raise UsageError(f"{shown} is a folder; name the files in it that belong together")
        if not path.is_file():
            raise UsageError(f"{shown}: there is no such file")
        if path.suffix in _CXX_HEADERS:
            raise UsageError(
                f"{shown} is a header of C++, and the function is called from C: declare it in a "
                'header (.h) as extern "C", between #ifdef __cplusplus and #endif'
            )
        source = SourceFile(name, path.absolute())
        if not (source.has_code or source.declares):
            raise UsageError(
                f"{shown}: only C (.c, .h), C++ (.cpp, .cc, .cxx), assembler (.S, .s) and compiled "
                "code (.o, .a, .so) are taken"
            )
        if "\n" in str(path.absolute()):
            raise UsageError(f"{shown}: rename it; a line of a compiler ends in the name")
        if not any(path.samefile(before.path) for before in found):
            found.append(source)
    if not any(source.has_code for source in found):
        raise UsageError("name a file to compile or to link: headers alone have no code")
    if not any(source.declares for source in found):
        raise UsageError(
            "name a C file or a header (.h) as well, in which the function is declared: C++, "
            "assembler and compiled code do not say which arguments C has to give"
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
