# SPDX-License-Identifier: Apache-2.0
"""A user's code made into a shared object; the compiler runs within limits for each file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.own_code.compilers import CompileError, Compiler, complaints
from joulemark.own_code.sources import Code, SourceFile

_SHARED: Final = ("-fPIC", "-fvisibility=hidden")
"""The linker then cannot take a library's function for a user's function of the same name."""
_UNESCAPED_SPACE: Final = re.compile(r"(?<!\\)\s+")
_ESCAPED: Final = re.compile(r"\\([ \t#])")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler with the user's flags."""

    compiler: Compiler
    flags: tuple[str, ...]
    scratch: Path
    """Folder of everything that is compiled."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A compiled file."""

    object: Path
    read: tuple[Path, ...]
    """Files that the compiler read, without those of the system."""


def compile_file(
    tools: Toolchain,
    source: Path,
    code: Code,
    *,
    shown: str,
    before: SourceFile | None = None,
    own: bool = False,
) -> Unit:
    """Compiles a file.

    Args:
        tools: compiler and flags.
        source: the file.
        code: the user's code, with the folders of its headers.
        shown: the user's name for the file.
        before: a file that stands before it in the same translation unit.
        own: whether it is a file of ours: with our headers, and without the user's flags.
    """
    number = len(list(tools.scratch.glob("*.o")))
    target, read = tools.scratch / f"{number}.o", tools.scratch / f"{number}.d"
    flags = ("-std=gnu11", "-O2") if own else tools.flags
    includes = (f"-I{data_folder('c') / 'include'}",) if own else code.include_flags
    included = ("-include", str(before.path)) if before else ()
    said = tools.compiler.run(
        [
            *flags,
            *_SHARED,
            *includes,
            *included,
            "-MMD",
            "-MF",
            str(read),
            "-c",
            str(source),
            "-o",
            str(target),
        ],
        tools.scratch,
        f"{tools.compiler.name}, compiling {shown},",
    )
    if said.code or not target.is_file():
        raise CompileError(
            f"{shown} is not compiled by {tools.compiler.name}", complaints(said, code.shown_names)
        )
    return Unit(target, _files_read(read, tools.scratch))


def link(tools: Toolchain, units: Sequence[Unit], code: Code, target: Path) -> None:
    """Makes the shared object."""
    said = tools.compiler.run(
        [
            "-shared",
            "-Wl,-Bsymbolic",
            "-Wl,-z,defs",
            *(str(unit.object) for unit in units),
            *tools.flags,
            "-o",
            str(target),
        ],
        tools.scratch,
        f"{tools.compiler.name}, linking,",
    )
    if said.code or not target.is_file():
        raise CompileError(
            f"{code.file_names} cannot be linked; name the files and libraries that are missing "
            "(libraries in --flags, such as -lm)",
            complaints(said, code.shown_names),
        )


def _files_read(rule: Path, scratch: Path) -> tuple[Path, ...]:
    """The files of a make rule, in which a compiler lists the files that it read."""
    try:
        text = rule.read_text("utf-8", "surrogateescape").replace("\\\n", " ")
    except OSError:
        return ()
    words = _UNESCAPED_SPACE.split(text.partition(": ")[2].strip())
    paths = (Path(_ESCAPED.sub(r"\1", word).replace("$$", "$")).resolve() for word in words if word)
    return tuple(path for path in paths if scratch not in path.parents)
