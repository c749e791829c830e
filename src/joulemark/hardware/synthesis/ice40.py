# SPDX-License-Identifier: Apache-2.0
"""Lattice iCE40: the command of Yosys that maps onto it, and the resources of its cells.

A carry (SB_CARRY) lies beside the look-up table of its logic cell and is not counted; the table
that makes the sum is a cell of its own. A carry without such a table takes a logic cell that only
the placer's count of logic cells shows.
"""

from __future__ import annotations

from typing import Final

from joulemark.hardware.synthesis.resources import CellCosts

COMMAND: Final = "synth_ice40"
CELLS: Final = CellCosts(
    luts={"SB_LUT4": 1},
    flip_flops=("SB_DFF",),
    block_rams=("SB_RAM40_4K",),
    multipliers=("SB_MAC16",),
)
