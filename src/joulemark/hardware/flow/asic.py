# SPDX-License-Identifier: Apache-2.0
"""Area, clock and power of one mapping of a core onto a standard-cell library.

`mappings` takes these steps for several mappings: `map_and_time` each, then `simulate_rtl` for all
of them together, then `figures_of` each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from joulemark.errors import UnavailableError, UsageError
from joulemark.hardware.core.asic_figures import AsicFigures, ModuleFigures, at_voltage
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.workload import Clocks, Recording, record
from joulemark.hardware.export.circuit import Circuit, Workload
from joulemark.hardware.flow.power_figures import powers_of, with_power
from joulemark.hardware.flow.timed_mapping import CellRequest, TimedMapping
from joulemark.hardware.flow.trees import SKEW_SHARE
from joulemark.hardware.gate.simulate import icarus_version, simulate
from joulemark.hardware.power.replay import Power
from joulemark.hardware.synthesis.asic import nand2_area_um2
from joulemark.hardware.synthesis.netlist import Netlist, kind_of
from joulemark.hardware.synthesis.yosys import yosys_version
from joulemark.hardware.timing.resets import without_recovery
from joulemark.units import format_hertz, format_seconds

__all__ = ["check_clock", "figures_of", "simulate_rtl"]


def check_clock(core: Core, clock_hz: float, period_s: float) -> None:
    """Refuses a clock of power figures that is faster than the core's shortest period allows.

    Raises:
        UsageError: the clock is too fast.
    """
    # A picosecond is what the gate-level run resolves.
    if period_s > 1 / clock_hz + 1e-12:
        raise UsageError(
            f"{core.top} cannot run at {format_hertz(clock_hz)}: its shortest clock period is "
            f"{format_seconds(period_s)}, which is {format_hertz(1 / period_s)}. Choose a slower "
            "--clock."
        )


def simulate_rtl(
    core: Core, parameters: Mapping[str, int], netlist: Netlist, folder: Path
) -> Recording:
    """A recording of the ports of the sources, which have those of the netlist."""
    return record(
        core, parameters, folder / "rtl", inputs=list(netlist.inputs),
        outputs=list(netlist.outputs),
    )  # fmt: skip


def figures_of(
    core: Core, parameters: Mapping[str, int], mapped: TimedMapping, recording: Recording,
    asked: CellRequest, folder: Path, *,
    observe: Callable[[Circuit], None] | None = None,
) -> AsicFigures:  # fmt: skip
    """All figures of one mapping, whose netlist is simulated with the recording.

    `observe` is called with the circuit that the figures describe.

    Raises:
        UnavailableError: Icarus Verilog is missing, and power is asked for.
        UsageError: the library has no power tables.
        ImplementationError: the netlist gives a wrong result.
    """
    powers, simulated = None, "in Icarus Verilog, with its delays and without"
    if asked.with_power:
        powers = powers_of(mapped, core, recording, asked, folder)
    else:
        simulated = _simulated_alone(core, mapped.netlist, recording, asked, folder)
    figures = replace(
        _of_area_and_time(mapped, recording.clocks),
        modules=_modules(mapped, powers.cells if powers else None) if asked.modules else (),
        settings={**_settings(mapped, recording, asked), "netlist_simulated": simulated},
    )
    if powers is not None:
        figures = with_power(figures, powers, mapped.trees, asked.clock_hz)
    if observe is not None:
        workload = None
        if powers is not None:
            window = recording.window[1] - recording.window[0]
            workload = Workload(powers.activity, powers.cells, window, recording.window_messages)
        observe(
            Circuit(
                core, parameters, mapped.netlist, mapped.wires, mapped.period_without_trees_s,
                asked.clock_hz, asked.liberty, figures.settings, recording, workload,
            )
        )  # fmt: skip
    return figures if asked.voltage_v is None else at_voltage(figures, asked.voltage_v)


def _simulated_alone(
    core: Core, netlist: Netlist, recording: Recording, asked: CellRequest, folder: Path
) -> str:
    """Simulates a netlist whose power is not asked for, and says how.

    Raises:
        ImplementationError: the netlist gives a wrong result.
    """
    try:
        icarus_version()
    except UnavailableError as error:
        return f"no: {error}"
    simulate(
        netlist, core.clock, recording, folder / "gates_no_delay", timing=None,
        clock_hz=asked.clock_hz,
    )  # fmt: skip
    return "in Icarus Verilog, without delays"


def _of_area_and_time(mapped: TimedMapping, clocks: Clocks) -> AsicFigures:
    """The figures that need no power, without modules and settings."""
    netlist, trees = mapped.netlist, mapped.trees
    unit = nand2_area_um2(mapped.library)
    has_latches = any(mapped.clocking.get("latches", ()))
    areas = netlist.areas_um2()
    storage = {kind: area / unit for kind, area in areas.items() if kind != "logic"}
    area_um2 = netlist.area_um2 + (trees.clock_area_um2 + trees.reset_area_um2)
    return AsicFigures(
        area_um2=area_um2,
        area_ge=area_um2 / unit,
        storage_ge=sum(storage.values()),
        logic_ge=areas["logic"] / unit,
        clock_tree_ge=trees.clock_area_um2 / unit,
        reset_tree_ge=trees.reset_area_um2 / unit,
        area_without_trees_ge=netlist.area_um2 / unit,
        cells=len(netlist.instances),
        critical_path_s=None if has_latches else mapped.wires.critical_path_s,
        critical_path_pin_cap_s=None if has_latches else mapped.bare.critical_path_s,
        period_s=mapped.period_s,
        period_without_trees_s=mapped.period_without_trees_s,
        clock_insertion_s=trees.insertion_s,
        clock_skew_s=trees.skew_s,
        latency_clocks=clocks.latency_clocks,
        clocks_per_block=clocks.clocks_per_block,
        leakage_w=None, trees_leakage_w=None, dynamic_w=None, clock_tree_w=None,
        dynamic_no_glitch_w=None, dynamic_pin_cap_w=None,
        energy_per_block_j=None, energy_per_block_without_trees_j=None,
        storage_ge_by_kind=storage,
        dynamic_by_category_w={},
        modules=(),
        critical_path=tuple(mapped.wires.path),
    )  # fmt: skip


def _modules(mapped: TimedMapping, power: Power | None) -> tuple[ModuleFigures, ...]:
    netlist, unit = mapped.netlist, nand2_area_um2(mapped.library)
    members: dict[str, list[int]] = {}
    for index, instance in enumerate(netlist.instances):
        members.setdefault(instance.module, []).append(index)
    rows = []
    for name, indices in sorted(members.items()):
        cells = [netlist.instances[index].cell for index in indices]
        at = np.asarray(indices)
        rows.append(
            ModuleFigures(
                name=name,
                area_ge=sum(cell.area_um2 for cell in cells) / unit,
                storage_ge=sum(cell.area_um2 for cell in cells if kind_of(cell) != "logic") / unit,
                leakage_w=None if power is None else math.fsum(power.leakage_by_instance_w[at]),
                dynamic_w=None
                if power is None
                else math.fsum(power.by_instance_j[at]) / power.duration_s,
            )
        )
    return tuple(rows)


def _settings(mapped: TimedMapping, recording: Recording, asked: CellRequest) -> dict[str, Any]:
    library, wires, trees = mapped.library, mapped.wires, mapped.trees
    settings: dict[str, Any] = {
        "library": library.name,
        "library_file": asked.liberty.name,
        "corner": library.corner,
        "clock_hz": asked.clock_hz,
        "voltage_v": library.nominal_voltage_v,
        "voltage_scaled": False,
        "mapping": asked.mapping,
        "wire_model": wires.wire.text,
        "nand2_um2": nand2_area_um2(library),
        "yosys": yosys_version(),
        "layout": "none: no placement; clock and reset trees are modelled",
        "trees": {
            "buffer": trees.buffer,
            "sinks_per_buffer": trees.sinks_per_buffer,
            "clock_buffers": trees.counts("clock"),
            "reset_buffers": trees.counts("reset"),
            "levels": max((len(tree.levels) for tree in trees.trees), default=0),
            "skew_share": SKEW_SHARE,
            "reset_release_s": trees.reset_release_s,
        },
        "max_slew_s": wires.max_slew * library.units.time_s,
        "recovery_path_s": wires.worst.get("reset"),
        "recovery_by_setup": sorted(
            {
                instance.cell.name
                for instance in mapped.netlist.instances
                if without_recovery(instance.cell)
            }
        ),
        "buffers": mapped.buffers,
        "clocking": mapped.clocking,
    }
    if asked.with_power:
        settings |= {
            "icarus": icarus_version(),
            "seed": recording.seed,
            "window_clocks": recording.window[1] - recording.window[0],
            "window_messages": recording.window_messages,
        }
    return settings
