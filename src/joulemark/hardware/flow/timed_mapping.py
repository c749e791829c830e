# SPDX-License-Identifier: Apache-2.0
"""One mapping of a core onto a standard-cell library, with its buffers, delays and trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.flow.trees import Trees, model_trees
from joulemark.hardware.liberty.library import Library
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.synthesis.asic import map_core
from joulemark.hardware.synthesis.buffers import add_buffers
from joulemark.hardware.synthesis.netlist import Netlist
from joulemark.hardware.timing.analysis import Timing, analyse
from joulemark.hardware.timing.clock import clock_nets
from joulemark.hardware.timing.halves import check_halves
from joulemark.hardware.timing.loads import wire_model

__all__ = ["CellRequest", "TimedMapping", "map_and_time"]


@dataclass(frozen=True, slots=True)
class CellRequest:
    """The request for figures in cells: library and options."""

    liberty: Path
    """Cell library, plain or compressed."""
    clock_hz: float = 500_000.0
    """Clock of the power figures. The energy of a clock period does not depend on it, so dynamic
    power is proportional to it; leakage is constant."""
    voltage_v: float | None = None
    """Supply; None for the library's own. Any other scales dynamic energy with its square and
    leaves leakage and delays as they are, which is an extrapolation."""
    mapping: str = "area"
    """`area` or `speed`."""
    wire: str = "library"
    """`library`, `none`, or capacitance per sink such as `5fF`."""
    with_power: bool = True
    """False stops after timing and clocks."""
    modules: bool = False
    """Whether every module is mapped apart, so that figures by module are possible."""


@dataclass(slots=True)
class TimedMapping:
    """One mapping of a core, timed."""

    library: Library
    netlist: Netlist
    buffers: int
    wires: Timing
    bare: Timing
    """Timing with the loads of pins alone."""
    trees: Trees
    bare_trees: Trees
    period_s: float
    period_without_trees_s: float
    clocking: dict[str, Any]


def map_and_time(
    core: Core, parameters: Mapping[str, int], asked: CellRequest, folder: Path, *, seed: int = 1
) -> TimedMapping:
    """The netlist of a seed with its buffers, delays, trees and shortest period.

    Raises:
        UnavailableError: Yosys is missing.
        UsageError: the library, mapping or wire model cannot be used.
        ImplementationError: the core does not build.
    """
    library = read_library(asked.liberty)
    netlist = map_core(
        core, parameters, asked.liberty, library, folder / "mapping", mapping=asked.mapping,
        seed=seed, hierarchy=asked.modules,
    )  # fmt: skip
    model = wire_model(netlist, asked.wire)
    buffers = add_buffers(
        netlist, clock_nets(netlist, core.clock), model.load, fast=asked.mapping == "speed"
    )
    wires = analyse(netlist, model, core.clock)
    bare = analyse(netlist, wire_model(netlist, "none"), core.clock)
    trees = model_trees(netlist, wires, core.clock)
    ideal_s, skewed_s, clocking = _clocking(netlist, wires, core.clock, trees.skew_s)
    return TimedMapping(
        library=library, netlist=netlist, buffers=buffers, wires=wires, bare=bare, trees=trees,
        bare_trees=model_trees(netlist, bare, core.clock),
        period_s=max(skewed_s, trees.reset_release_s + trees.skew_s),
        period_without_trees_s=ideal_s, clocking=clocking,
    )  # fmt: skip


def _clocking(
    netlist: Netlist, wires: Timing, clock: str, skew_s: float
) -> tuple[float, float, dict[str, Any]]:
    """Shortest period with an ideal clock, and with the skew, and the report of `check_halves`."""
    try:
        halves = check_halves(netlist, wires, clock, skew_s)
    except ImplementationError as error:
        ideal_s = wires.critical_path_s
        return ideal_s, ideal_s + skew_s, {"unchecked": str(error)}
    return halves.period_s, halves.period_with_skew_s, asdict(halves)
