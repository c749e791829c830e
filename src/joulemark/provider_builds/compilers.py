# SPDX-License-Identifier: Apache-2.0
"""Programs that a build needs, and the sentence that names one which is missing."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.processes.tool import ask_tool

__all__ = ["Tools", "find_tools"]

_VERSION_S: Final = 10.0
"""A compiler says which one it is at once."""


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
        return "\n".join(map(_version, self.compilers))


def _version(compiler: str) -> str:
    try:
        return ask_tool([compiler, "--version"], timeout_s=_VERSION_S).output
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{compiler} --version does not end within {_VERSION_S:g} s; name another compiler "
            "with CC and CXX"
        ) from None


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
    try:
        given = shlex.split(os.environ.get(variable, ""))
    except ValueError as error:
        raise UnavailableError(f"{variable}: {str(error).lower()}; close it") from None
    return next(filter(None, map(_found, given[:1] or names)), None)


def _found(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _missing(what: str, package: str, other: str | None = None) -> str:
    remedy = f"on Debian or Ubuntu: apt-get install {package}" + (f" (or {other})" if other else "")
    raise UnavailableError(f"the providers cannot be built, {what} was not found; {remedy}")
