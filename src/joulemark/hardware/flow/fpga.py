# SPDX-License-Identifier: Apache-2.0
"""Maps a core onto an FPGA: the cells that it occupies, and its clock over seeds of the placer.

The core alone is mapped and counted; the same netlist is then placed in a frame with a register on
every port (`joulemark.hardware.flow.place`). The clock comes from nextpnr's timing model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

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
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis.yosys import read_command, run_yosys
from joulemark.processes.tool import ToolRuns

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


def characterise(
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
