# SPDX-License-Identifier: Apache-2.0
"""Runs `verilator --lint-only -Wall` on every core in hdl/, in each of its named configurations.

Run from the root of the source tree, with Joulemark installed: `python tools/lint_cores.py`. The
test suite lints every combination of parameters; this tool is a quick check after an edit.
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from joulemark.errors import JoulemarkError
from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.verilator import lint


def said_of(core: Core, name: str, folder: Path) -> str:
    """The first warning of one configuration; empty if there is none."""
    try:
        lint(core, core.chosen(core.configurations[name].parameters), folder)
    except JoulemarkError as error:
        return f"{core.name}, {name}: {error}"
    return ""


def main() -> int:
    """Prints Verilator's warnings; returns 1 if there are any, else 0."""
    cores = read_cores(Path("hdl"))
    points = [(core, name) for core in cores for name in core.configurations]
    with (
        tempfile.TemporaryDirectory(prefix="joulemark-lint-") as folder,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        told = [
            pool.submit(said_of, core, name, Path(folder) / f"{core.name}_{name}")
            for core, name in points
        ]
        lines = [line for future in told if (line := future.result())]
    clean = f"{len(points)} configurations of {len(cores)} cores: clean"
    print("\n".join(lines) or clean)
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
