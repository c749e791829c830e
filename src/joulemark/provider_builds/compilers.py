# SPDX-License-Identifier: Apache-2.0
"""Programs that a build needs, and the sentence that names one which is missing."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import UnavailableError
from joulemark.processes.tool import ask_tool

__all__ = ["Tools", "find_tools"]


@dataclass(frozen=True, slots=True)
class Tools:
    """What was found."""

    cmake: str
    generator: str
    """As CMake names it."""
    compilers: tuple[str, str]
    """Of C and of C++."""

    def versions(self) -> str:
        """What the compilers say of themselves: another compiler makes other plugins."""
        return "\n".join(ask_tool([one, "--version"]).output for one in self.compilers)


def find_tools() -> Tools:
    """The programs, from the variables CC and CXX, the search path, or beside this Python.

    Raises:
        UnavailableError: one is missing; the sentence names the Debian package that brings it.
    """
    cmake = _found("cmake") or _missing("CMake", "cmake", "pip install cmake")
    c = _compiler("CC", ("cc", "gcc", "clang")) or _missing("a C compiler", "gcc")
    cxx = _compiler("CXX", ("c++", "g++", "clang++")) or _missing("a C++ compiler", "g++")
    if _found("ninja"):
        generator = "Ninja"
    elif _found("make"):
        generator = "Unix Makefiles"
    else:
        _missing("make", "make", "pip install ninja")
    return Tools(cmake, generator, (c, cxx))


def _compiler(variable: str, names: tuple[str, ...]) -> str | None:
    given = shlex.split(os.environ.get(variable, ""))
    return next(filter(None, map(_found, given[:1] or names)), None)


def _found(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _missing(what: str, package: str, other: str | None = None) -> str:
    remedy = f"on Debian or Ubuntu: apt-get install {package}" + (f" (or {other})" if other else "")
    raise UnavailableError(f"the providers cannot be built, {what} was not found; {remedy}")
