# SPDX-License-Identifier: Apache-2.0
"""Maps a core onto the cells of a Liberty library with Yosys and ABC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.liberty.library import Cell, ClockGate, Library
from joulemark.hardware.synthesis.cell_map import CLOCK_GATE_MODULE, LATCH_MODULE, cell_map
from joulemark.hardware.synthesis.full_adder import adder_map, full_adder
from joulemark.hardware.synthesis.netlist import Netlist, read_netlist
from joulemark.hardware.synthesis.scripts import MAPPINGS, scripts_of
from joulemark.hardware.synthesis.yosys import quoted, read_command, run_yosys

__all__ = ["map_core", "nand2_area_um2"]

_GATE_KINDS = ("latch_posedge", "latch_posedge_precontrol")
"""Liberty's names of gates that AND the clock: without a test pin, and with one before the
latch."""
_MAPS = Path(__file__).parent / "maps"


@dataclass(frozen=True, slots=True)
class _Choice:
    """Cells of the library that the flow chooses by name."""

    gate: Cell | None
    """Clock gate without a test pin."""
    scan_gate: Cell | None
    """Clock gate with one test pin."""
    high: tuple[str, str] | None
    """Name and pin of the cell that is always 1."""
    low: tuple[str, str] | None
    """Name and pin of the cell that is always 0."""
    avoided: list[str]


def nand2_area_um2(library: Library) -> float:
    """Area of the smallest two-input NAND, the unit of gate equivalents.

    Raises:
        UsageError: the library has none.
    """
    for cell in library.by_area():
        if not cell.special and cell.computes(2, (0b0111,)):
            return cell.area_um2
    raise UsageError(f"the library {library.name} has no two-input NAND to count gates by")


def map_core(
    core: Core,
    parameters: Mapping[str, int],
    liberty: Path,
    library: Library,
    folder: Path,
    *,
    mapping: str = "area",
    seed: int = 1,
    hierarchy: bool = False,
    gated_flip_flops: int = 4,
) -> Netlist:
    """The core as a flat netlist of the library's cells; files stay in `folder`.

    Args:
        core: the core.
        parameters: parameters of its top module.
        liberty: file of the library.
        library: the library, read from that file.
        folder: folder for the script, logs and the netlist.
        mapping: `area` or `speed`.
        seed: seed of the variation of ABC's scripts; 1 leaves them as they are.
        hierarchy: whether every module is mapped apart and flattened afterwards, so that every
            cell's name tells its module; the netlist is somewhat larger, because modules share
            nothing.
        gated_flip_flops: number of flip-flops with one enable from which they get a clock gate.

    Raises:
        ImplementationError: Yosys refused the sources, or a part of the core has no cell.
        UsageError: the mapping is unknown.
    """
    if mapping not in MAPPINGS:
        raise UsageError(f"there is no mapping '{mapping}'; give one of {', '.join(MAPPINGS)}")
    folder.mkdir(parents=True, exist_ok=True)
    chosen = _choose(library)
    (folder / "cells.v").write_text(cell_map(library, chosen.gate, chosen.scan_gate), "utf-8")
    avoided = " ".join(f"-dont_use {name}" for name in chosen.avoided)
    options = f"{avoided} -liberty {quoted(liberty.resolve())}"
    designs = _designs(library, mapping, folder, chosen.gate, options, gated_flip_flops)
    starts = list(product(designs, scripts_of(mapping, seed)))
    commands = _synthesis(core, parameters, mapping, hierarchy=hierarchy)
    commands += chain.from_iterable(designs.values())
    for number, (start, script) in enumerate(starts):
        (folder / f"mapping{number}.abc").write_text("\n".join([*script, ""]), "utf-8")
        commands += _to_cells(number, start, options, chosen, hierarchy=hierarchy)
    run_yosys(commands, folder, name="mapping")
    mapped = [
        read_netlist(folder / f"netlist{number}.json", core.top, library)
        for number in range(len(starts))
    ]
    for number, (netlist, (start, script)) in enumerate(zip(mapped, starts, strict=True), 1):
        adders = " after cells of full adders" if start == "with_adders" else ""
        netlist.mapping = (
            f"seed {seed}, {number} of {len(mapped)}, "
            f"for {mapping},{adders} by ABC's {'; '.join(script)}"
        )
    return min(mapped, key=lambda netlist: netlist.area_um2)


def _synthesis(
    core: Core, parameters: Mapping[str, int], mapping: str, *, hierarchy: bool
) -> list[str]:
    """Commands that read a core and save it in gates of Yosys as the design `gates`."""
    reading = ["--blackboxed-module", CLOCK_GATE_MODULE, "--blackboxed-module", LATCH_MODULE]
    if hierarchy:
        reading.append("--best-effort-hierarchy")
    extra = f"-extra-map {quoted(_MAPS / 'kogge_stone.v')}" if mapping == "speed" else ""
    flatten = "" if hierarchy else "-flatten"
    return [
        read_command(core, parameters, extra=reading),
        f"hierarchy -check -top {core.top}",
        f"synth -top {core.top} {flatten} -noabc {extra}",
        "design -save gates",
    ]


def _designs(
    library: Library, mapping: str, folder: Path, gate: Cell | None, options: str, gated: int
) -> dict[str, list[str]]:
    """Designs that ABC begins with, by name, and the commands that make each of `gates`."""
    finish = [
        *_gating(gate, gated), "opt_clean -purge", f"dfflibmap {options}", "techmap -map cells.v",
        "opt -purge",
    ]  # fmt: skip
    designs = {"prepared": [*finish, "design -save prepared"]}
    adder = full_adder(library) if mapping == "area" else None
    if adder is not None:
        # ABC does not find cells with two outputs. They are slow: nothing for `speed`.
        (folder / "adder.v").write_text(adder_map(*adder), "utf-8")
        designs["with_adders"] = [
            "design -load gates", "extract_fa -fa", "techmap -map adder.v", "opt_clean", *finish,
            "design -save with_adders",
        ]  # fmt: skip
    return designs


def _to_cells(
    number: int, start: str, options: str, chosen: _Choice, *, hierarchy: bool
) -> list[str]:
    """Commands that make a netlist of the design `start` with one of the scripts of ABC."""
    return [
        f"design -load {start}",
        f"abc {options} -script mapping{number}.abc",
        "opt_clean -purge",
        "setundef -zero",
        *_ties(chosen),
        *(["flatten -scopename"] if hierarchy else []),
        "opt_clean -purge",
        "check",
        f"write_json netlist{number}.json",
    ]


def _choose(library: Library) -> _Choice:
    gates: dict[int, Cell] = {}
    ties: dict[str | None, tuple[str, str]] = {}
    avoided: list[str] = []
    for cell in library.by_area():
        if isinstance(cell.storage, ClockGate) and cell.storage.kind in _GATE_KINDS:
            gates.setdefault(len(cell.storage.test), cell)
        if not cell.inputs() and not cell.special:
            for pin in cell.outputs():
                ties.setdefault(pin.function, (cell.name, pin.name))
        if cell.special or cell.dont_use:
            avoided.append(cell.name)
    return _Choice(gates.get(0), gates.get(1), ties.get("1"), ties.get("0"), sorted(avoided))


def _gating(gate: Cell | None, minimum: int) -> list[str]:
    if gate is None or not isinstance(gate.storage, ClockGate):
        return []
    pins = gate.storage
    return [
        f"clockgate -pos {gate.name} {pins.enable}:{pins.clock}:{pins.out} -min_net_size {minimum}"
    ]


def _ties(chosen: _Choice) -> list[str]:
    if chosen.high is None or chosen.low is None:
        return []
    return [f"hilomap -singleton -hicell {' '.join(chosen.high)} -locell {' '.join(chosen.low)}"]
