# SPDX-License-Identifier: Apache-2.0
"""Figures of one mapping of a core onto a standard-cell library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from joulemark.records.core_report import CoreSettings, ModuleFigures


@dataclass(frozen=True, slots=True)
class AsicFigures:
    """Figures of a core in a cell library, before layout.

    Clocks are `simulated`, all else is `modelled` from the library's tables. Area, period and power
    include the clock and reset trees (`flow.trees`) unless the name says otherwise.
    """

    area_um2: float
    area_ge: float
    storage_ge: float
    logic_ge: float
    clock_tree_ge: float
    reset_tree_ge: float
    area_without_trees_ge: float
    cells: int
    """Number of cells of the netlist, without trees."""
    critical_path_s: float | None
    """Critical path with the wire model. None for a core with latches: a path through latches that
    are never open at once takes no part of a clock period."""
    critical_path_pin_cap_s: float | None
    period_s: float
    """Shortest period of a clock of two equal halves: by the budgets of latches and the skew, or by
    the critical path if the settings say why there are no budgets."""
    period_without_trees_s: float
    """Shortest period with an ideal clock."""
    clock_insertion_s: float
    clock_skew_s: float
    latency_clocks: int
    clocks_per_block: float
    leakage_w: float | None
    trees_leakage_w: float | None
    dynamic_w: float | None
    """Dynamic power with glitches and wires, at the clock that was asked for."""
    clock_tree_w: float | None
    """Part of `dynamic_w` that the trees add. A reset port changes only as in the recording."""
    dynamic_no_glitch_w: float | None
    dynamic_pin_cap_w: float | None
    """Dynamic power with the glitches of the run with wires, but loads without wires."""
    energy_per_block_j: float | None
    """Energy of leakage and dynamic power over the clocks of a block."""
    energy_per_block_without_trees_j: float | None
    storage_ge_by_kind: Mapping[str, float]
    dynamic_by_category_w: Mapping[str, float]
    modules: tuple[ModuleFigures, ...]
    critical_path: tuple[str, ...]
    settings: CoreSettings


def at_voltage(figures: AsicFigures, voltage_v: float) -> AsicFigures:
    """The figures with dynamic power scaled by the square of the voltage.

    This extrapolates: leakage, delays and the shape of the cells' energy stay as they are. A
    library of that voltage is better if there is one.
    """
    now = figures.settings["voltage_v"]
    factor = (voltage_v / now) ** 2

    def scaled(power: float | None) -> float | None:
        return None if power is None else power * factor

    def block_j(leakage: float | None, dynamic: float | None) -> float | None:
        if leakage is None or dynamic is None:
            return None
        return (leakage + dynamic) * figures.clocks_per_block / figures.settings["clock_hz"]

    dynamic, of_trees = scaled(figures.dynamic_w), scaled(figures.clock_tree_w)
    without_trees = block_j(
        _less(figures.leakage_w, figures.trees_leakage_w), _less(dynamic, of_trees)
    )
    return replace(
        figures,
        dynamic_w=dynamic,
        clock_tree_w=of_trees,
        dynamic_no_glitch_w=scaled(figures.dynamic_no_glitch_w),
        dynamic_pin_cap_w=scaled(figures.dynamic_pin_cap_w),
        energy_per_block_j=block_j(figures.leakage_w, dynamic),
        energy_per_block_without_trees_j=without_trees,
        dynamic_by_category_w={
            category: power * factor for category, power in figures.dynamic_by_category_w.items()
        },
        modules=tuple(
            replace(module, dynamic_w=scaled(module.dynamic_w)) for module in figures.modules
        ),
        settings={
            **figures.settings,
            "voltage_v": voltage_v,
            "voltage_scaled": figures.settings["voltage_scaled"] or voltage_v != now,
        },
    )


def _less(whole: float | None, part: float | None) -> float | None:
    return None if whole is None or part is None else whole - part
