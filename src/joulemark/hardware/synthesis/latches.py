# SPDX-License-Identifier: Apache-2.0
"""Looks for latches in a core before it is mapped onto an FPGA, whose cells have none.

Yosys would build a latch from a lookup table that feeds itself. Such a loop has no timing, so the
scripts of Yosys for FPGAs refuse it, but only after the whole mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis.soundness import CHECK, require_sound
from joulemark.hardware.synthesis.yosys import modules_of, read_command, run_yosys

_LATCHES: Final = frozenset({"$dlatch", "$adlatch", "$dlatchsr", "$sr"})


def require_no_latches(
    core: Core, parameters: Mapping[str, int], device_title: str, folder: Path
) -> None:
    """Refuses a core that keeps bits in latches with these parameters: an FPGA cannot hold them.

    Raises:
        UnavailableError: Yosys is not installed.
        ImplementationError: the core has latches, or does not compile to what it describes.
    """
    run_yosys(
        [
            read_command(core, parameters),
            f"hierarchy -check -top {core.top}",
            "proc",
            *CHECK,
            "write_json latches.json",
        ],
        folder,
        name="latches",
    )
    require_sound(core, folder / "latches.log", folder / "latches.json")
    cells = modules_of(folder / "latches.json")[core.top]["cells"].values()
    bits = sum(len(cell["connections"]["Q"]) for cell in cells if cell["type"] in _LATCHES)
    if bits:
        raise ImplementationError(
            f"{core.name} keeps {bits} bits in latches with these parameters, and {device_title} "
            "has none: take --target asic or generic, or a configuration without latches "
            "(joulemark core list names them)"
        )
