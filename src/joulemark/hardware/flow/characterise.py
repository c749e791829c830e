# SPDX-License-Identifier: Apache-2.0
"""Makes the report of one core on one target, from clocks in simulation and the target's flow."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.parameters import named
from joulemark.hardware.core.report import CoreReport, ModuleReport
from joulemark.hardware.core.shipped import block_bytes
from joulemark.hardware.drive.workload import measure_clocks
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow import fpga, mappings, tools
from joulemark.hardware.flow.asic import CellRequest
from joulemark.hardware.flow.cache import MappingCache, report_key
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.place.device import DEVICES, Device
from joulemark.hardware.place.nextpnr import EFFORT_CPU_S, METHODS
from joulemark.hardware.synthesis import generic
from joulemark.hardware.synthesis.latches import require_no_latches
from joulemark.hardware.synthesis.survey import require_mappable, survey
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure
from joulemark.records.figures import FigureGroup, FigureUnit

__all__ = ["make_report"]

Say = Callable[[str], None]

_NO_LIBRARY = "only a cell library (--target asic) has it"
_NO_FPGA = "only an FPGA (--target ecp5 or ice40) has it"
_NO_TABLES = "generic gates have no timing and no power tables"
_LATCHES = "the core has latches, which hold changes up for half a period; the period counts"
_OF_CLOCK = (FigureUnit.HERTZ, FigureUnit.BITS_PER_SECOND)
_PER_BYTE = ("throughput_bit_per_s", "bit_per_s_per_lut", "energy_per_byte_j")
_SUPPLY = (0.75, 1.25)
"""Parts of a library's voltage between which its dynamic power is scaled: corners of libraries are
a tenth of it apart, and further off leakage, delays and short-circuit currents matter more."""


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
        folder: where the tools' files are left.
        jobs: processes at a time; None for one per CPU that may be used.
        cache: folder of finished mappings; None keeps and uses none.
        say: told what is being done.
        observe: told of the seed and the circuit of each mapping to cells, if the target has them;
            mappings of `cache` are then made again.

    Raises:
        UnavailableError: a tool is missing; the message names its package.
        UsageError: the library or the core's ports cannot be used.
        ImplementationError: the core does not compile, gives a wrong result, or does not fit.
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
    if asked.target == "asic":
        figures, device = _asic(core, parameters, asked, folder, settings, cache, say, observe)
    else:
        if asked.target in DEVICES:
            title = DEVICES[asked.target].title
            require_no_latches(core, parameters, title, folder / "latches")
        say("simulating")
        clocks = measure_clocks(core, parameters, folder / "rtl")
        figures = {
            "clocks_per_block": clocks.clocks_per_block,
            "latency_clocks": clocks.latency_clocks,
        }
        if asked.target == "generic":
            _survey(core, parameters, asked, folder, settings, say)
            say("mapping")
            device = "generic gates, weighed by their transistors"
            figures |= _generic(core, parameters, folder, settings)
        else:
            chosen = DEVICES[asked.target]
            device = chosen.title
            figures |= _fpga(core, parameters, chosen, asked, folder, settings, jobs, say)
    modules = figures.pop("modules", [])
    figures |= _derived(core, figures)
    if core.outside_memory is not None:
        settings["outside_memory"] = core.outside_memory.model_dump() | {
            "text": core.outside_memory.text
        }
    return CoreReport(
        core=core.name,
        title=core.title,
        algorithm=core.algorithm,
        configuration=named(core, dict(parameters))[0],
        parameters=dict(parameters),
        target=asked.target,
        device=device,
        modules=modules,
        evidence={
            name: kind.evidence
            for name, kind in CORE_FIGURES.items()
            if figures.get(name) is not None
        },
        absent={
            name: _why(kind, asked, core)
            for name, kind in CORE_FIGURES.items()
            if figures.get(name) is None
        },
        settings=settings,
        **figures,
    )


def _fpga(
    core: Core, parameters: Mapping[str, int], device: Device, asked: Flow, folder: Path,
    settings: dict[str, Any], jobs: int | None, say: Say,
) -> dict[str, Any]:  # fmt: skip
    say("mapping")
    seeds = asked.seeds
    found = fpga.characterise(
        core, parameters, device, seeds=range(1, seeds + 1), folder=folder / "fpga", jobs=jobs,
        placers=[asked.placer] if asked.placer else tuple(METHODS),
        say=say,
        mapped=lambda: say(f"placing, {seeds} seeds"),
        placed=lambda placement: say(f"seed {placement.seed} placed"),
    )  # fmt: skip
    reached = found.clocks_hz()
    settings |= {
        "device": device.title,
        "place_arguments": list(device.arguments),
        "place_target_hz": device.target_hz,
        "seeds": [placement.seed for placement in found.placements],
        "fmax_by_seed_hz": [placement.fmax_hz for placement in found.placements],
        "placer_by_seed": [placement.placer for placement in found.placements],
        "fallback_seeds": [
            placement.seed for placement in found.placements if placement.instead_of
        ],
        "effort_cpu_s": EFFORT_CPU_S,
        "router_by_seed": [METHODS[placement.placer] for placement in found.placements],
        "harness": "a register on every input and output; not counted",
        "cells": found.resources.cells,
        "lut_weights": dict(device.cells.luts),
        "inout_pins": 0,
    }
    return {
        "luts": found.resources.luts,
        "flip_flops": found.resources.flip_flops,
        "block_rams": found.resources.block_rams,
        "multipliers": found.resources.multipliers,
        "fmax_hz": found.fmax_hz(),
        "fmax_lowest_hz": reached[0] if reached else None,
        "fmax_highest_hz": reached[-1] if reached else None,
        "seeds": len(found.placements),
    }


def _generic(
    core: Core, parameters: Mapping[str, int], folder: Path, settings: dict[str, Any]
) -> dict[str, Any]:
    area = generic.map_core(core, parameters, folder / "generic")
    settings |= {
        "cells": dict(area.cells),
        "weights": "transistors of textbook static CMOS over four; no library",
    }
    return {
        "area_ge": area.area_ge, "storage_ge": area.storage_ge, "logic_ge": area.logic_ge,
    }  # fmt: skip


def _asic(
    core: Core, parameters: Mapping[str, int], asked: Flow, folder: Path,
    settings: dict[str, Any], cache: Path | None, say: Say,
    observe: Callable[[int, Circuit], None] | None,
) -> tuple[dict[str, Any], str]:  # fmt: skip
    assert asked.liberty is not None
    # Asked first: mapping and simulation take minutes.
    library = read_library(asked.liberty)
    if asked.power and not library.has_energy:
        raise UsageError(
            f"--liberty {asked.liberty}: it has no power tables; --no-power leaves power out"
        )
    _require_near(asked.voltage_v, library.nominal_voltage_v)
    _survey(core, parameters, asked, folder, settings, say)
    key = report_key(core, parameters, asked.model_copy(update={"mappings": None}))
    over = mappings.characterise(
        core, parameters,
        CellRequest(
            asked.liberty, clock_hz=asked.clock_hz, voltage_v=asked.voltage_v,
            mapping=asked.mapping, wire=asked.wire, with_power=asked.power, modules=asked.modules,
        ),
        folder=folder / "asic", mappings=asked.mappings, say=say, observe=observe,
        kept=MappingCache(cache if observe is None else None, key),
    )  # fmt: skip
    found = over.median
    settings |= dict(found.settings)
    settings["glitches"] = "in; dynamic_no_glitch_w is the same without"
    figures: dict[str, Any] = {
        name: getattr(found, name) for name in CORE_FIGURES if hasattr(found, name)
    }
    figures["mappings"] = len(over.by_seed)
    for name, kind in CORE_FIGURES.items():
        if kind.end is not None and hasattr(found, kind.part_of):
            figures[name] = (over.ends(kind.part_of) or (None, None))[kind.end]
    figures["fmax_hz"] = 1 / found.period_s if found.period_s > 0 else None
    _require_plausible(figures, asked.liberty)
    figures["modules"] = [ModuleReport(**asdict(module)) for module in found.modules]
    return figures, f"{found.settings.get('library')}, {found.settings.get('corner')}"


def _require_plausible(figures: Mapping[str, Any], liberty: Path) -> None:
    """Refuses a library whose values, each in its range, give a figure below zero or no number."""
    for name, value in figures.items():
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise UsageError(
                f"--liberty {liberty}: its values give {value:g} for {name}; "
                "look for values that are far too large or too small"
            )


def _require_near(asked_v: float | None, nominal_v: float) -> None:
    """Refuses a supply to which the square of the voltage does not scale."""
    low, high = (part * nominal_v for part in _SUPPLY)
    if asked_v is not None and not low <= asked_v <= high:
        raise UsageError(
            f"--voltage {asked_v:g}: the library is of {nominal_v:g} V, from which power is scaled "
            f"to {low:.3g} to {high:.3g} V; name a library of that voltage in --liberty instead"
        )


def _survey(
    core: Core, parameters: Mapping[str, int], asked: Flow, folder: Path,
    settings: dict[str, Any], say: Say,
) -> None:  # fmt: skip
    """Looks for memories before mapping makes flip-flops of them."""
    memories = survey(core, parameters, folder / "survey")
    require_mappable(core, memories, asked.memory_bits)
    settings["memories"] = [
        {"name": memory.name, "words": memory.words, "word_bits": memory.word_bits,
         "flip_flops_ge": memory.flip_flops_ge}
        for memory in memories
    ]  # fmt: skip
    for memory in memories:
        say(f"the memory {memory.text} becomes flip-flops: about {memory.flip_flops_ge:,.0f} GE")


def _derived(core: Core, figures: Mapping[str, Any]) -> dict[str, float | None]:
    """Throughput, and energy per byte and message, from what the tools gave."""
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
    """The reason why a figure is not there."""
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
