# SPDX-License-Identifier: Apache-2.0
"""Prepares the tools that compile themselves when they first start: `python -m` this module.

`make core-tools` and `make test` do, so that no first proof and no first placement waits for it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from joulemark.errors import UnavailableError
from joulemark.hardware.place.device import DEVICES
from joulemark.hardware.place.nextpnr import tool_of
from joulemark.hardware.tools.formal import SOLVER
from joulemark.hardware.tools.wasm_tools import start_words

__all__ = ["main"]


def main() -> int:
    """Prepares what is installed; 2 where something cannot be."""
    for tool in (SOLVER, *map(tool_of, DEVICES.values())):
        if find_spec(tool.module) is None:
            continue
        try:
            start_words(tool, lambda text: print(text, flush=True))
        except UnavailableError as error:
            print(f"error: {error}", file=sys.stderr)
            return UnavailableError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
