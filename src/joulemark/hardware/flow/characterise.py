# SPDX-License-Identifier: Apache-2.0
"""Makes the report of one core on one target from its simulation and the target's flow."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from joulemark import __version__
from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.core.manifest import Core, block_bytes
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.drive import driving
from joulemark.hardware.drive.workload import Clocks, measure_clocks
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow import fpga, mappings, tools
from joulemark.hardware.flow.asic import CellRequest
from joulemark.hardware.flow.cache import MappingCache, report_key
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.place import DEVICES, EFFORT_CPU_S, METHODS, Device
from joulemark.hardware.synthesis import generic
from joulemark.hardware.synthesis.soundness import require_no_latches
from joulemark.hardware.synthesis.survey import require_mappable, survey
from joulemark.hardware.tools.wasm_tools import Say
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure
from joulemark.records.figures import FigureGroup, FigureUnit

# Simulates a mapped netlist as the sources were simulated: same messages, results and clocks.
#
# Yosys writes the netlist as Verilog, with the logic of each cell in place of the cell; the adapter
# drives it like the core, whose ports it has.

SIMULATED: Final = "with the messages of the sources, in Verilator, without delays"
"""How a netlist was simulated, for the settings of a report."""


def require_same(
    core: Core,
    parameters: Mapping[str, int],
    netlist: Path,
    clocks: Clocks,
    folder: Path,
    *,
    target: str,
) -> None:
    """Refuses a netlist that gives other results than the reference, or in other clocks.

    Args:
        core: the core.
        parameters: parameters that it was mapped with.
        netlist: Verilog of the netlist, a module with the core's name and ports.
        clocks: clocks of the sources.
        folder: folder for the simulation.
        target: name of the target, for messages.
    """
    mapped = core.model_copy(
        update={"sources": [str(netlist.resolve())], "used": [], "include_folders": []}
    )
    program = driving.compile_core(mapped, {}, folder)
    try:
        found = measure_clocks(mapped, parameters, folder, program)
    except (ImplementationError, UsageError) as error:
        raise ImplementationError(
            f"the netlist of {core.name} for {target} differs from its sources, which passed: "
            f"{error}"
        ) from None
    if found != clocks:
        raise ImplementationError(
            f"the netlist of {core.name} for {target} takes {found.message_clocks:g} clocks a "
            f"message and {found.latency_clocks} of latency, its sources "
            f"{clocks.message_clocks:g} and {clocks.latency_clocks}"
        )


# Makes the figures of a report from mappings to a cell library; refuses a library without them.

_SUPPLY = (0.75, 1.25)
"""Lowest and highest share of a library's voltage to which its dynamic power is scaled. Corners of
libraries are a tenth of it apart; further off, leakage, delays and short-circuit currents matter
more."""


def require_library(asked: Flow) -> None:
    """Refuses a library from which the figures cannot be made."""
    assert asked.liberty is not None
    library = read_library(asked.liberty)
    if asked.power and not library.has_energy:
        raise UsageError(
            f"--liberty {asked.liberty}: it has no power tables; --no-power leaves power out"
        )
    nominal_v = library.nominal_voltage_v
    low, high = (part * nominal_v for part in _SUPPLY)
    if asked.voltage_v is not None and not low <= asked.voltage_v <= high:
        raise UsageError(
            f"--voltage {asked.voltage_v:g}: the library is of {nominal_v:g} V, from which power "
            f"is scaled to {low:.3g} to {high:.3g} V; name a library of that voltage in --liberty "
            "instead"
        )


def cell_figures(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path,
    settings: dict[str, Any],
    cache: Path | None,
    say: Say,
    observe: Callable[[int, Circuit], None] | None,
) -> tuple[dict[str, Any], str]:
    """Figures over the mappings of a core, by their names in a report, and the library's name.

    Arguments and errors are those of `characterise.make_report`. `require_library` has accepted the
    library; the settings of the shown mapping are added to `settings`.
    """
    assert asked.liberty is not None
    key = report_key(core, parameters, asked.model_copy(update={"mappings": None}))
    over = mappings.characterise(
        core,
        parameters,
        CellRequest(
            asked.liberty,
            clock_hz=asked.clock_hz,
            voltage_v=asked.voltage_v,
            mapping=asked.mapping,
            wire=asked.wire,
            with_power=asked.power,
            modules=asked.modules,
        ),
        folder=folder / "asic",
        mappings=asked.mappings,
        say=say,
        observe=observe,
        kept=MappingCache(cache if observe is None else None, key),
    )
    shown = over.median
    settings |= dict(shown.settings)
    settings["glitches"] = "in; dynamic_no_glitch_w is the same without"
    figures: dict[str, Any] = {
        name: getattr(shown, name) for name in CORE_FIGURES if hasattr(shown, name)
    }
    figures["mappings"] = len(over.by_seed)
    for name, kind in CORE_FIGURES.items():
        if kind.end is not None and hasattr(shown, kind.part_of):
            figures[name] = (over.ends(kind.part_of) or (None, None))[kind.end]
    figures["fmax_hz"] = 1 / shown.period_s if shown.period_s > 0 else None
    _require_plausible(figures, asked.liberty)
    figures["modules"] = [asdict(module) for module in shown.modules]
    return figures, f"{shown.settings.get('library')}, {shown.settings.get('corner')}"


def _require_plausible(figures: Mapping[str, Any], liberty: Path) -> None:
    """Refuses a library whose values, each in its range, give a figure below zero or no number."""
    for name, value in figures.items():
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise UsageError(
                f"--liberty {liberty}: its values give {value:g} for {name}; "
                "look for values that are far too large or too small"
            )


_NO_LIBRARY = "only a cell library (--target asic) has it"
_NO_FPGA = "only an FPGA (--target ecp5 or ice40) has it"
_NO_TABLES = "generic gates have no timing and no power tables"
_NO_MODEL = "Yosys has no model of its block RAMs or multipliers"
_LATCHES = "the core has latches, which hold changes up for half a period; the period counts"
_OF_CLOCK = (FigureUnit.HERTZ, FigureUnit.BITS_PER_SECOND)
_PER_BYTE = ("throughput_bit_per_s", "bit_per_s_per_lut", "energy_per_byte_j")


def make_report(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path,
    *,
    jobs: int | None = None,
    cache: Path | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> CoreReport:
    """Simulates, maps, and places or times a core.

    Args:
        core: the core.
        parameters: all of its parameters.
        asked: target and options.
        folder: folder for the tools' files.
        jobs: processes at a time; None for one per CPU that may be used.
        cache: folder of finished mappings; None keeps and uses none.
        say: called with a word on each step.
        observe: called with the seed and the circuit of each mapping to cells, if the target has
            them; no mapping of `cache` is used then.
    """
    power = asked.target == "asic" and asked.power
    tools.require(asked.target, power=power)
    settings: dict[str, Any] = {
        "joulemark": __version__,
        "tools": tools.versions(asked.target, power=power),
        "python": platform.python_version(),
        "workload": core.workload.model_dump(),
        "block_bytes": block_bytes(core),
    }
    figures, device = _figures(core, parameters, asked, folder, settings, jobs, cache, say, observe)
    figures |= _derived(core, figures)
    if core.outside_memory is not None:
        settings["outside_memory"] = core.outside_memory.model_dump() | {
            "text": core.outside_memory.text
        }
    return _report(core, parameters, asked, device, figures, settings)


def _figures(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path,
    settings: dict[str, Any],
    jobs: int | None,
    cache: Path | None,
    say: Say,
    observe: Callable[[int, Circuit], None] | None,
) -> tuple[dict[str, Any], str]:
    """Figures of the target's flow, and the name of the device, library or kind of gates."""
    if asked.target == "asic":
        # Before mapping and simulation, which take minutes.
        require_library(asked)
        _survey(core, parameters, asked, folder, settings, say)
        return cell_figures(core, parameters, asked, folder, settings, cache, say, observe)
    if asked.target in DEVICES:
        title = DEVICES[asked.target].title
        require_no_latches(core, parameters, title, folder / "latches")
    say("simulating")
    clocks = measure_clocks(core, parameters, folder / "rtl")
    figures: dict[str, Any] = {
        "clocks_per_block": clocks.clocks_per_block,
        "latency_clocks": clocks.latency_clocks,
    }
    if asked.target == "generic":
        _survey(core, parameters, asked, folder, settings, say)
        say("mapping")
        area = generic.map_core(core, parameters, folder / "generic")
        say("simulating the netlist")
        require_same(
            core,
            parameters,
            folder / "generic" / generic.NETLIST,
            clocks,
            folder / "netlist",
            target=asked.target,
        )
        settings |= {
            "netlist_simulated": SIMULATED,
            "cells": dict(area.cells),
            "weights": "transistors of textbook static CMOS over four; no library",
        }
        figures |= {
            "area_ge": area.area_ge,
            "storage_ge": area.storage_ge,
            "logic_ge": area.logic_ge,
        }
        return figures, "generic gates, weighed by their transistors"
    device = DEVICES[asked.target]
    figures |= _fpga(core, parameters, device, asked, folder, settings, jobs, say, clocks)
    return figures, device.title


def _report(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    device: str,
    figures: dict[str, Any],
    settings: dict[str, Any],
) -> CoreReport:
    """The report, with the evidence of each figure that is there and the reason of each absence."""
    present = {name for name in CORE_FIGURES if figures.get(name) is not None}
    return CoreReport(
        core=core.name,
        title=core.title,
        algorithm=core.algorithm,
        configuration=core.configuration(parameters),
        parameters=dict(parameters),
        target=asked.target,
        device=device,
        evidence={name: kind.evidence for name, kind in CORE_FIGURES.items() if name in present},
        absent={
            name: _why(kind, asked, core)
            for name, kind in CORE_FIGURES.items()
            if name not in present
        },
        settings=settings,
        **figures,
    )


def _fpga(
    core: Core,
    parameters: Mapping[str, int],
    device: Device,
    asked: Flow,
    folder: Path,
    settings: dict[str, Any],
    jobs: int | None,
    say: Say,
    clocks: Clocks,
) -> dict[str, Any]:
    def check(netlist: Path | None) -> None:
        if netlist is None:
            settings["netlist_simulated"] = f"no: {_NO_MODEL}"
            say(f"the netlist is not simulated: {_NO_MODEL}")
            return
        say("simulating the netlist")
        require_same(core, parameters, netlist, clocks, folder / "netlist", target=asked.target)
        settings["netlist_simulated"] = SIMULATED

    placed = fpga.characterise(
        core,
        parameters,
        device,
        seeds=range(1, asked.seeds + 1),
        folder=folder / "fpga",
        placers=[asked.placer] if asked.placer else tuple(METHODS),
        jobs=jobs,
        say=say,
        check=check,
    )
    reached = placed.clocks_hz()
    figures = asdict(placed.resources)
    settings |= {
        "device": device.title,
        "place_arguments": list(device.arguments),
        "place_target_hz": device.target_hz,
        "seeds": [placement.seed for placement in placed.placements],
        "fmax_by_seed_hz": [placement.fmax_hz for placement in placed.placements],
        "placer_by_seed": [placement.placer for placement in placed.placements],
        "fallback_seeds": [each.seed for each in placed.placements if each.instead_of],
        "effort_cpu_s": EFFORT_CPU_S,
        "router_by_seed": [METHODS[placement.placer] for placement in placed.placements],
        "harness": "a register on every input and output; not counted",
        "cells": figures.pop("cells"),
        "lut_weights": dict(device.cells.luts),
        "inout_pins": 0,
    }
    return figures | {
        "fmax_hz": placed.fmax_hz(),
        "fmax_lowest_hz": reached[0] if reached else None,
        "fmax_highest_hz": reached[-1] if reached else None,
        "seeds": len(placed.placements),
    }


def _survey(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path,
    settings: dict[str, Any],
    say: Say,
) -> None:
    """Finds memories and refuses large ones, before mapping turns them into flip-flops."""
    memories = survey(core, parameters, folder / "survey")
    require_mappable(core, memories, asked.memory_bits)
    settings["memories"] = [
        {
            "name": memory.name,
            "words": memory.words,
            "word_bits": memory.word_bits,
            "flip_flops_ge": memory.flip_flops_ge,
        }
        for memory in memories
    ]
    for memory in memories:
        say(f"the memory {memory.text} becomes flip-flops: about {memory.flip_flops_ge:,.0f} GE")


def _derived(core: Core, figures: Mapping[str, Any]) -> dict[str, float | None]:
    """Throughput, and energy per byte and per message, from the figures of the flow."""
    size = block_bytes(core)
    clocks, fmax_hz = figures.get("clocks_per_block"), figures.get("fmax_hz")
    luts, block_j = figures.get("luts"), figures.get("energy_per_block_j")
    rate = fmax_hz / clocks * size * 8 if fmax_hz and clocks and size else None
    return {
        "throughput_bit_per_s": rate,
        "bit_per_s_per_lut": rate / luts if rate and luts else None,
        "energy_per_byte_j": block_j / size if block_j is not None and size else None,
        "energy_per_mac_j": None if block_j is None else block_j * core.workload.blocks_per_message,
    }


def _why(kind: CoreFigure, asked: Flow, core: Core) -> str:
    """The reason why a figure is absent."""
    on_fpga = asked.target in DEVICES
    if kind.group is FigureGroup.FPGA and not on_fpga:
        return _NO_FPGA
    if asked.target == "generic":
        return "generic gates have no size" if kind.field == "area_um2" else _NO_TABLES
    if on_fpga and kind.group not in (FigureGroup.FPGA, FigureGroup.TIMED):
        return _NO_LIBRARY
    if kind.field in _PER_BYTE and block_bytes(core) is None:
        return f"the catalogue has no '{core.algorithm}', so the size of a block is not known"
    if kind.unit in _OF_CLOCK:
        return "no path of the core goes from a register to a register"
    return _LATCHES if kind.field.startswith("critical_path") else "not asked for (--no-power)"
