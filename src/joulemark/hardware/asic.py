# SPDX-License-Identifier: Apache-2.0
"""Area, clock and power of a core in a standard-cell library: the one entry point."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from joulemark.errors import ImplementationError
from joulemark.hardware.export.circuit import Circuit, Workload
from joulemark.hardware.gate.simulate import icarus_version, simulate
from joulemark.hardware.gate.vcd import Activity, read_vcd
from joulemark.hardware.liberty.library import Library
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.power.replay import Power, replay
from joulemark.hardware.synthesis.asic import map_core, nand2_area_um2
from joulemark.hardware.synthesis.buffers import add_buffers
from joulemark.hardware.synthesis.netlist import Netlist, kind_of
from joulemark.hardware.synthesis.yosys import yosys_version
from joulemark.hardware.timing.analysis import Timing, analyse
from joulemark.hardware.timing.clock import clock_nets
from joulemark.hardware.timing.halves import check_halves
from joulemark.hardware.timing.loads import wire_model
from joulemark.hardware.workload import Recording, measure_clocks, record

__all__ = ["AsicFigures", "ModuleFigures", "at_voltage", "characterise"]


@dataclass(frozen=True, slots=True)
class ModuleFigures:
    """What one module instance takes, the modules within it apart."""

    name: str
    """Hierarchical name; empty for the top itself."""
    area_ge: float
    storage_ge: float
    leakage_w: float | None
    dynamic_w: float | None


@dataclass(frozen=True, slots=True)
class AsicFigures:
    """Figures of a core in a cell library, before layout.

    Clocks are `simulated`, all else is `modelled` from the library's tables.

    """

    area_um2: float
    area_ge: float
    storage_ge: float
    logic_ge: float
    cells: int
    critical_path_s: float | None
    """With the wire model. None for a core with latches: a path through latches that are never open
    at once takes no part of a clock period."""
    critical_path_pin_cap_s: float | None
    period_s: float
    """Shortest of a clock of two equal halves, with the budgets of latches; the critical path where
    the settings say why there are none."""
    latency_clocks: int
    clocks_per_block: float
    leakage_w: float | None
    dynamic_w: float | None
    """With glitches and wires, at the clock that was asked for."""
    dynamic_no_glitch_w: float | None
    dynamic_pin_cap_w: float | None
    """With the glitches of the run with wires, loads without wires."""
    energy_per_block_j: float | None
    """Leakage and dynamic power over the clocks of a block."""
    storage_ge_by_kind: Mapping[str, float]
    dynamic_by_category_w: Mapping[str, float]
    modules: tuple[ModuleFigures, ...]
    critical_path: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


def characterise(
    core: Core,
    parameters: Mapping[str, int],
    *,
    liberty: Path,
    clock_hz: float = 500_000.0,
    voltage_v: float | None = None,
    mapping: str = "area",
    wire: str = "library",
    folder: Path,
    with_power: bool = True,
    modules: bool = False,
    dont_use: Sequence[str] = (),
    observe: Callable[[Circuit], None] | None = None,
) -> AsicFigures:
    """Maps, times, simulates and replays a core.

    Args:
        core: The core.
        parameters: Of its top module, all of them.
        liberty: Cell library, plain or compressed.
        clock_hz: Clock of the power figures. The energy of a clock period does not depend on it,
            so dynamic power is proportional to it; leakage is constant.
        voltage_v: Supply. None: the library's own. Another one scales dynamic energy with its
            square and leaves leakage and delays as they are, which is an extrapolation.
        mapping: `area` or `speed`.
        wire: `library`, `none`, or capacitance per sink such as `5fF`.
        folder: For everything that the run leaves.
        with_power: False stops after timing and clocks.
        modules: Maps every module on its own so that figures by module are possible.
        dont_use: Cells to avoid besides those that the library marks.
        observe: Told of the circuit that the figures are of, when they are made.

    Raises:
        UnavailableError: a tool is missing; the message names its package.
        UsageError: the library, mapping, wire model or clock cannot be used.
        ImplementationError: the core does not build, or RTL or netlist gives a wrong result.
    """
    library = read_library(liberty)
    unit = nand2_area_um2(library)
    netlist = map_core(
        core, parameters, liberty, library, folder / "mapping", mapping=mapping,
        hierarchy=modules, dont_use=dont_use,
    )  # fmt: skip
    model = wire_model(netlist, wire)
    buffers = add_buffers(
        netlist, clock_nets(netlist, core.clock), model.load, fast=mapping == "speed"
    )
    wires = analyse(netlist, model, core.clock)
    bare = analyse(netlist, wire_model(netlist, "none"), core.clock)
    period_s, clocking = _clocking(netlist, wires, core.clock)
    has_latches = any(clocking.get("latches", ()))
    power = quiet = light = workload = None
    if with_power:
        recording = record(
            core, parameters, folder / "rtl", inputs=list(netlist.inputs),
            outputs=list(netlist.outputs),
        )  # fmt: skip
        clocks = recording.clocks
        activity, power, quiet, light = _powers(
            netlist, core, recording, (wires, period_s), bare, clock_hz, folder
        )
        window = recording.window[1] - recording.window[0]
        workload = Workload(activity, power, window, recording.window_messages)
    else:
        recording = None
        clocks = measure_clocks(core, parameters, folder / "rtl")
    areas = netlist.areas_um2()
    storage = {kind: area / unit for kind, area in areas.items() if kind != "logic"}
    total_w = None if power is None else power.leakage_w + power.dynamic_w
    figures = AsicFigures(
        area_um2=netlist.area_um2,
        area_ge=netlist.area_um2 / unit,
        storage_ge=sum(storage.values()),
        logic_ge=areas["logic"] / unit,
        cells=len(netlist.instances),
        critical_path_s=None if has_latches else wires.critical_path_s,
        critical_path_pin_cap_s=None if has_latches else bare.critical_path_s,
        period_s=period_s,
        latency_clocks=clocks.latency_clocks,
        clocks_per_block=clocks.clocks_per_block,
        leakage_w=None if power is None else power.leakage_w,
        dynamic_w=None if power is None else power.dynamic_w,
        dynamic_no_glitch_w=None if quiet is None else quiet.dynamic_w,
        dynamic_pin_cap_w=None if light is None else light.dynamic_w,
        energy_per_block_j=None
        if total_w is None
        else total_w * clocks.clocks_per_block / clock_hz,
        storage_ge_by_kind=storage,
        dynamic_by_category_w={}
        if power is None
        else {name: energy / power.duration_s for name, energy in power.by_category_j.items()},
        modules=_modules(netlist, unit, power) if modules else (),
        critical_path=tuple(wires.path),
        settings=_settings(library, wires, recording, clock_hz, mapping, liberty)
        | {"buffers": buffers, "clocking": clocking},
    )
    if observe is not None:
        observe(
            Circuit(
                core, parameters, netlist, wires, period_s, clock_hz, liberty, figures.settings,
                workload,
            )
        )  # fmt: skip
    return figures if voltage_v is None else at_voltage(figures, voltage_v)


def at_voltage(figures: AsicFigures, voltage_v: float) -> AsicFigures:
    """The figures with dynamic power scaled by the square of the voltage.

    An extrapolation: leakage, delays and the shape of the cells' energy are left as they are. A
    library of that voltage is better where there is one.
    """
    now = float(figures.settings["voltage_v"])
    factor = (voltage_v / now) ** 2

    def scaled(power: float | None) -> float | None:
        return None if power is None else power * factor

    dynamic = scaled(figures.dynamic_w)
    energy = figures.energy_per_block_j
    if dynamic is not None and figures.leakage_w is not None:
        energy = (
            (figures.leakage_w + dynamic) * figures.clocks_per_block / figures.settings["clock_hz"]
        )
    return replace(
        figures,
        dynamic_w=dynamic,
        dynamic_no_glitch_w=scaled(figures.dynamic_no_glitch_w),
        dynamic_pin_cap_w=scaled(figures.dynamic_pin_cap_w),
        energy_per_block_j=energy,
        dynamic_by_category_w={
            name: power * factor for name, power in figures.dynamic_by_category_w.items()
        },
        modules=tuple(replace(one, dynamic_w=scaled(one.dynamic_w)) for one in figures.modules),
        settings={
            **figures.settings,
            "voltage_v": voltage_v,
            "voltage_scaled": figures.settings["voltage_scaled"] or voltage_v != now,
        },
    )


def _clocking(netlist: Netlist, wires: Timing, clock: str) -> tuple[float, dict[str, Any]]:
    """The shortest period, and what the budgets of half a period and the hold times say."""
    try:
        halves = check_halves(netlist, wires, clock)
    except ImplementationError as error:
        return wires.critical_path_s, {"unchecked": str(error)}
    return halves.period_s, asdict(halves)


def _powers(
    netlist: Netlist, core: Core, recording: Recording, with_wires: tuple[Timing, float],
    bare: Timing, clock_hz: float, folder: Path,
) -> tuple[Activity, Power, Power, Power]:  # fmt: skip
    """Activity with glitches; power with them, without, and with them but loads of pins alone.

    `with_wires` is the analysis with the wire model, and the shortest period that it allows.
    """
    wires, period_s = with_wires
    timed = simulate(
        netlist, core.clock, recording, folder / "gates", timing=wires, period_s=period_s,
        clock_hz=clock_hz,
    )  # fmt: skip
    activity = read_vcd(timed, netlist.net_count)
    power, light = replay(netlist, wires, activity), replay(netlist, bare, activity)
    still = simulate(
        netlist, core.clock, recording, folder / "gates_no_delay", timing=None,
        period_s=period_s, clock_hz=clock_hz,
    )  # fmt: skip
    return activity, power, replay(netlist, wires, read_vcd(still, netlist.net_count)), light


def _modules(netlist: Netlist, unit: float, power: Power | None) -> tuple[ModuleFigures, ...]:
    members: dict[str, list[int]] = {}
    for index, one in enumerate(netlist.instances):
        members.setdefault(one.module, []).append(index)
    rows = []
    for name, indices in sorted(members.items()):
        cells = [netlist.instances[index].cell for index in indices]
        at = np.asarray(indices)
        rows.append(
            ModuleFigures(
                name=name,
                area_ge=sum(cell.area_um2 for cell in cells) / unit,
                storage_ge=sum(cell.area_um2 for cell in cells if kind_of(cell) != "logic") / unit,
                leakage_w=None
                if power is None
                else float(math.fsum(power.leakage_by_instance_w[at])),
                dynamic_w=None
                if power is None
                else float(math.fsum(power.by_instance_j[at])) / power.duration_s,
            )
        )
    return tuple(rows)


def _settings(
    library: Library, wires: Timing, recording: Recording | None,
    clock_hz: float, mapping: str, liberty: Path,
) -> dict[str, Any]:  # fmt: skip
    settings: dict[str, Any] = {
        "library": library.name,
        "library_file": liberty.name,
        "corner": library.corner,
        "clock_hz": clock_hz,
        "voltage_v": library.nominal_voltage_v,
        "voltage_scaled": False,
        "mapping": mapping,
        "wire_model": wires.wire.text,
        "nand2_um2": nand2_area_um2(library),
        "yosys": yosys_version(),
        "layout": "none: no placement, no clock tree, no reset tree",
        "max_slew_s": wires.max_slew * library.units.time_s,
    }
    if recording is not None:
        settings |= {
            "icarus": icarus_version(),
            "seed": recording.seed,
            "window_clocks": recording.window[1] - recording.window[0],
            "window_messages": recording.window_messages,
        }
    return settings
