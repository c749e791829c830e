# SPDX-License-Identifier: Apache-2.0
"""Area, clock and power of one mapping of a core onto a standard-cell library.

`mappings` takes these steps for several mappings: `map_and_time` each, then `simulate_rtl` for all
of them together, then `figures_of` each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, cast

import numpy as np

from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.hardware.export import Circuit, GateWorkload
from joulemark.hardware.flow.cache import AsicFigures, at_voltage
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.flow.trees import SKEW_SHARE, Trees, model_trees
from joulemark.hardware.gate import add_buffers, clock_nets, wire_model
from joulemark.hardware.gate.analysis import Timing, analyse, without_recovery
from joulemark.hardware.gate.halves import check_halves
from joulemark.hardware.gate.power import NetlistPower, replay
from joulemark.hardware.gate.simulate import Activity, icarus_version, read_vcd, simulate
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.workload import (
    PortRecording,
    RecordedPorts,
    WorkloadClocks,
    record,
)
from joulemark.hardware.synthesis import Netlist, kind_of, yosys_version
from joulemark.hardware.synthesis.asic import map_core, nand2_area_um2
from joulemark.processes.tool import ToolRuns
from joulemark.records.core_report import ClockingFacts, CoreSettings, ModuleFigures
from joulemark.units import format_hertz, format_seconds

# One mapping of a core onto a standard-cell library, with its buffers, delays and trees.

MAPPING: Final = "mapping"
"""Folder of the files of `map_core` in that of `map_and_time`."""


@dataclass(slots=True)
class TimedMapping:
    """One mapping of a core, timed."""

    library: CellLibrary
    netlist: Netlist
    buffers: int
    wires: Timing
    bare: Timing
    """Timing with the loads of pins alone."""
    trees: Trees
    bare_trees: Trees
    period_s: float
    period_without_trees_s: float
    clocking: ClockingFacts


def map_and_time(
    core: Core, parameters: Mapping[str, int], asked: Flow, folder: Path, *, seed: int = 1
) -> TimedMapping:
    """The netlist of a seed with its buffers, delays, trees and shortest period."""
    netlist = map_core(
        core,
        parameters,
        asked.library,
        read_library(asked.library),
        folder / MAPPING,
        mapping=asked.mapping,
        seed=seed,
        hierarchy=asked.modules,
    )
    return with_times(netlist, core, asked)


def with_times(netlist: Netlist, core: Core, asked: Flow) -> TimedMapping:
    """A netlist as Yosys left it, to which buffers are added, with its delays and trees."""
    model = wire_model(netlist, asked.wire)
    buffers = add_buffers(
        netlist, clock_nets(netlist, core.clock), model.load, fast=asked.mapping == "speed"
    )
    wires = analyse(netlist, model, core.clock)
    bare = analyse(netlist, wire_model(netlist, "none"), core.clock)
    trees = model_trees(netlist, wires, core.clock)
    ideal_s, skewed_s, clocking = _clocking(netlist, wires, core.clock, trees.skew_s)
    return TimedMapping(
        library=netlist.library,
        netlist=netlist,
        buffers=buffers,
        wires=wires,
        bare=bare,
        trees=trees,
        bare_trees=model_trees(netlist, bare, core.clock),
        period_s=max(skewed_s, trees.reset_release_s + trees.skew_s),
        period_without_trees_s=ideal_s,
        clocking=clocking,
    )


def _clocking(
    netlist: Netlist, wires: Timing, clock: str, skew_s: float
) -> tuple[float, float, ClockingFacts]:
    """Shortest period with an ideal clock, and with the skew, and the report of `check_halves`."""
    try:
        halves = check_halves(netlist, wires, clock, skew_s)
    except ImplementationError as error:
        ideal_s = wires.critical_path_s
        return ideal_s, ideal_s + skew_s, {"unchecked": str(error)}
    # Lists, as JSON reads back: the strict reader of stores takes no list for a tuple.
    facts = asdict(halves) | {"hazards": [*halves.hazards], "latches": [*halves.latches]}
    return halves.period_s, halves.period_with_skew_s, cast("ClockingFacts", facts)


# Finds the power of one mapping: its netlist replays a recording of the core's ports.


def run_twice(
    mapped: TimedMapping,
    clock: str,
    recording: RecordedPorts,
    clock_hz: float,
    folder: Path,
    *,
    start: Mapping[int, int] | None = None,
    runs: ToolRuns | None = None,
) -> tuple[Activity, NetlistPower, NetlistPower]:
    """Toggles and power of a run with the delays of wires, and the power of one without delays."""
    netlist, wires = mapped.netlist, mapped.wires
    play = partial(simulate, netlist, clock, recording, clock_hz=clock_hz, start=start, runs=runs)
    activity = read_vcd(play(folder / "gates", timing=wires), netlist.net_count)
    still = read_vcd(play(folder / "gates_no_delay", timing=None), netlist.net_count)
    return activity, replay(netlist, wires, activity), replay(netlist, wires, still)


@dataclass(frozen=True, slots=True)
class Powers:
    """Power of a netlist and its trees in the window of a recording."""

    activity: Activity
    """Toggles of the run with delays."""
    cells: NetlistPower
    """Power of the netlist, with glitches and wires."""
    trees_w: float
    """Dynamic power of the trees."""
    no_glitch_w: float
    """Dynamic power of netlist and trees without glitches."""
    pin_cap_w: float
    """Dynamic power of netlist and trees with the glitches, but loads of pins alone."""


def powers_of(
    mapped: TimedMapping, core: Core, recording: PortRecording, asked: Flow, folder: Path
) -> Powers:
    """Power of a mapping that replays a recording, with its delays and without any."""
    activity, power, quiet = run_twice(mapped, core.clock, recording, asked.clock_hz, folder)
    light = replay(mapped.netlist, mapped.bare, activity)
    toggles = activity.toggles()
    trees_w = mapped.trees.energy_j(toggles) / power.duration_s
    return Powers(
        activity,
        power,
        trees_w,
        quiet.dynamic_w + trees_w,
        light.dynamic_w + mapped.bare_trees.energy_j(toggles) / power.duration_s,
    )


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


def check_clock(core: Core, clock_hz: float, period_s: float) -> None:
    """Refuses a clock of power figures that is faster than the core's shortest period allows."""
    # A picosecond is what the gate-level run resolves.
    if period_s > 1 / clock_hz + 1e-12:
        raise UsageError(
            f"{core.top} cannot run at {format_hertz(clock_hz)}: its shortest clock period is "
            f"{format_seconds(period_s)}, which is {format_hertz(1 / period_s)}. Choose a slower "
            "--clock."
        )


def simulate_rtl(
    core: Core, parameters: Mapping[str, int], netlist: Netlist, folder: Path
) -> PortRecording:
    """A recording of the ports of the sources, which have those of the netlist."""
    return record(
        core, parameters, folder / "rtl", inputs=list(netlist.inputs), outputs=list(netlist.outputs)
    )


def figures_of(
    core: Core,
    parameters: Mapping[str, int],
    mapped: TimedMapping,
    recording: PortRecording,
    asked: Flow,
    folder: Path,
    *,
    observe: Callable[[Circuit], None] | None = None,
) -> AsicFigures:
    """All figures of one mapping, whose netlist is simulated with the recording.

    `observe` is called with the circuit that the figures describe.
    """
    powers, simulated = None, "in Icarus Verilog, with its delays and without"
    if asked.power:
        powers = powers_of(mapped, core, recording, asked, folder)
    else:
        simulated = _simulated_alone(core, mapped.netlist, recording, asked, folder)
    settings = _settings(mapped, recording, asked)
    settings["netlist_simulated"] = simulated
    modules = _modules(mapped, powers.cells if powers else None) if asked.modules else ()
    figures = _of_area_and_time(mapped, recording.clocks, modules, settings)
    if powers is not None:
        figures = with_power(figures, powers, mapped.trees, asked.clock_hz)
    if observe is not None:
        workload = None
        if powers is not None:
            window = recording.window[1] - recording.window[0]
            workload = GateWorkload(
                powers.activity, powers.cells, window, recording.window_messages
            )
        observe(
            Circuit(
                core,
                parameters,
                mapped.netlist,
                mapped.wires,
                mapped.period_without_trees_s,
                asked.clock_hz,
                asked.library,
                figures.settings,
                recording,
                workload,
            )
        )
    return figures if asked.voltage_v is None else at_voltage(figures, asked.voltage_v)


def _simulated_alone(
    core: Core, netlist: Netlist, recording: PortRecording, asked: Flow, folder: Path
) -> str:
    """Simulates a netlist whose power is not asked for, and says how."""
    try:
        icarus_version()
    except UnavailableError as error:
        return f"no: {error}"
    alone = folder / "gates_no_delay"
    simulate(netlist, core.clock, recording, alone, timing=None, clock_hz=asked.clock_hz)
    return "in Icarus Verilog, without delays"


def _of_area_and_time(
    mapped: TimedMapping,
    clocks: WorkloadClocks,
    modules: tuple[ModuleFigures, ...],
    settings: CoreSettings,
) -> AsicFigures:
    """The figures that need no power."""
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
        storage_ge_by_kind=storage,
        modules=modules,
        critical_path=tuple(mapped.wires.path),
        settings=settings,
    )


def _modules(mapped: TimedMapping, power: NetlistPower | None) -> tuple[ModuleFigures, ...]:
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


def _settings(mapped: TimedMapping, recording: PortRecording, asked: Flow) -> CoreSettings:
    library, wires, trees = mapped.library, mapped.wires, mapped.trees
    settings: CoreSettings = {
        "library": library.name,
        "library_file": asked.library.name,
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
        "clocks_varied": recording.clocks.varied,
    }
    if asked.power:
        settings |= {
            "icarus": icarus_version(),
            "seed": recording.seed,
            "window_clocks": recording.window[1] - recording.window[0],
            "window_messages": recording.window_messages,
        }
    return settings
