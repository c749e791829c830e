# SPDX-License-Identifier: Apache-2.0
"""Maps a core onto an FPGA, and to cells with several seeds: figures, and how far they spread."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.hardware.export import Circuit
from joulemark.hardware.flow.asic import (
    TimedMapping,
    check_clock,
    figures_of,
    map_and_time,
    simulate_rtl,
)
from joulemark.hardware.flow.cache import AsicFigures, MappingCache
from joulemark.hardware.flow.packaged_tools import Say, start_words
from joulemark.hardware.flow.place import (
    HARNESS,
    METHODS,
    Device,
    Placement,
    Resources,
    count,
    harness,
    place,
    ports_of,
    run_to_end,
)
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import read_command, run_yosys
from joulemark.processes.tool import ToolRuns
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreSettings

# A core on an FPGA: the cells that it occupies, and its clock over seeds of the placer.
#
# The core alone is mapped and counted; the same netlist is then placed in a frame with a register
# on every port (`joulemark.hardware.flow.place`). The clock comes from nextpnr's timing model.

_FINISH: Final = ("check -noinit", "blackbox =A:whitebox", "rename -wire")
"""The last step of Yosys's scripts for these devices, but for `autoname`: along a long carry chain
it makes names of kilobytes, with which nextpnr takes minutes for what takes it seconds."""


@dataclass(frozen=True, slots=True)
class FpgaFigures:
    """One core with one set of parameters on one device."""

    resources: Resources
    placements: tuple[Placement, ...]

    def clocks_hz(self) -> list[float]:
        """Clocks that the seeds reached, the lowest first."""
        return sorted(
            placement.fmax_hz for placement in self.placements if placement.fmax_hz is not None
        )

    def fmax_hz(self) -> float | None:
        """Median of the clocks over the seeds; None if no seed has a clock."""
        reached = self.clocks_hz()
        return median(reached) if reached else None


def map_core(core: Core, parameters: Mapping[str, int], device: Device, folder: Path) -> Resources:
    """Maps a core onto a device's cells and counts them; leaves `framed.json` to be placed."""
    run_yosys(
        [
            read_command(core, parameters),
            f"{device.synthesis} -top {core.top} -run :check",
            *_FINISH,
            "write_rtlil bare.il",
            "write_json bare.json",
        ],
        folder,
        name="core",
    )
    bare = folder / "bare.json"
    (folder / "harness.v").write_text(harness(core, ports_of(bare, core.top)), "utf-8")
    run_yosys(
        [
            "read_verilog harness.v",
            f"{device.synthesis} -top {HARNESS} -run :check",
            *_FINISH,
            "read_rtlil -overwrite bare.il",
            f"hierarchy -top {HARNESS}",
            "flatten",
            "clean",
            "write_json framed.json",
        ],
        folder,
        name="frame",
    )
    return count(bare, core.top, device.cells)


def logic(core: Core, device: Device, folder: Path) -> Path:
    """Verilog of the mapped core in which each cell is the logic that Yosys' library says.

    Models are elaborated for the cells that occur: those of large memories take minutes.
    """
    run_yosys(
        [
            "read_rtlil bare.il",
            "delete =A:blackbox",
            f"read_verilog -defer -overwrite {device.models}",
            f"hierarchy -check -top {core.top}",
            "proc",
            "flatten",
            "opt",
            "clean -purge",
            "write_verilog -noattr logic.v",
        ],
        folder,
        name="logic",
    )
    return folder / "logic.v"


def characterise_fpga(
    core: Core,
    parameters: Mapping[str, int],
    device: Device,
    *,
    seeds: Sequence[int],
    folder: Path,
    placers: Sequence[str] = tuple(METHODS),
    jobs: int | None = None,
    say: Say = lambda _text: None,
    check: Callable[[Path | None], None] = lambda _netlist: None,
) -> FpgaFigures:
    """Maps, places and routes a core once per seed, as many seeds at once as there are CPU cores.

    The placers are tried in order until one finds a way. `check` is called before placing with the
    Verilog of the netlist, the logic of each cell in its place; with None if Yosys has no such
    logic for one of the cells.
    """
    say("mapping")
    resources = map_core(core, parameters, device, folder)
    modelled = resources.multipliers == 0 and (resources.block_rams == 0 or device.ram_model)
    check(logic(core, device, folder) if modelled else None)
    start_words(device.tool, say)
    say(f"placing, {len(seeds)} seeds")
    runs = ToolRuns()

    def placement(seed: int) -> Placement:
        start = partial(run_to_end, runs=runs)
        done = place("framed.json", device, seed, folder, start, placers)
        say(f"seed {seed} placed")
        return done

    workers = min(len(seeds), jobs or len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max(1, workers)) as pool, runs.ended_on_error():
        return FpgaFigures(resources, tuple(pool.map(placement, seeds)))


# A core in cells, mapped with several seeds: medians of its figures, and how far they spread.
#
# Mapping is a search, whose end depends on its beginning, so one figure of area or energy is one
# draw. The median over seeds, with the lowest and the highest, tells how much of a difference is
# due to the core and how much to the draw. A figure of a core is the median of that figure over the
# mappings. Modules, paths and settings have no median: they are of the mapping whose energy, or
# area if there is no power, is nearest to the median.

DEFAULT_MAPPINGS: Final = 3
"""The smallest number of mappings that has a range and, as its median, one of the mappings."""
LARGE_CELLS: Final = 6_000
"""Unless a number is asked for, a core whose first mapping has more cells gets no other mapping:
a report of it would take more than two minutes."""

_SPREAD: Final = sorted(
    {kind.part_of for kind in CORE_FIGURES.values() if kind.end is not None}
    & {field.name for field in fields(AsicFigures)}
)
"""Figures whose range over mappings is stated."""

_SUPPLY = (0.75, 1.25)
"""Lowest and highest share of a library's voltage to which its dynamic power is scaled. Corners of
libraries are a tenth of it apart; further off, leakage, delays and short-circuit currents matter
more."""


def require_library(asked: Flow) -> None:
    """Refuses a library from which the figures cannot be made."""
    library = read_library(asked.library)
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


@dataclass(frozen=True, slots=True)
class MappingSpread:
    """Figures over mappings."""

    median: AsicFigures
    """Median of each number; everything else from the mapping nearest to the median."""
    by_seed: Mapping[int, AsicFigures]
    """Figures of each mapping."""

    def ends(self, name: str) -> tuple[float, float] | None:
        """Lowest and highest value of a figure; None if a mapping lacks the figure."""
        values = [getattr(asic_figures, name) for asic_figures in self.by_seed.values()]
        return None if None in values else (min(values), max(values))


def characterise(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    *,
    folder: Path,
    mappings: int | None = None,
    kept: MappingCache | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> MappingSpread:
    """Figures of a core over mappings of the seeds 1 to `mappings`.

    Unless given, there are DEFAULT_MAPPINGS, or 1 for a core of more than LARGE_CELLS cells. All
    mappings are made and timed before the core is simulated, once for all of them, so that a clock
    that one of them does not allow is refused before minutes of work. Each is kept as soon as it is
    done. `observe` is called with the seed and the circuit of each mapping that is made.
    """
    kept = kept or MappingCache(None, "")
    done: dict[int, AsicFigures] = {}
    waiting: dict[int, TimedMapping] = {}
    seed, last = 1, mappings or DEFAULT_MAPPINGS
    while seed <= last:
        figures = kept.get(seed)
        if figures is not None:
            done[seed] = figures
        else:
            say(f"mapping {seed}")
            place = folder / f"mapping{seed}"
            waiting[seed] = map_and_time(core, parameters, asked, place, seed=seed)
        if mappings is None and seed == 1:
            cells = figures.cells if figures is not None else len(waiting[1].netlist.instances)
            last = 1 if cells > LARGE_CELLS else last
        seed += 1
    if asked.clock_share is not None:
        asked = asked.model_copy(update={"clock_hz": _shared_hz(asked.clock_share, done, waiting)})
    if asked.power:
        periods = [asic_figures.period_s for asic_figures in done.values()]
        periods += [mapped.period_s for mapped in waiting.values()]
        check_clock(core, asked.clock_hz, max(periods))
    if waiting:
        say("simulating")
        first = next(iter(waiting.values()))
        recording = simulate_rtl(core, parameters, first.netlist, folder)
        for number in list(waiting):
            say(f"replaying the netlist of mapping {number}")
            place = folder / f"mapping{number}"
            done[number] = figures_of(
                core,
                parameters,
                waiting.pop(number),
                recording,
                asked,
                place,
                observe=observe and partial(observe, number),
            )
            kept.put(number, done[number])
    return spread_of({seed: done[seed] for seed in sorted(done)})


def _shared_hz(
    share: float, done: Mapping[int, AsicFigures], waiting: Mapping[int, TimedMapping]
) -> float:
    """This share of the highest clock of the first mapping, which may be kept."""
    first = done[1] if 1 in done else waiting[1]
    return share / first.period_without_trees_s


def spread_of(by_seed: Mapping[int, AsicFigures]) -> MappingSpread:
    """Medians of the figures of some mappings."""
    each = list(by_seed.values())
    by = "area_ge" if each[0].energy_per_block_j is None else "energy_per_block_j"
    middle = median(getattr(asic_figures, by) for asic_figures in each)
    shown = min(by_seed, key=lambda seed: abs(getattr(by_seed[seed], by) - middle))
    numbers: dict[str, Any] = {
        field.name: _median([getattr(figures, field.name) for figures in each])
        for field in fields(AsicFigures)
        if isinstance(getattr(each[0], field.name), int | float)
    }
    settings: CoreSettings = {
        **by_seed[shown].settings,
        "mappings": [
            {"seed": seed, **{name: getattr(asic_figures, name) for name in _SPREAD}}
            for seed, asic_figures in by_seed.items()
        ],
        "mapping_shown": shown,
    }
    return MappingSpread(replace(by_seed[shown], **numbers, settings=settings), by_seed)


def _median(values: Sequence[float]) -> float:
    middle = median(values)
    return int(middle) if isinstance(values[0], int) and middle == int(middle) else middle
