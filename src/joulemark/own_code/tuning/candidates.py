# SPDX-License-Identifier: Apache-2.0
"""What a search tries: each compiler of this machine with each set of flags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.compilers import Compiler, find_compiler
from joulemark.own_code.flag_sets import FLAG_SETS, FlagSet
from joulemark.processes.limits import Limits
from joulemark.spelling import did_you_mean

__all__ = ["Candidate", "candidates_of", "compilers_here", "flag_sets_named", "own_flag_sets"]

_PLAIN: Final = ("gcc", "clang")
_NUMBERED: Final = re.compile(r"(gcc|clang)-(\d{1,3})")
_MOST_NUMBERED: Final = 16
"""A machine with more compilers than that has them by name, with --compiler."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A compiler with a set of flags."""

    compiler: Compiler
    flag_set: FlagSet

    @property
    def name(self) -> str:
        """For people: `gcc O3-native`."""
        return f"{self.compiler.name} {self.flag_set.name}"

    @property
    def suffix(self) -> str:
        """Of the name of a variant: `gcc-O3-native`."""
        return f"{self.compiler.name}-{self.flag_set.name}"

    @property
    def flags(self) -> str:
        """The flags in one line."""
        return " ".join(self.flag_set.flags)


def compilers_here(asked: Sequence[str], limits: Limits) -> list[Compiler]:
    """The compilers that were named; else gcc, clang and every `gcc-NN` and `clang-NN` there is.

    One program under two names is taken once, under the first.

    Raises:
        UnavailableError: one that was named is not here, or there is none at all.
    """
    if asked:
        return [find_compiler(name, limits) for name in dict.fromkeys(asked)]
    names = _names_in_path()
    if not names:
        return [find_compiler(None, limits)]
    found: dict[tuple[str, str], Compiler] = {}
    for name in names:
        compiler = find_compiler(name, limits)
        # A starter such as ccache is one program for all; what it starts differs by its version,
        # whose first word is the name it was called by.
        same = os.path.realpath(compiler.program), compiler.version.partition(" ")[2]
        found.setdefault(same, compiler)
    return list(found.values())


def _names_in_path() -> list[str]:
    """`gcc` and `clang`, then the numbered ones, newest first."""
    plain: set[str] = set()
    numbered: set[tuple[str, int]] = set()
    for folder in os.get_exec_path():
        try:
            entries = [path for path in Path(folder or ".").iterdir() if _is_compiler(path.name)]
        except OSError:
            continue
        for entry in entries:
            if not (os.access(entry, os.X_OK) and entry.is_file()):
                continue
            if number := _NUMBERED.fullmatch(entry.name):
                numbered.add((number[1], int(number[2])))
            else:
                plain.add(entry.name)
    newest = sorted(numbered, key=lambda version: (version[0] != "gcc", -version[1]))[
        :_MOST_NUMBERED
    ]
    return [*(name for name in ("gcc", "clang") if name in plain),
            *(f"{family}-{number}" for family, number in newest)]  # fmt: skip


def _is_compiler(name: str) -> bool:
    return name in _PLAIN or _NUMBERED.fullmatch(name) is not None


def flag_sets_named(names: Sequence[str]) -> list[FlagSet]:
    """Sets of the table by their names, in the table's order; all of them without a name.

    Raises:
        UsageError: there is no such set.
    """
    known = {flags.name: flags for flags in FLAG_SETS}
    for name in names:
        if name not in known:
            raise UsageError(
                f"--flag-set {shortened(name)}: there is no such set{did_you_mean(name, known)}; "
                f"the sets are {', '.join(known)}"
            )
    return [flags for flags in FLAG_SETS if not names or flags.name in names]


def own_flag_sets(given: Iterable[Sequence[str]]) -> list[FlagSet]:
    """Sets of the user's, named by their place."""
    return [
        FlagSet(f"yours-{number}", tuple(flags), "of your own")
        for number, flags in enumerate(given, 1)
    ]


def candidates_of(compilers: Sequence[Compiler], sets: Sequence[FlagSet]) -> list[Candidate]:
    """Each compiler with each set; the first is the usual one, to which others are compared."""
    return [Candidate(compiler, flags) for compiler in compilers for flags in sets]
