# SPDX-License-Identifier: Apache-2.0
"""Proves that `sha256_adder` on ECP5 carry cells gives the portable adder's sums, for all inputs.

The proof takes Yosys' model of the cell in place of the empty declaration, and Yosys' SAT solver.
"""

from __future__ import annotations

from pathlib import Path

from pyosys import libyosys

RTL = Path(__file__).parents[1] / "rtl"
SHARED = Path(__file__).parents[2] / "common" / "rtl" / "jm_sha256_pkg.sv"
OWN = (RTL / f"sha256_{name}.sv" for name in ("pkg", "carry_cell_ecp5", "adder_ecp5", "adder"))
SOURCES = " ".join(map(str, (SHARED, *OWN)))


def prove(function: int) -> None:
    """Ends the process with an error if an input gives different sums."""
    design = libyosys.Design()

    def run(commands: str) -> None:
        libyosys.run_pass(commands, design)

    read = f"read_slang -D SYNTHESIS --top sha256_adder -G FUNCTION={function} {SOURCES}"
    run(f"{read} -G TECHNOLOGY=1")
    run("read_verilog -overwrite -icells +/ecp5/cells_sim.v")
    run("hierarchy -top sha256_adder; proc; flatten; opt_clean")
    run("rename sha256_adder gate; design -stash gate")
    run(f"{read} -G TECHNOLOGY=0")
    run("proc; flatten; opt_clean; rename sha256_adder gold; design -copy-from gate -as gate gate")
    run("miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter")
    run("sat -verify -prove-asserts -set-def-inputs miter")


if __name__ == "__main__":
    for number in range(3):
        prove(number)
