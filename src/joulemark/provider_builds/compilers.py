# SPDX-License-Identifier: Apache-2.0
"""The programs that a build needs, and the error for a missing program."""

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
"""Longest wait for a compiler's version, which takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs of a build."""

    cmake: str
    generator: str
    """CMake's name of the generator."""
    compilers: tuple[str, str]
    """Compilers of C and of C++."""

    def versions(self) -> str:
        """Versions of both compilers, as they print them; another compiler makes other plugins."""
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
    """Finds the programs by the variables CC and CXX, on the search path, or beside this Python.

    Raises:
        UnavailableError: a program is missing; the message names its Debian package.
    """
    cmake = _find("cmake") or _missing("CMake", "cmake", "pip install cmake")
    c = _compiler("CC", ("cc", "gcc", "clang")) or _missing("a C compiler", "gcc")
    cxx = _compiler("CXX", ("c++", "g++", "clang++")) or _missing("a C++ compiler", "g++")
    if _find("ninja"):
        generator = "Ninja"
    elif _find("make"):
        generator = "Unix Makefiles"
    else:
        _missing("make", "make", "pip install ninja")
    return Tools(cmake, generator, (c, cxx))


def _compiler(variable: str, names: tuple[str, ...]) -> str | None:
    try:
        words = shlex.split(os.environ.get(variable, ""))
    except ValueError as error:
        raise UnavailableError(f"{variable}: {str(error).lower()}; close it") from None
    return next(filter(None, map(_find, words[:1] or names)), None)


def _find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _missing(what: str, package: str, other: str | None = None) -> str:
    remedy = f"on Debian or Ubuntu: apt-get install {package}" + (f" (or {other})" if other else "")
    raise UnavailableError(f"the providers cannot be built, {what} was not found; {remedy}")
