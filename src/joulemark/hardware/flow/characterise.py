# SPDX-License-Identifier: Apache-2.0
"""Makes the report of one core on one target from its simulation and the target's flow."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from joulemark import __version__
from joulemark.catalogue.vectors import blocks_of_message
from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.cores import block_bytes
from joulemark.hardware.export import Circuit
from joulemark.hardware.flow import mappings, request
from joulemark.hardware.flow.cache import MappingCache, report_key, sources_digest
from joulemark.hardware.flow.packaged_tools import Say
from joulemark.hardware.flow.place import DEVICES, EFFORT_CPU_S, METHODS, Device
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.manifest import Core, sent_blocks
from joulemark.hardware.simulation import driving
from joulemark.hardware.simulation.trial_messages import length_refusal
from joulemark.hardware.simulation.workload import WorkloadClocks, measure_clocks
from joulemark.hardware.synthesis import generic
from joulemark.hardware.synthesis.generic import require_mappable, survey
from joulemark.hardware.synthesis.soundness import require_no_latches
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure
from joulemark.records.core_report import (
    SCHEMA_VERSION,
    CoreReport,
    CoreSettings,
    MemoryFacts,
    ModuleFigures,
    OutsideMemoryFacts,
)
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
    clocks: WorkloadClocks,
    folder: Path,
    *,
    target: str,
    say: Say = lambda _text: None,
) -> None:
    """Refuses a netlist that gives other results than the reference, or in other clocks.

    The netlist is Verilog, a module with the core's name and ports. The clocks are the sources'.
    """
    say("compiling the netlist for its simulation")
    mapped = core.model_copy(
        update={"sources": [str(netlist.resolve())], "used": [], "include_folders": []}
    )
    program = driving.compile_netlist(netlist, mapped, folder)
    say("simulating the netlist")
    try:
        found = measure_clocks(mapped, parameters, folder, program)
    except (ImplementationError, UsageError) as error:
        # The same table drove the sources, so that its entries, of which a hint speaks, are not the
        # cause.
        said = error.what if isinstance(error, ImplementationError) else str(error)
        raise ImplementationError(
            f"the netlist of {core.name} for {target} differs from its sources, which passed: "
            f"{said}; usual causes are `ifdef SYNTHESIS, translate_off, full_case, parallel_case "
            "and a list of signals behind @ that is not complete"
        ) from None
    if found != clocks:
        raise ImplementationError(
            f"the netlist of {core.name} for {target} takes {found.message_clocks:g} clocks a "
            f"message and {found.latency_clocks} of latency, its sources "
            f"{clocks.message_clocks:g} and {clocks.latency_clocks}"
        )


def _require_plausible(figures: Mapping[str, float | None], liberty: Path) -> None:
    """Refuses a library whose values, each in its range, give a figure below zero or no number."""
    for name, value in figures.items():
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise UsageError(
                f"--liberty {liberty}: its values give {value:g} for {name}; "
                "look for values that are far too large or too small"
            )


def with_messages(core: Core, message_bytes: int | None) -> Core:
    """The core with a workload of messages of this length; None leaves the manifest's."""
    workload = core.workload
    if message_bytes is None or message_bytes == workload.message_bytes:
        return core
    refusal = length_refusal(adapter_class(core), message_bytes)
    asked = workload.model_copy(update={"message_bytes": message_bytes})
    blocks = blocks_of_message(core.algorithm, message_bytes, workload.model_dump())
    blocks = blocks or sent_blocks(core.model_copy(update={"workload": asked}))
    if refusal is None and blocks is None:
        refusal = (
            f"nothing says how many blocks of {core.algorithm} such a message has; write "
            "message_bytes and blocks_per_message into the manifest's [workload]"
        )
    if refusal is not None:
        raise UsageError(f"--message {message_bytes}: {core.name}: {refusal}")
    changed = asked.model_copy(update={"blocks_per_message": blocks})
    return core.model_copy(update={"workload": changed})


_NO_LIBRARY = "cell libraries alone have such figures (--target asic)"
_NO_FPGA = "FPGAs alone have such figures (--target ecp5 or ice40)"
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
    """Simulates, maps, and places or times a core; the tools' files go to `folder`.

    `jobs` is the number of processes at a time, None for one per CPU that may be used. `cache` is
    the folder of finished mappings. `say` is called with a word on each step. `observe` is called
    with the seed and the circuit of each mapping to cells; no mapping of the cache is used then.
    """
    core = with_messages(core, asked.message_bytes)
    power = asked.target == "asic" and asked.power
    request.require(asked.target, power=power)
    wanted = _Wanted(core, parameters, asked, folder, say)
    if asked.target == "asic":
        found = _in_cells(wanted, cache, observe)
    elif asked.target in DEVICES:
        found = _on_fpga(wanted, DEVICES[asked.target], jobs)
    else:
        found = _in_gates(wanted)
    settings: CoreSettings = {
        "joulemark": __version__,
        "tools": request.versions(asked.target, core.source_paths(), power=power),
        "python": platform.python_version(),
        "sources_sha256": sources_digest(core),
        "workload": core.workload.model_dump(),
        "block_bytes": block_bytes(core),
        **found.settings,
    }
    if (outside := core.outside_memory) is not None:
        facts = outside.model_dump() | {"text": outside.text}
        settings["outside_memory"] = cast("OutsideMemoryFacts", facts)
    figures = found.figures | _derived(core, found.figures)
    present = [kind for name, kind in CORE_FIGURES.items() if figures.get(name) is not None]
    absent = [kind for name, kind in CORE_FIGURES.items() if figures.get(name) is None]
    return CoreReport(
        schema_version=SCHEMA_VERSION,
        core=core.name,
        title=core.title,
        algorithm=core.algorithm,
        configuration=core.configuration(parameters),
        parameters=dict(parameters),
        target=asked.target,
        device=found.device,
        figures={**dict.fromkeys(CORE_FIGURES), **figures},
        evidence={kind.field: kind.evidence for kind in present},
        reasons={kind.field: _why(kind, asked, core) for kind in absent},
        modules=list(found.modules),
        settings=settings,
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A report that is to be made."""

    core: Core
    parameters: Mapping[str, int]
    asked: Flow
    folder: Path
    say: Say


@dataclass(frozen=True, slots=True)
class _Found:
    """What the flow of a target gives."""

    device: str
    """The device, library or kind of gates, in words."""
    figures: dict[str, int | float | None]
    settings: CoreSettings
    modules: tuple[ModuleFigures, ...] = ()


def _in_cells(
    wanted: _Wanted, cache: Path | None, observe: Callable[[int, Circuit], None] | None
) -> _Found:
    """Medians over the mappings to the cells of a library, and the facts of the shown mapping."""
    asked = wanted.asked
    # Before mapping and simulation, which take minutes.
    mappings.require_library(asked)
    memories = _memories(wanted)
    key = report_key(wanted.core, wanted.parameters, asked.model_copy(update={"mappings": None}))
    over = mappings.characterise(
        wanted.core,
        wanted.parameters,
        asked,
        folder=wanted.folder / "asic",
        mappings=asked.mappings,
        say=wanted.say,
        observe=observe,
        kept=MappingCache(cache if observe is None else None, key),
    )
    shown = over.median
    figures: dict[str, int | float | None] = {
        name: getattr(shown, name) for name in CORE_FIGURES if hasattr(shown, name)
    }
    figures["mappings"] = len(over.by_seed)
    for name, kind in CORE_FIGURES.items():
        if kind.end is not None and hasattr(shown, kind.part_of):
            figures[name] = (over.ends(kind.part_of) or (None, None))[kind.end]
    figures["fmax_hz"] = 1 / shown.period_s if shown.period_s > 0 else None
    _require_plausible(figures, asked.library)
    settings: CoreSettings = {
        "memories": memories,
        **shown.settings,
        "glitches": "in; dynamic_no_glitch_w is the same without",
    }
    device = f"{shown.settings['library']}, {shown.settings['corner']}"
    return _Found(device, figures, settings, shown.modules)


def _in_gates(wanted: _Wanted) -> _Found:
    """Clocks, and areas in generic gates."""
    clocks = _clocks(wanted)
    if not wanted.asked.mapped:
        settings: CoreSettings = {"clocks_varied": clocks.varied}
        return _Found("no gates: the sources were simulated", _of_clocks(clocks), settings)
    memories = _memories(wanted)
    wanted.say("mapping to gates")
    area = generic.map_core(wanted.core, wanted.parameters, wanted.folder / "generic")
    _simulate_netlist(wanted, wanted.folder / "generic" / generic.NETLIST, clocks)
    return _Found(
        "generic gates, weighed by their transistors",
        {
            **_of_clocks(clocks),
            "area_ge": area.area_ge,
            "storage_ge": area.storage_ge,
            "logic_ge": area.logic_ge,
        },
        {
            "memories": memories,
            "clocks_varied": clocks.varied,
            "netlist_simulated": SIMULATED,
            "cells": dict(area.cells),
            "weights": "transistors of textbook static CMOS over four; no library",
        },
    )


def _on_fpga(wanted: _Wanted, device: Device, jobs: int | None) -> _Found:
    """Clocks, resources, and the clocks that the seeds of the placer reach."""
    require_no_latches(wanted.core, wanted.parameters, device.title, wanted.folder / "latches")
    clocks = _clocks(wanted)
    simulated = ""

    def check(netlist: Path | None) -> None:
        nonlocal simulated
        if netlist is None:
            simulated = f"no: {_NO_MODEL}"
            wanted.say(f"the netlist is not simulated: {_NO_MODEL}")
            return
        _simulate_netlist(wanted, netlist, clocks)
        simulated = SIMULATED

    asked = wanted.asked
    placed = mappings.characterise_fpga(
        wanted.core,
        wanted.parameters,
        device,
        seeds=range(1, asked.seeds + 1),
        folder=wanted.folder / "fpga",
        placers=[asked.placer] if asked.placer else tuple(METHODS),
        jobs=jobs,
        say=wanted.say,
        check=check,
    )
    reached = placed.clocks_hz()
    resources = asdict(placed.resources)
    settings: CoreSettings = {
        "clocks_varied": clocks.varied,
        "netlist_simulated": simulated,
        "place_arguments": list(device.arguments),
        "place_target_hz": device.target_hz,
        "seeds": [placement.seed for placement in placed.placements],
        "fmax_by_seed_hz": [placement.fmax_hz for placement in placed.placements],
        "placer_by_seed": [placement.placer for placement in placed.placements],
        "fallback_seeds": [each.seed for each in placed.placements if each.instead_of],
        "effort_cpu_s": EFFORT_CPU_S,
        "router_by_seed": [METHODS[placement.placer] for placement in placed.placements],
        "harness": "a register on every input and output; not counted",
        "cells": resources.pop("cells"),
        "lut_weights": dict(device.cells.luts),
        "inout_pins": 0,
    }
    figures = {
        **_of_clocks(clocks),
        **resources,
        "fmax_hz": placed.fmax_hz(),
        "fmax_lowest_hz": reached[0] if reached else None,
        "fmax_highest_hz": reached[-1] if reached else None,
        "seeds": len(placed.placements),
    }
    return _Found(device.title, figures, settings)


def _clocks(wanted: _Wanted) -> WorkloadClocks:
    folder = wanted.folder / "rtl"
    wanted.say("compiling the sources for their simulation")
    program = driving.compile_core(wanted.core, wanted.parameters, folder)
    wanted.say("simulating the sources")
    return measure_clocks(wanted.core, wanted.parameters, folder, program)


def _of_clocks(clocks: WorkloadClocks) -> dict[str, int | float | None]:
    return {"clocks_per_block": clocks.clocks_per_block, "latency_clocks": clocks.latency_clocks}


def _simulate_netlist(wanted: _Wanted, netlist: Path, clocks: WorkloadClocks) -> None:
    folder, target = wanted.folder / "netlist", wanted.asked.target
    require_same(
        wanted.core, wanted.parameters, netlist, clocks, folder, target=target, say=wanted.say
    )


def _memories(wanted: _Wanted) -> list[MemoryFacts]:
    """Finds memories and refuses large ones, before mapping turns them into flip-flops."""
    memories = survey(wanted.core, wanted.parameters, wanted.folder / "survey")
    require_mappable(wanted.core, memories, wanted.asked.memory_bits)
    for memory in memories:
        wanted.say(
            f"the memory {memory.text} becomes flip-flops: about {memory.flip_flops_ge:,.0f} GE"
        )
    return [
        MemoryFacts(
            name=memory.name,
            words=memory.words,
            word_bits=memory.word_bits,
            flip_flops_ge=memory.flip_flops_ge,
        )
        for memory in memories
    ]


def _derived(core: Core, figures: Mapping[str, float | None]) -> dict[str, float | None]:
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
        of_gates = "generic gates have no size" if kind.field == "area_um2" else _NO_TABLES
        return of_gates if asked.mapped else "the sources alone were simulated"
    if on_fpga and kind.group not in (FigureGroup.FPGA, FigureGroup.TIMED):
        return _NO_LIBRARY
    if kind.field in _PER_BYTE and block_bytes(core) is None:
        return (
            f"the catalogue has no '{core.algorithm}' and the manifest no adapter.block_bytes, so "
            "the size of a block is not known"
        )
    if kind.unit in _OF_CLOCK:
        return "no path of the core goes from a register to a register"
    return _LATCHES if kind.field.startswith("critical_path") else "not asked for (--no-power)"
