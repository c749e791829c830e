# SPDX-License-Identifier: Apache-2.0
"""Counts the cells of an FPGA that a netlist occupies.

The netlist is of the core alone, before placement, so that neither pins nor a packer's choices are
in the figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.hardware.synthesis.yosys import modules_of


@dataclass(frozen=True, slots=True)
class CellCosts:
    """Resources of each kind of cell of an FPGA family; a kind in no table occupies nothing."""

    luts: Mapping[str, int]
    """Four-input look-up tables that one such cell takes."""
    flip_flops: tuple[str, ...]
    """Beginnings of the names of flip-flop cells."""
    block_rams: tuple[str, ...]
    multipliers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resources:
    """Totals of one netlist."""

    luts: int
    flip_flops: int
    block_rams: int
    multipliers: int
    cells: dict[str, int] = field(default_factory=dict)
    """Number of all cells by kind."""


@dataclass(frozen=True, slots=True)
class Port:
    """One port of the core."""

    name: str
    direction: str
    """input, output or inout."""
    width_bits: int


def count(netlist: Path, top: str, costs: CellCosts) -> Resources:
    """Counts the cells of a flat JSON netlist."""
    cells = Counter(str(cell["type"]) for cell in modules_of(netlist)[top]["cells"].values())
    return Resources(
        luts=sum(costs.luts.get(kind, 0) * number for kind, number in cells.items()),
        flip_flops=sum(n for kind, n in cells.items() if kind.startswith(costs.flip_flops)),
        block_rams=sum(cells[kind] for kind in costs.block_rams),
        multipliers=sum(cells[kind] for kind in costs.multipliers),
        cells=dict(sorted(cells.items())),
    )


def ports_of(netlist: Path, top: str) -> list[Port]:
    """The ports of a netlist's top module, in their order."""
    return [
        Port(name, str(port["direction"]), len(port["bits"]))
        for name, port in modules_of(netlist)[top]["ports"].items()
    ]
