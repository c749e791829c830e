# SPDX-License-Identifier: Apache-2.0
"""Compilers of this machine, run within limits, and their complaints, fit to be shown."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.foreign.text import shortened
from joulemark.processes.limits import Limits, run_limited
from joulemark.processes.tool import ToolOutput
from joulemark.processes.variables import named_variables

_USUAL: Final = ("gcc", "clang", "cc")
"""Compilers that are taken if none is named, the first that is here."""
_VERSION_S: Final = 10.0
"""Limit of `--version`, which a compiler answers at once."""
_MOST_LINES: Final = 5
_LINE_CHARACTERS: Final = 300
_TELLING: Final = ("error:", "undefined reference", "undefined symbol", "multiple definition")
_NOT_TELLING: Final = "ld returned"
"""A line of gcc that repeats the linker's error without its reason."""


class CompileError(JoulemarkError):
    """Sources that this compiler does not take.

    Args:
        sentence: says which sources.
        lines: the first errors in the compiler's words, without signs that a terminal would obey.
    """

    def __init__(self, sentence: str, lines: Sequence[str]) -> None:
        super().__init__(sentence)
        self.lines = tuple(lines)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler of C."""

    program: str
    """Path of the program."""
    name: str
    """The name that was asked for, such as `gcc`."""
    version: str
    """First line of its answer to `--version`."""
    limits: Limits

    def run(self, arguments: Sequence[str], scratch: Path, doing: str) -> ToolOutput:
        """Runs the compiler.

        Args:
            arguments: without the program.
            scratch: a folder for its temporary files.
            doing: the beginning of the error's sentence: "gcc, compiling mine.c,".
        """
        environment = named_variables({"LC_ALL": "C", "TMPDIR": str(scratch)})
        try:
            return run_limited([self.program, *arguments], self.limits, environment=environment)
        except subprocess.TimeoutExpired:
            raise CompileError(f"{doing} was ended after {self.limits.seconds:g} s", ()) from None


def find_compiler(name: str | None, limits: Limits) -> Compiler:
    """The compiler of that name; None: the usual one."""
    names = _USUAL if name is None else (name,)
    path = next(filter(None, (shutil.which(command) for command in names if command)), None)
    if path is None:
        where = "no C compiler is" if name is None else f"--compiler {shortened(name)} is not"
        package = name if name in _USUAL[:2] else "gcc"
        raise UnavailableError(
            f"{where} installed here: on Debian or Ubuntu apt-get install {package}"
        )
    name = name or Path(path).name
    try:
        said = run_limited([path, "--version"], replace(limits, seconds=_VERSION_S))
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{shortened(name, 200)} --version does not end within {_VERSION_S:g} s; name another "
            "compiler with --compiler"
        ) from None
    lines = said.output.splitlines() or [name]
    return Compiler(path, Path(name).name, shortened(lines[0], 100), limits)


def complaints(said: ToolOutput, hidden: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The first lines that say what is wrong; if no line does, the last lines.

    Args:
        said: output of a compiler or a linker.
        hidden: paths of ours, and the user's names for them.
    """
    text = said.errors or said.output
    for path, shown in hidden:
        text = text.replace(path, shown)
    lines = [line for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if _NOT_TELLING not in line] or lines
    telling = [line for line in lines if any(word in line for word in _TELLING)]
    chosen = telling[:_MOST_LINES] or lines[-_MOST_LINES:]
    return [shortened(line, _LINE_CHARACTERS) for line in chosen]
