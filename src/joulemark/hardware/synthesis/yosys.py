# SPDX-License-Identifier: Apache-2.0
"""Runs a Yosys script in a separate process, with the Yosys that the package pyosys brings.

A separate process, because Yosys keeps its design and its log for the whole process and ends the
process on an error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.core.manifest import Core
from joulemark.processes.tool import run_tool

_TIMEOUT_S = 3600.0
_CHILD = """\
import sys
from pyosys import libyosys
design = libyosys.Design()
for line in open(sys.argv[1], encoding="utf-8"):
    libyosys.run_pass(line.rstrip("\\n"), design)
"""


def run_yosys(commands: Sequence[str], folder: Path, *, name: str = "synthesis") -> None:
    """Runs these commands in order, with `folder` as the working folder.

    The script stays there as `<name>.ys`, the log as `<name>.log`.
    """
    yosys_version()
    folder.mkdir(parents=True, exist_ok=True)
    script, log = folder / f"{name}.ys", folder / f"{name}.log"
    script.write_text("".join(f"{command}\n" for command in commands), "utf-8")
    with log.open("w", encoding="utf-8") as output:
        try:
            code = run_tool(
                [sys.executable, "-c", _CHILD, str(script.resolve())],
                folder=folder,
                output=output,
                timeout_s=_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            raise ImplementationError(f"Yosys took longer than {_TIMEOUT_S:g} s", log) from None
    if code != 0:
        text = log.read_text("utf-8", "replace")
        errors = [line.strip() for line in text.splitlines() if "error:" in line.lower()]
        why = errors[0] if errors else f"it ended with code {code}"
        raise ImplementationError(f"Yosys refused the design: {why}", log)


def read_command(core: Core, parameters: Mapping[str, int], *, extra: Sequence[str] = ()) -> str:
    """The command that reads a core's sources with these parameters of its top module.

    `SYNTHESIS` is defined, which drops assertions that only simulators understand, and `#` delays
    are ignored, as in every simulation of a core here.
    """
    words = [
        "read_slang",
        "-D",
        "SYNTHESIS",
        "--ignore-timing",
        "--top",
        core.top,
        *(f"-G {name}={value}" for name, value in parameters.items()),
        *(f"-I {quoted(core.folder / include_folder)}" for include_folder in core.include_folders),
        *extra,
        *map(quoted, core.source_paths()),
    ]
    return " ".join(words)


def modules_of(netlist: Path) -> dict[str, Any]:
    """The modules of a netlist that Yosys wrote as JSON, by name."""
    modules: dict[str, Any] = json.loads(netlist.read_text("utf-8"))["modules"]
    return modules


def quoted(path: Path) -> str:
    """A path as one word of a Yosys command."""
    return f'"{path}"' if " " in str(path) else str(path)


@lru_cache(maxsize=1)
def yosys_version() -> str:
    """Version of the package that brings Yosys."""
    if find_spec("pyosys") is None:
        raise UnavailableError("no Yosys here: pip install pyosys (or make core-tools)")
    return version("pyosys")
