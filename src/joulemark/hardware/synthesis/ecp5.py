# SPDX-License-Identifier: Apache-2.0
"""Lattice ECP5: the command of Yosys that maps onto it, and the resources of its cells.

A carry cell (CCU2C) uses both look-up tables of its slice. A 16 x 4 distributed RAM
(TRELLIS_DPR16X4) uses the four tables of two slices for its words and keeps the two of a third for
its write port, as the packer of nextpnr lays it out: six. Wide multiplexers (PFUMX, L6MUX21) lie
beside the tables and are not counted.
"""

from __future__ import annotations

from typing import Final

from joulemark.hardware.synthesis.resources import CellCosts

COMMAND: Final = "synth_ecp5"
CELLS: Final = CellCosts(
    luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    flip_flops=("TRELLIS_FF",),
    block_rams=("DP16KD", "PDPW16KD"),
    multipliers=("MULT18X18D",),
)
