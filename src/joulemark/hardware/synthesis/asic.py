# SPDX-License-Identifier: Apache-2.0
"""Maps a core onto the cells of a Liberty library with Yosys and ABC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.liberty.function import truth_table
from joulemark.hardware.liberty.library import Cell, ClockGate, Latch, Library
from joulemark.hardware.synthesis.full_adder import adder_map, full_adder
from joulemark.hardware.synthesis.netlist import Netlist, read_netlist
from joulemark.hardware.synthesis.scripts import MAPPINGS, scripts_of
from joulemark.hardware.synthesis.yosys import quoted, read_command, run_yosys

__all__ = ["map_core", "nand2_area_um2"]

CLOCK_GATE_MODULE = "jm_clock_gate"
_GATE_KINDS = ("latch_posedge", "latch_posedge_precontrol")
"""Liberty's names of gates that AND the clock: with no test pin, with one before the latch."""
LATCH_MODULE = "jm_latch"
_MAPS = Path(__file__).parent / "maps"


@dataclass(frozen=True, slots=True)
class _Choice:
    """Cells of the library that the flow names itself."""

    gate: Cell | None
    scan_gate: Cell | None
    """Clock gates without and with one test pin."""
    high: tuple[str, str] | None
    low: tuple[str, str] | None
    avoided: tuple[str, ...]


def nand2_area_um2(library: Library) -> float:
    """Area of the smallest two-input NAND, the unit of gate equivalents.

    Raises:
        UsageError: the library has none.
    """
    areas = [
        cell.area_um2
        for cell in library.cells.values()
        if cell.storage is None and not cell.special and len(cell.inputs()) == 2
        and len(cell.outputs()) == 1 and _is_nand(cell)
    ]  # fmt: skip
    if not areas:
        raise UsageError(f"the library {library.name} has no two-input NAND to count gates by")
    return min(areas)


def _is_nand(cell: Cell) -> bool:
    function = cell.outputs()[0].function
    if function is None:
        return False
    return truth_table(function, [pin.name for pin in cell.inputs()]) == 0b0111


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
    dont_use: Sequence[str] = (),
) -> Netlist:
    """The core as a flat netlist of the library's cells; files stay in `folder`.

    Args:
        core: The core.
        parameters: Of its top module.
        liberty: File of the library.
        library: The same, read.
        folder: For the script, logs and the netlist.
        mapping: `area` or `speed`.
        seed: of the variation of ABC's scripts, from 1, which is none.
        hierarchy: Maps every module on its own and flattens afterwards, so that every cell's name
            says its module; somewhat larger, because nothing is shared between modules.
        gated_flip_flops: Flip-flops with one enable from which a clock gate is put in.
        dont_use: Cells to avoid besides those that the library marks.

    Raises:
        ImplementationError: Yosys refused the sources, or something has no cell.
        UsageError: no such mapping.
    """
    if mapping not in MAPPINGS:
        raise UsageError(f"there is no mapping '{mapping}'; give one of {', '.join(MAPPINGS)}")
    folder.mkdir(parents=True, exist_ok=True)
    chosen = _choose(library, dont_use)
    (folder / "cells.v").write_text(_cell_map(library, chosen), "utf-8")
    avoided = " ".join(f"-dont_use {name}" for name in chosen.avoided)
    extra = f"-extra-map {quoted(_MAPS / 'kogge_stone.v')}" if mapping == "speed" else ""
    flatten = "" if hierarchy else "-flatten"
    reading = ["--blackboxed-module", CLOCK_GATE_MODULE, "--blackboxed-module", LATCH_MODULE]
    if hierarchy:
        reading.append("--best-effort-hierarchy")
    library_path = quoted(liberty.resolve())
    liberty_text = f"-liberty {library_path}"
    finish = [
        *_gating(chosen.gate, gated_flip_flops),
        "opt_clean -purge",
        f"dfflibmap {avoided} {liberty_text}",
        "techmap -map cells.v",
        "opt -purge",
    ]
    commands = [
        read_command(core, parameters, extra=reading),
        f"hierarchy -check -top {core.top}",
        f"synth -top {core.top} {flatten} -noabc {extra}",
        "design -save gates",
        *finish,
        "design -save prepared",
    ]
    prepared = ["prepared"]
    adder = full_adder(library) if mapping == "area" else None
    if adder is not None:
        # ABC does not find cells with two outputs. They are slow: nothing for `speed`.
        (folder / "adder.v").write_text(adder_map(*adder), "utf-8")
        commands += [
            "design -load gates", "extract_fa -fa", "techmap -map adder.v", "opt_clean", *finish,
            "design -save with_adders",
        ]  # fmt: skip
        prepared.append("with_adders")
    netlists = []
    words = []
    for number, (start, script) in enumerate(product(prepared, scripts_of(mapping, seed))):
        (folder / f"mapping{number}.abc").write_text("\n".join([*script, ""]), "utf-8")
        netlists.append(folder / f"netlist{number}.json")
        adders = " after cells of full adders" if start == "with_adders" else ""
        words.append(f"for {mapping},{adders} by ABC's {'; '.join(script)}")
        commands += [
            f"design -load {start}",
            f"abc {avoided} {liberty_text} -script mapping{number}.abc",
            "opt_clean -purge",
            "setundef -zero",
            *_ties(chosen),
            *(["flatten -scopename"] if hierarchy else []),
            "opt_clean -purge",
            "check",
            f"write_json netlist{number}.json",
        ]
    run_yosys([command for command in commands if command], folder, name="mapping")
    mapped = [read_netlist(path, core.top, library) for path in netlists]
    for number, netlist in enumerate(mapped):
        netlist.mapping = f"seed {seed}, {number + 1} of {len(mapped)}, {words[number]}"
    return min(mapped, key=lambda netlist: netlist.area_um2)


def _choose(library: Library, dont_use: Sequence[str]) -> _Choice:
    gates: dict[int, Cell] = {}
    for cell in sorted(library.cells.values(), key=lambda cell: cell.area_um2):
        if isinstance(cell.storage, ClockGate) and cell.storage.kind in _GATE_KINDS:
            gates.setdefault(len(cell.storage.test), cell)
    high = low = None
    for cell in sorted(library.cells.values(), key=lambda cell: cell.area_um2):
        if cell.inputs() or cell.special:
            continue
        for pin in cell.outputs():
            if pin.function == "1":
                high = high or (cell.name, pin.name)
            elif pin.function == "0":
                low = low or (cell.name, pin.name)
    avoided = {cell.name for cell in library.cells.values() if cell.special or cell.dont_use}
    return _Choice(
        gate=gates.get(0),
        scan_gate=gates.get(1),
        high=high,
        low=low,
        avoided=tuple(sorted(avoided | set(dont_use))),
    )


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


def _cell_map(library: Library, chosen: _Choice) -> str:
    """Verilog that techmap puts in place of clock gates and latches."""
    parts = [_clock_gates(chosen)]
    latches: dict[str, Cell] = {}
    for cell in sorted(library.cells.values(), key=lambda cell: cell.area_um2):
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


def _clock_gates(chosen: _Choice) -> str:
    """Verilog in place of the clock gate's module, by whether its `scan_enable_i` is always 0."""
    # What techmap sets where the input is a constant, and leaves where nothing is connected.
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
            ("plain", "!TIED", _gate(chosen.gate, "enable_i")),
            ("scan", "TIED", _scan_gate(chosen)),
        )
    )


def _gate(gate: Cell | None, enable: str, test: str = "") -> str:
    """Verilog of one clock gate: the library's cell, or a latch and an AND where it has none."""
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


def _scan_gate(chosen: _Choice) -> str:
    """The same with `scan_enable_i`: the cell's test pin, or an OR before the enable."""
    if chosen.scan_gate is not None:
        return _gate(chosen.scan_gate, "enable_i", "scan_enable_i")
    either = "    wire either;\n    \\$_OR_ test (.A(enable_i), .B(scan_enable_i), .Y(either));\n"
    return either + _gate(chosen.gate, "either")


def _latch_kind(cell: Cell, latch: Latch) -> str | None:
    """The internal cell of Yosys that a library's latch is; None if it is no simple one."""
    if latch.data_in not in cell.pins or latch.preset is not None:
        return None
    enable = _polarity(latch.enable, cell)
    if enable is None or not any(pin.function == latch.state for pin in cell.outputs()):
        return None
    if latch.clear is None:
        return f"$_DLATCH_{enable[1]}_"
    clear = _polarity(latch.clear, cell)
    return None if clear is None else f"$_DLATCH_{enable[1]}{clear[1]}0_"


def _polarity(function: str, cell: Cell) -> tuple[str, str] | None:
    text = function.replace(" ", "").strip("()")
    name = text.strip("!'")
    if name not in cell.pins:
        return None
    return name, "P" if text == name else "N"


def _latch_map(kind: str, cell: Cell) -> str:
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
