# SPDX-License-Identifier: Apache-2.0
"""The candidates of a search: each compiler of this machine with each set of flags."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened
from joulemark.own_code import Code
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.building import Compiler, find_compiler
from joulemark.processes.tool import Limits

# The sets of compiler flags that a search tries, in the order in which it tries them.
#
# Every set wraps signed overflow and leaves the frame pointer out, as SUPERCOP's compilers do, for
# much of its code is written for that. All are understood by gcc and by clang.

_COMMON: Final = ("-fomit-frame-pointer", "-fwrapv")


@dataclass(frozen=True, slots=True)
class FlagSet:
    """Flags with a name."""

    name: str
    """A short name, of the signs that a name of a variant may have."""
    flags: tuple[str, ...]
    reason: str
    """Why the set is worth a try."""


USUAL: Final = FlagSet(
    "O3-native",
    ("-O3", "-march=native", "-mtune=generic", *_COMMON),
    "all instructions of this CPU, and the tuning of none",
)
FLAG_SETS: Final = (
    USUAL,
    FlagSet(
        "O3-baseline",
        ("-O3", "-mtune=generic", *_COMMON),
        "the instructions that every CPU of this kind has",
    ),
    FlagSet(
        "O2-native",
        ("-O2", "-march=native", "-mtune=generic", *_COMMON),
        "less is unrolled, so more stays in the instruction cache",
    ),
    FlagSet(
        "Os-native",
        ("-Os", "-march=native", "-mtune=generic", *_COMMON),
        "loops stay rolled, which short messages pay for less often",
    ),
    FlagSet(
        "O3-native-scalar",
        (
            "-O3",
            "-march=native",
            "-mtune=generic",
            "-fno-tree-vectorize",
            "-fno-tree-slp-vectorize",
            *_COMMON,
        ),
        "a compiler's own vectors are often slower than scalar rounds",
    ),
    FlagSet(
        "O3-native-unrolled",
        ("-O3", "-march=native", "-mtune=generic", "-funroll-loops", *_COMMON),
        "loops of rounds written as loops",
    ),
    FlagSet(
        "O1-native",
        ("-O1", "-march=native", "-mtune=generic", *_COMMON),
        "the order of the source is kept, which hand-scheduled code wants",
    ),
    FlagSet(
        "O3-native-tuned",
        ("-O3", "-march=native", *_COMMON),
        "tuned for the CPU that the compiler takes this one for: gcc 12 takes new CPUs for older "
        "ones, which makes scalar code up to five times slower",
    ),
)
"""The first is the usual one; the last is the trap that a search must show, and must not choose
blindly."""


PLAIN: Final = ("gcc", "clang")
"""Names without a number, in the order in which they are taken."""
_NUMBERED: Final = re.compile(r"(gcc|clang)-(\d{1,3})")
_MOST_NUMBERED: Final = 16
"""Most numbered compilers that are tried; others can be named with --compiler."""


@dataclass(frozen=True, slots=True)
class CompilerCandidate:
    """A compiler with a set of flags."""

    compiler: Compiler
    flag_set: FlagSet

    @property
    def name(self) -> str:
        """The name for people, such as `gcc O3-native`."""
        return f"{self.compiler.name} {self.flag_set.name}"

    @property
    def suffix(self) -> str:
        """The end of the name of a variant, such as `gcc-O3-native`."""
        return f"{self.compiler.name}-{self.flag_set.name}"

    @property
    def flags(self) -> str:
        """The flags in one line."""
        return " ".join(self.flag_set.flags)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search for the fastest candidate of some code."""

    code: Code
    request: CodeRequest
    """The implementation to be made; its flags are ignored."""
    candidates: tuple[CompilerCandidate, ...]
    """At least one candidate; the first is the usual one."""
    sizes_bytes: tuple[int, ...]
    budget_s: float
    """Wall time of the search: of compiling, checking and timing together."""
    cpu: int | None = None
    """CPU to measure on; the least busy one unless given."""
    begun_s: float = field(default_factory=time.monotonic)
    """Moment of the monotonic clock at which the budget begins."""

    @property
    def end_s(self) -> float:
        """Moment of the monotonic clock at which the budget ends."""
        return self.begun_s + self.budget_s


def compilers_here(asked: Sequence[str], limits: Limits) -> list[Compiler]:
    """The compilers that were named, or gcc, clang and every `gcc-NN` and `clang-NN` there is.

    A program with two names is taken once, under the first.
    """
    if asked:
        return [find_compiler(name, limits) for name in dict.fromkeys(asked)]
    names = _names_in_path()
    if not names:
        return [find_compiler(None, limits)]
    compilers: dict[tuple[str, str], Compiler] = {}
    for name in names:
        compiler = find_compiler(name, limits)
        # A starter such as ccache is the same program for all compilers. They differ by their
        # version, whose first word is the name under which the starter was called.
        same = os.path.realpath(compiler.program), compiler.version.partition(" ")[2]
        compilers.setdefault(same, compiler)
    return list(compilers.values())


def _names_in_path() -> list[str]:
    """`gcc` and `clang`, then the numbered ones, newest first."""
    plain: set[str] = set()
    numbered: set[tuple[str, int]] = set()
    for folder in os.get_exec_path():
        with suppress(OSError):
            for path in Path(folder or ".").iterdir():
                number = _NUMBERED.fullmatch(path.name)
                if path.name not in PLAIN and number is None:
                    continue
                if not (os.access(path, os.X_OK) and path.is_file()):
                    continue
                if number is None:
                    plain.add(path.name)
                else:
                    numbered.add((number[1], int(number[2])))
    newest = sorted(numbered, key=lambda version: (PLAIN.index(version[0]), -version[1]))
    return [
        *(name for name in PLAIN if name in plain),
        *(f"{family}-{number}" for family, number in newest[:_MOST_NUMBERED]),
    ]


def flag_sets_named(names: Sequence[str]) -> list[FlagSet]:
    """Sets of the table by their names, in the order of the table; without a name all sets."""
    known = {flags.name: flags for flags in FLAG_SETS}
    for name in names:
        if name not in known:
            raise UsageError(
                f"--flag-set {shortened(name)}: there is no such set{did_you_mean(name, known)}; "
                f"the sets are {', '.join(known)}"
            )
    return [flags for flags in FLAG_SETS if not names or flags.name in names]
