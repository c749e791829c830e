# SPDX-License-Identifier: Apache-2.0
"""Finds the power of one mapping: its netlist replays a recording of the core's ports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.hardware.core.asic_figures import AsicFigures
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.workload import Recording
from joulemark.hardware.flow.timed_mapping import CellRequest, TimedMapping
from joulemark.hardware.flow.trees import Trees
from joulemark.hardware.gate.simulate import simulate
from joulemark.hardware.gate.vcd import Activity, read_vcd
from joulemark.hardware.power.replay import Power, replay

__all__ = ["Powers", "powers_of", "with_power"]


@dataclass(frozen=True, slots=True)
class Powers:
    """Power of a netlist and its trees in the window of a recording."""

    activity: Activity
    """Toggles of the run with delays."""
    cells: Power
    """Power of the netlist, with glitches and wires."""
    trees_w: float
    """Dynamic power of the trees."""
    no_glitch_w: float
    """Dynamic power of netlist and trees without glitches."""
    pin_cap_w: float
    """Dynamic power of netlist and trees with the glitches, but loads of pins alone."""


def powers_of(
    mapped: TimedMapping, core: Core, recording: Recording, asked: CellRequest, folder: Path
) -> Powers:
    """Power of a mapping that replays a recording, with its delays and without any.

    Raises:
        UnavailableError: Icarus Verilog is missing.
        UsageError: the library has no power tables.
        ImplementationError: the netlist gives a wrong result.
    """
    netlist, wires = mapped.netlist, mapped.wires
    timed = simulate(
        netlist, core.clock, recording, folder / "gates", timing=wires, clock_hz=asked.clock_hz
    )
    activity = read_vcd(timed, netlist.net_count)
    power, light = replay(netlist, wires, activity), replay(netlist, mapped.bare, activity)
    still = simulate(
        netlist, core.clock, recording, folder / "gates_no_delay", timing=None,
        clock_hz=asked.clock_hz,
    )  # fmt: skip
    quiet = replay(netlist, wires, read_vcd(still, netlist.net_count))
    toggles = activity.toggles()
    trees_w = mapped.trees.energy_j(toggles) / power.duration_s
    return Powers(
        activity, power, trees_w, quiet.dynamic_w + trees_w,
        light.dynamic_w + mapped.bare_trees.energy_j(toggles) / power.duration_s,
    )  # fmt: skip


def with_power(figures: AsicFigures, powers: Powers, trees: Trees, clock_hz: float) -> AsicFigures:
    """Adds the figures of power and energy to those of area and time."""
    cells = powers.cells

    def block_j(watts: float) -> float:
        return watts * figures.clocks_per_block / clock_hz

    return replace(
        figures,
        leakage_w=cells.leakage_w + trees.leakage_w,
        trees_leakage_w=trees.leakage_w,
        dynamic_w=cells.dynamic_w + powers.trees_w,
        clock_tree_w=powers.trees_w,
        dynamic_no_glitch_w=powers.no_glitch_w,
        dynamic_pin_cap_w=powers.pin_cap_w,
        energy_per_block_j=block_j(
            cells.leakage_w + trees.leakage_w + cells.dynamic_w + powers.trees_w
        ),
        energy_per_block_without_trees_j=block_j(cells.leakage_w + cells.dynamic_w),
        dynamic_by_category_w={
            **{name: energy / cells.duration_s for name, energy in cells.by_category_j.items()},
            "clock tree": powers.trees_w,
        },
    )
