# SPDX-License-Identifier: Apache-2.0
"""Maps a core onto the cells of a Liberty library with Yosys and ABC."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.hardware.liberty import truth_table
from joulemark.hardware.liberty.library import CellLibrary, ClockGate, Latch, LibraryCell
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import Netlist, quoted, read_command, read_netlist, run_yosys

# Scripts of ABC for each mapping, and how a seed varies them.
#
# What ABC finds depends on the structure that it begins with, which says little about the core. A
# seed puts passes in front that give the same logic another structure of about the same size; seed
# 1 puts none. The same seed always gives the same passes, so that a mapping can be made again.

Script = tuple[str, ...]

_TIDY: Final = ("strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2")
MAPPINGS: Final[Mapping[str, tuple[Script, ...]]] = {
    "area": (
        (*_TIDY, "strash", "&get -n", "&dch -f", "&nf -R 100 -F 5", "&put"),
        (*_TIDY, "dc2", "strash", "&get -n", "&dch", "&nf -R 1000 -F 20 -p -C 32", "&put"),
        ("strash", "ifraig", "scorr", "dc2", "dc2", "dch -f", "amap -m -F 20 -A 20 -E 0.1 -C 5000"),
    ),
    "speed": (("strash", "dch", "map -B 0.9", "topo", "buffer -c -p -N 16", "upsize", "dnsize"),),
}
"""Scripts by the name of the mapping. The mapping of a seed is the smallest of their results, with
and without the library's full adders if area counts."""

_RESTRUCTURING: Final[Mapping[str, Script]] = {
    "area": (
        "balance",
        "rewrite",
        "rewrite -z",
        "refactor",
        "refactor -z",
        "resub -K 6",
        "resub -K 8",
        "resub -K 10",
        "dc2",
    ),
    "speed": ("rewrite", "rewrite -z", "refactor -z", "resub -K 6", "resub -K 8"),
}
"""Passes from which a seed draws. Passes that save area at the price of depth are not for speed."""
_PASSES: Final = 4


def scripts_of(mapping: str, seed: int) -> tuple[Script, ...]:
    """The scripts of a mapping of MAPPINGS as a seed varies them; seed 1 varies nothing."""
    if seed == 1:
        return MAPPINGS[mapping]
    drawn = random.Random(f"{mapping} {seed}")  # noqa: S311 - it is to be repeated, not guarded
    passes = drawn.choices(_RESTRUCTURING[mapping], k=_PASSES)
    end = ("balance",) if mapping == "speed" else ()
    return tuple(("strash", *passes, *end, *script) for script in MAPPINGS[mapping])


# Finds the full adder of a library, and writes the map by which Yosys puts it into a circuit.

_SUM = 0b10010110
"""Truth table that is true if one or three of the three inputs are."""
_CARRY = 0b11101000
"""Truth table that is true if two or three of them are."""


def full_adder(library: CellLibrary) -> tuple[LibraryCell, str, str] | None:
    """The smallest cell that adds three bits, and its pins of the sum and of the carry."""
    for cell in library.by_area():
        if cell.storage is not None or cell.special or cell.dont_use or len(cell.inputs()) != 3:
            continue
        names = [pin.name for pin in cell.inputs()]
        pins = {
            truth_table(pin.function, names): pin.name
            for pin in cell.outputs()
            if pin.function is not None
        }
        if set(pins) == {_SUM, _CARRY}:
            return cell, pins[_SUM], pins[_CARRY]
    return None


def adder_map(cell: LibraryCell, total: str, carry: str) -> str:
    """Verilog that techmap puts in place of `$fa`, in which X is the carry and Y the sum."""
    inputs = ", ".join(
        f".{pin.name}({port}[i])" for pin, port in zip(cell.inputs(), "ABC", strict=True)
    )
    return (
        '(* techmap_celltype = "$fa" *)\n'
        "module jm_full_adder #(parameter WIDTH = 1) (input [WIDTH-1:0] A, input [WIDTH-1:0] B,\n"
        "  input [WIDTH-1:0] C, output [WIDTH-1:0] X, output [WIDTH-1:0] Y);\n"
        "  genvar i;\n  generate for (i = 0; i < WIDTH; i = i + 1) begin : bits\n"
        f"    {cell.name} adder ({inputs}, .{carry}(X[i]), .{total}(Y[i]));\n"
        "  end endgenerate\nendmodule\n"
    )


# Writes the map by which Yosys puts a library's clock gates and latches into a circuit.

CLOCK_GATE_MODULE = "jm_clock_gate"
LATCH_MODULE = "jm_latch"


def cell_map(library: CellLibrary, gate: LibraryCell | None, scan_gate: LibraryCell | None) -> str:
    """Verilog that techmap puts in place of clock gates and latches.

    `gate` and `scan_gate` are the clock gates without and with a test pin, or None.
    """
    parts = [_clock_gates(gate, scan_gate)]
    latches: dict[str, LibraryCell] = {}
    for cell in library.by_area():
        if isinstance(cell.storage, Latch) and not cell.special and not cell.dont_use:
            kind = _latch_kind(cell, cell.storage)
            if kind is not None:
                latches.setdefault(kind, cell)
    if "$_DLATCH_PN0_" in latches:
        parts.append(
            f"module {LATCH_MODULE} #(parameter WIDTH = 8) (input rst_ni, input gate_i,\n"
            "  input [WIDTH-1:0] d_i, output [WIDTH-1:0] q_o);\n"
            "  genvar i;\n  generate for (i = 0; i < WIDTH; i = i + 1) begin : bits\n"
            "    \\$_DLATCH_PN0_ latch (.E(gate_i), .R(rst_ni), .D(d_i[i]), .Q(q_o[i]));\n"
            "  end endgenerate\n"
            "endmodule\n"
        )
    for kind, cell in latches.items():
        parts.append(_latch_map(kind, cell))
    for kind, other in (("$_DLATCH_P_", "$_DLATCH_N_"), ("$_DLATCH_N_", "$_DLATCH_P_")):
        if kind not in latches and other in latches:
            parts.append(
                f"module \\{kind} (input E, input D, output Q);\n"
                "  wire turned;\n  \\$_NOT_ turn (.A(E), .Y(turned));\n"
                f"  \\{other} latch (.E(turned), .D(D), .Q(Q));\nendmodule\n"
            )
    return "\n".join(parts)


def _clock_gates(gate: LibraryCell | None, scan_gate: LibraryCell | None) -> str:
    """Verilog in place of the clock gate's module, by whether its `scan_enable_i` is always 0."""
    # techmap sets these where the input is a constant, and leaves them where it is unconnected.
    constant = (
        "  parameter _TECHMAP_CONSTMSK_scan_enable_i_ = 1'b1;\n"
        "  parameter _TECHMAP_CONSTVAL_scan_enable_i_ = 1'b0;\n"
        "  localparam TIED = _TECHMAP_CONSTMSK_scan_enable_i_ === 1'b1 &&\n"
        "                    _TECHMAP_CONSTVAL_scan_enable_i_ !== 1'b1;\n"
    )
    return "\n".join(
        f'(* techmap_celltype = "{CLOCK_GATE_MODULE}" *)\n'
        f"module {CLOCK_GATE_MODULE}_{name} (input clk_i, input enable_i, input scan_enable_i, "
        f"output clk_o);\n{constant}  localparam UNFIT = {unfit};\n"
        f"  wire _TECHMAP_FAIL_ = UNFIT;\n{body}endmodule\n"
        for name, unfit, body in (
            ("plain", "!TIED", _gate(gate, "enable_i")),
            ("scan", "TIED", _scan_gate(gate, scan_gate)),
        )
    )


def _gate(gate: LibraryCell | None, enable: str, test: str = "") -> str:
    """Verilog of one clock gate: the library's cell, or a latch and an AND if it has none."""
    if gate is None or not isinstance(gate.storage, ClockGate):
        return (
            "    wire held;\n"
            f"    \\$_DLATCH_N_ latch (.E(clk_i), .D({enable}), .Q(held));\n"
            "    \\$_AND_ both (.A(clk_i), .B(held), .Y(clk_o));\n"
        )
    pins = gate.storage
    tests = "".join(f", .{pin}({test})" for pin in pins.test)
    return (
        f"    {gate.name} gate (.{pins.clock}(clk_i), .{pins.enable}({enable}){tests}, "
        f".{pins.out}(clk_o));\n"
    )


def _scan_gate(gate: LibraryCell | None, scan_gate: LibraryCell | None) -> str:
    """Verilog of a clock gate with `scan_enable_i`, at a test pin or by an OR before the enable."""
    if scan_gate is not None:
        return _gate(scan_gate, "enable_i", "scan_enable_i")
    either = "    wire either;\n    \\$_OR_ test (.A(enable_i), .B(scan_enable_i), .Y(either));\n"
    return either + _gate(gate, "either")


def _latch_kind(cell: LibraryCell, latch: Latch) -> str | None:
    """The internal cell of Yosys that does the same as a latch; None if no simple cell does."""
    if latch.data_in not in cell.pins or latch.preset is not None:
        return None
    enable = _polarity(latch.enable, cell)
    if enable is None or not any(pin.function == latch.state for pin in cell.outputs()):
        return None
    if latch.clear is None:
        return f"$_DLATCH_{enable[1]}_"
    clear = _polarity(latch.clear, cell)
    return None if clear is None else f"$_DLATCH_{enable[1]}{clear[1]}0_"


def _polarity(function: str, cell: LibraryCell) -> tuple[str, str] | None:
    text = function.replace(" ", "").strip("()")
    name = text.strip("!'")
    if name not in cell.pins:
        return None
    return name, "P" if text == name else "N"


def _latch_map(kind: str, cell: LibraryCell) -> str:
    latch = cell.storage
    assert isinstance(latch, Latch)
    enable = _polarity(latch.enable, cell)
    clear = _polarity(latch.clear, cell) if latch.clear else None
    out = next(pin.name for pin in cell.outputs() if pin.function == latch.state)
    assert enable is not None
    ports = "input E, input D, output Q" + (", input R" if clear else "")
    pins = f".{enable[0]}(E), .{latch.data_in}(D), .{out}(Q)" + (
        f", .{clear[0]}(R)" if clear else ""
    )
    return f"module \\{kind} ({ports});\n  {cell.name} latch ({pins});\nendmodule\n"


MAPPED: Final = "netlist.json"
"""File of the netlist that `map_core` returns, as Yosys wrote it."""
_GATE_KINDS = ("latch_posedge", "latch_posedge_precontrol")
"""Liberty's names of gates that AND the clock: without a test pin, and with one before the
latch."""
_MAPS = Path(__file__).parent / "maps"


@dataclass(frozen=True, slots=True)
class _Choice:
    """Cells of the library that the flow chooses by name."""

    gate: LibraryCell | None
    """Clock gate without a test pin."""
    scan_gate: LibraryCell | None
    """Clock gate with one test pin."""
    high: tuple[str, str] | None
    """Name and pin of the cell that is always 1."""
    low: tuple[str, str] | None
    """Name and pin of the cell that is always 0."""
    avoided: list[str]


def nand2_area_um2(library: CellLibrary) -> float:
    """Area of the smallest two-input NAND, the unit of gate equivalents."""
    for cell in library.by_area():
        if not cell.special and cell.computes(2, (0b0111,)):
            return cell.area_um2
    raise UsageError(f"the library {library.name} has no two-input NAND to count gates by")


def map_core(
    core: Core,
    parameters: Mapping[str, int],
    liberty: Path,
    library: CellLibrary,
    folder: Path,
    *,
    mapping: str = "area",
    seed: int = 1,
    hierarchy: bool = False,
    gated_flip_flops: int = 4,
) -> Netlist:
    """The core as a flat netlist of the library's cells; files stay in `folder`, `MAPPED` too.

    The mapping is `area` or `speed`. The seed varies ABC's scripts; 1 leaves them as they are. With
    `hierarchy` every module is mapped apart and flattened afterwards, so that every cell's name
    tells its module; the netlist is somewhat larger, because modules share nothing. So many flip-
    flops with one enable get a clock gate.
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
    smallest = min(range(len(mapped)), key=lambda number: mapped[number].area_um2)
    shutil.copyfile(folder / f"netlist{smallest}.json", folder / MAPPED)
    return mapped[smallest]


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
    library: CellLibrary,
    mapping: str,
    folder: Path,
    gate: LibraryCell | None,
    options: str,
    gated: int,
) -> dict[str, list[str]]:
    """Designs that ABC begins with, by name, and the commands that make each of `gates`."""
    finish = [
        *_gating(gate, gated),
        "opt_clean -purge",
        f"dfflibmap {options}",
        "techmap -map cells.v",
        "opt -purge",
    ]
    designs = {"prepared": [*finish, "design -save prepared"]}
    adder = full_adder(library) if mapping == "area" else None
    if adder is not None:
        # ABC does not find cells with two outputs. They are slow: nothing for `speed`.
        (folder / "adder.v").write_text(adder_map(*adder), "utf-8")
        designs["with_adders"] = [
            "design -load gates",
            "extract_fa -fa",
            "techmap -map adder.v",
            "opt_clean",
            *finish,
            "design -save with_adders",
        ]
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


def _choose(library: CellLibrary) -> _Choice:
    gates: dict[int, LibraryCell] = {}
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


def _gating(gate: LibraryCell | None, minimum: int) -> list[str]:
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
