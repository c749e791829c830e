# SPDX-License-Identifier: Apache-2.0
"""A user's code made into a shared object, file by file, each within limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.own_code.compilers import CompileError, Compiler, complaints
from joulemark.own_code.sources import Code, SourceFile

__all__ = ["Toolchain", "Unit", "linked", "object_of"]

_SHARED: Final = ("-fPIC", "-fvisibility=hidden")
"""So that a function of the user's called `sha256` is not exchanged for that of a library."""
_UNESCAPED_SPACE: Final = re.compile(r"(?<!\\)\s+")
_ESCAPED: Final = re.compile(r"\\([ \t#])")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler with the flags of the user's."""

    compiler: Compiler
    flags: tuple[str, ...]
    scratch: Path
    """Folder of everything that is made."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that was compiled."""

    object: Path
    read: tuple[Path, ...]
    """The files that the compiler read, without those of the system."""


def object_of(
    tools: Toolchain,
    source: Path,
    code: Code,
    *,
    shown: str,
    before: SourceFile | None = None,
    own: bool = False,
) -> Unit:
    """Compiles one file.

    Args:
        tools: compiler and flags.
        source: the file.
        code: where headers are looked for.
        shown: what the user calls it.
        before: a file that stands before it in the same translation unit.
        own: a file of ours: with our headers, and without the user's flags.

    Raises:
        CompileError: it has errors, or takes too long.
    """
    number = len(list(tools.scratch.glob("*.o")))
    made, read = tools.scratch / f"{number}.o", tools.scratch / f"{number}.d"
    flags = ("-std=gnu11", "-O2") if own else tools.flags
    folders = [data_folder("c") / "include"] if own else code.include_folders
    included = ("-include", str(before.path)) if before else ()
    said = tools.compiler.run(
        [
            *flags,
            *_SHARED,
            *(f"-I{folder}" for folder in folders),
            *included,
            "-MMD",
            "-MF",
            str(read),
            "-c",
            str(source),
            "-o",
            str(made),
        ],
        tools.scratch,
        f"{tools.compiler.name}, compiling {shown},",
    )
    if said.code or not made.is_file():
        hidden = [(str(file.path), file.given) for file in code.files]
        raise CompileError(
            f"{shown} is not compiled by {tools.compiler.name}", complaints(said, hidden)
        )
    return Unit(made, _files_read(read, tools.scratch))


def linked(tools: Toolchain, units: Sequence[Unit], code: Code, target: Path) -> None:
    """Makes the shared object.

    Raises:
        CompileError: something that is called is nowhere, or linking takes too long.
    """
    said = tools.compiler.run(
        ["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", *(str(unit.object) for unit in units),
         *tools.flags, "-o", str(target)],
        tools.scratch, f"{tools.compiler.name}, linking,",
    )  # fmt: skip
    if said.code or not target.is_file():
        hidden = [(str(file.path), file.given) for file in code.files]
        raise CompileError(
            f"{', '.join(file.given for file in code.files)} cannot be linked; name the files and "
            "libraries that are missing (libraries in --flags, such as -lm)",
            complaints(said, hidden),
        )


def _files_read(rule: Path, scratch: Path) -> tuple[Path, ...]:
    """The files of a make rule, which is how a compiler lists what it read."""
    try:
        text = rule.read_text("utf-8", "surrogateescape").replace("\\\n", " ")
    except OSError:
        return ()
    words = _UNESCAPED_SPACE.split(text.partition(": ")[2].strip())
    paths = (Path(_ESCAPED.sub(r"\1", word).replace("$$", "$")).resolve() for word in words if word)
    return tuple(path for path in paths if scratch not in path.parents)
