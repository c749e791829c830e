# SPDX-License-Identifier: Apache-2.0
"""The netlist of an open CPU for a target `gate:<name>`, with its simulator.

The sources of the target `mcu:<name>` are mapped to the user's cell library as `joulemark core
report` maps a core, and Verilator compiles the netlist with the bus and the memory of the target's
simulator, and with the sink that adds up joules (`firmware/simulators/sink.h`).
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from joulemark.errors import UnavailableError, UsageError
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.rv32 import build_core, buses, core_sources, harness, sources_folder
from joulemark.firmware.target import Target, TargetGates
from joulemark.hardware.flow.asic import (
    MAPPING,
    TimedMapping,
    check_clock,
    map_and_time,
    with_times,
)
from joulemark.hardware.flow.cache import CACHE_VARIABLE, default_folder, report_key
from joulemark.hardware.flow.packaged_tools import Say
from joulemark.hardware.flow.request import Flow, require
from joulemark.hardware.gate.sink import write_sink_tables, write_watched_netlist
from joulemark.hardware.liberty.library import FlipFlop
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import read_netlist, yosys_version
from joulemark.hardware.synthesis.asic import MAPPED, nand2_area_um2

# The netlist of a CPU with its simulator, made once and kept beside the reports of cores.

_MAPPED: Final = "mapped.json"
"""The netlist as Yosys left it, of which runs with delays are made again."""
_NETLIST: Final = "netlist.v"
_TABLES: Final = "tables"
_SIMULATOR: Final = "simulator"
_FACTS: Final = "facts.json"


@dataclass(frozen=True, slots=True)
class CpuFacts:
    """One mapping of a CPU, before layout. All figures are modelled from the library's tables."""

    area_ge: float
    """Area with the clock and reset trees, without memories."""
    storage_ge: float
    """Flip-flops, latches and clock gates in it."""
    trees_ge: float
    cells: int
    """Number of cells without trees."""
    period_s: float
    """Shortest clock period."""
    trees_leakage_w: float
    library: str
    corner: str
    voltage_v: float
    wire_model: str
    mapping: str
    yosys: str


@dataclass(frozen=True, slots=True)
class TimedCpu:
    """The netlist of a mapped CPU with its delays."""

    mapping: TimedMapping
    clock: str
    """Port of its clock."""


@dataclass(frozen=True, slots=True)
class GateCpu:
    """A mapped CPU, and the folder with its simulator."""

    facts: CpuFacts
    folder: Path
    timed: TimedCpu | None = None
    """The same with delays, where glitches are wanted."""

    def command(
        self, image: Path, most_core_cycles: int, period_ps: int, nets: Sequence[object] = ()
    ) -> list[str]:
        """The command that runs a program on the netlist with this clock period.

        `nets` has the file for all nets, and for each slice its first clock and its clocks.
        """
        words = (self.folder / _SIMULATOR, image, most_core_cycles, self.folder / _TABLES)
        return [*map(str, words), str(period_ps), *map(str, nets)]


def require_gates(target: Target, asked: Flow, *, glitches: bool = False) -> None:
    """Refuses a target that cannot be mapped or simulated here, and a library without the cells.

    Runs with delays, for the glitches, need one more simulator.
    """
    lacking = missing(target)
    if lacking is not None:
        raise UnavailableError(f"the netlist of {target.title} cannot be made here: it {lacking}")
    require("asic", power=glitches)
    library = read_library(asked.library)
    if not any(isinstance(cell.storage, FlipFlop) for cell in library.cells.values()):
        raise UsageError(
            f"--liberty {asked.liberty}: it has no flip-flop, so no CPU can be mapped to it; name "
            "a library of standard cells"
        )
    if not library.has_energy:
        raise UsageError(
            f"--liberty {asked.liberty}: it has no power tables, so it gives no joules; name a "
            "library that has"
        )


def gate_cpu(
    target: Target, asked: Flow, say: Say, *, glitches: bool = False, seed: int = 1
) -> GateCpu:
    """The CPU of a target in the library by the mapping of a seed, from the cache or made now."""
    core = _core(target)
    # Neither the mapping nor its simulator depends on the clock; Icarus takes no part.
    mapped_by = asked.model_copy(update={"power": False, "clock_hz": 1.0, "mappings": 1})
    digest = hashlib.sha256(report_key(core, {}, mapped_by).encode())
    if seed != 1:
        digest.update(f"seed {seed}".encode())
    compiled = (harness(), harness().with_name("sink.h"), *buses())
    for path in (Path(__file__), Path(__file__).with_name("rv32.py"), *compiled):
        digest.update(path.read_bytes())
    kept = default_folder() / "gates"
    folder = kept / digest.hexdigest()[:32]
    facts = _kept_facts(folder)
    if facts is None:
        try:
            kept.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"the cache {kept} cannot be written ({error.strerror}); name another folder in "
                f"{CACHE_VARIABLE}"
            ) from error
        with tempfile.TemporaryDirectory(prefix=".making-", dir=kept) as working:
            facts = _make(target, core, asked, Path(working), say, seed)
            whole = Path(working) / "whole"
            if _kept_facts(folder) is None:
                shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):  # another process was first, with the same files
                whole.rename(folder)
    check_clock(core, asked.clock_hz, facts.period_s)
    return GateCpu(facts, folder, _timed(core, asked, folder) if glitches else None)


def _timed(core: Core, asked: Flow, folder: Path) -> TimedCpu:
    netlist = read_netlist(folder / _MAPPED, core.top, read_library(asked.library))
    return TimedCpu(with_times(netlist, core, asked), core.clock)


def _kept_facts(folder: Path) -> CpuFacts | None:
    with suppress(OSError, ValidationError, UnicodeDecodeError):
        return TypeAdapter(CpuFacts).validate_json((folder / _FACTS).read_bytes())
    return None


def _gates(target: Target) -> TargetGates:
    assert target.gates is not None
    return target.gates


def _core(target: Target) -> Core:
    """The CPU as the flow takes a core; its adapter and its algorithm mean nothing."""
    gates = _gates(target)
    sources = [*map(str, core_sources(target)), *([gates.wrapper] if gates.wrapper else [])]
    package = str(sources_folder(target))
    return Core(
        name=target.folder.name.replace("-", "_"),
        title=target.title,
        algorithm="none",
        top=gates.top,
        clock=gates.clock,
        sources=sources,
        include_folders=[name.replace("{package}", package) for name in gates.include_folders],
        adapter={},
        folder=target.folder,
    )


def _make(target: Target, core: Core, asked: Flow, working: Path, say: Say, seed: int) -> CpuFacts:
    """Maps the CPU and compiles its netlist; the kept files are then in the folder `whole`."""
    whole = working / "whole"
    whole.mkdir()
    again = f", seed {seed}" if seed != 1 else ""
    say(f"mapping {target.title} to the cells of {asked.library.name}{again}")
    mapped = map_and_time(core, {}, asked, working, seed=seed)
    shutil.copyfile(working / MAPPING / MAPPED, whole / _MAPPED)
    write_watched_netlist(mapped.netlist, whole / _NETLIST, working / "nets.h")
    trees_j = {tree.net: tree.energy_per_toggle_j for tree in mapped.trees.trees}
    write_sink_tables(mapped.netlist, mapped.wires, trees_j, whole / _TABLES)
    say(f"compiling the netlist of {target.title}, once, for some minutes at most")
    # A compiler takes far longer for one function with all the logic than for many small ones.
    flags = f"-O1 -DJM_GATES -I{working} -I{harness().parent}"
    arguments = ("-CFLAGS", flags, "--output-split-cfuncs", "500")
    netlist = [whole / _NETLIST]
    shutil.copyfile(build_core(target, core.top, netlist, arguments, working), whole / _SIMULATOR)
    (whole / _SIMULATOR).chmod(0o755)
    facts = _facts(mapped)
    (whole / _FACTS).write_bytes(TypeAdapter(CpuFacts).dump_json(facts))
    return facts


def _facts(mapped: TimedMapping) -> CpuFacts:
    netlist, library, trees = mapped.netlist, mapped.library, mapped.trees
    unit = nand2_area_um2(library)
    areas = netlist.areas_um2()
    trees_um2 = trees.clock_area_um2 + trees.reset_area_um2
    return CpuFacts(
        area_ge=(netlist.area_um2 + trees_um2) / unit,
        storage_ge=sum(area for kind, area in areas.items() if kind != "logic") / unit,
        trees_ge=trees_um2 / unit,
        cells=len(netlist.instances),
        period_s=mapped.period_s,
        trees_leakage_w=trees.leakage_w,
        library=library.name,
        corner=library.corner,
        voltage_v=library.nominal_voltage_v,
        wire_model=mapped.wires.wire.text,
        mapping=netlist.mapping,
        yosys=yosys_version(),
    )
