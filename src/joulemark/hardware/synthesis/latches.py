# SPDX-License-Identifier: Apache-2.0
"""Latches of a core, looked for before it is mapped onto an FPGA, whose cells have none.

Yosys would build a latch from a lookup table that feeds itself. Such a loop has no timing, so its
scripts for FPGAs refuse it, after the whole of the mapping.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis.yosys import read_command, run_yosys

__all__ = ["latch_bits", "require_no_latches"]

_LATCHES: Final = frozenset({"$dlatch", "$adlatch", "$dlatchsr", "$sr"})


def latch_bits(core: Core, parameters: Mapping[str, int], folder: Path) -> int:
    """Bits that the core keeps in latches with these parameters; 0 for flip-flops alone.

    Raises:
        UnavailableError: Yosys is not installed.
        ImplementationError: the core does not compile.
    """
    run_yosys(
        [
            read_command(core, parameters), f"hierarchy -check -top {core.top}", "proc", "flatten",
            "opt_clean", "write_json latches.json",
        ],
        folder, name="latches",
    )  # fmt: skip
    top = json.loads((folder / "latches.json").read_text("utf-8"))["modules"][core.top]
    return sum(
        len(cell["connections"]["Q"]) for cell in top["cells"].values() if cell["type"] in _LATCHES
    )


def require_no_latches(
    core: Core, parameters: Mapping[str, int], device_title: str, folder: Path
) -> None:
    """Refuses a core that an FPGA cannot hold.

    Raises:
        UnavailableError: as `latch_bits`.
        ImplementationError: the core has latches, or does not compile.
    """
    bits = latch_bits(core, parameters, folder)
    if bits:
        raise ImplementationError(
            f"{core.name} keeps {bits} bits in latches with these parameters, and {device_title} "
            "has none: take --target asic or generic, or a configuration without latches "
            "(joulemark core list names them)"
        )
