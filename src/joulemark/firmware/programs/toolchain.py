# SPDX-License-Identifier: Apache-2.0
"""The compiler of a target: whether it is installed, and its version."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from joulemark.firmware.programs.target import Target
from joulemark.processes.tool import ask_tool

__all__ = ["compiler_version", "missing_tool"]


def missing_tool(target: Target) -> str | None:
    """The first tool for this target that this machine lacks, with its package; None if none."""
    tools = target.toolchain
    for program, package in ((tools.compiler, tools.package), (tools.linker, tools.linker_package)):
        if program is not None and shutil.which(program) is None:
            return f"needs {program} (apt-get install {package})"
    for package, file in tools.headers.items():
        if not Path(file).exists():
            return f"needs {package} (apt-get install {package})"
    return None


@cache
def compiler_version(compiler: str) -> str:
    """The first line that the compiler prints about itself."""
    said = ask_tool([compiler, "--version"], timeout_s=20.0)
    return said.output.splitlines()[0].strip() if said.output.strip() else compiler
