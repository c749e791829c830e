# SPDX-License-Identifier: Apache-2.0
"""Writes the map by which Yosys puts a library's clock gates and latches into a circuit."""

from __future__ import annotations

from joulemark.hardware.liberty.library import Cell, ClockGate, Latch, Library

__all__ = ["CLOCK_GATE_MODULE", "LATCH_MODULE", "cell_map"]

CLOCK_GATE_MODULE = "jm_clock_gate"
LATCH_MODULE = "jm_latch"


def cell_map(library: Library, gate: Cell | None, scan_gate: Cell | None) -> str:
    """Verilog that techmap puts in place of clock gates and latches.

    `gate` and `scan_gate` are the clock gates without and with a test pin, or None.
    """
    parts = [_clock_gates(gate, scan_gate)]
    latches: dict[str, Cell] = {}
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


def _clock_gates(gate: Cell | None, scan_gate: Cell | None) -> str:
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


def _gate(gate: Cell | None, enable: str, test: str = "") -> str:
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


def _scan_gate(gate: Cell | None, scan_gate: Cell | None) -> str:
    """Verilog of a clock gate with `scan_enable_i`, at a test pin or by an OR before the enable."""
    if scan_gate is not None:
        return _gate(scan_gate, "enable_i", "scan_enable_i")
    either = "    wire either;\n    \\$_OR_ test (.A(enable_i), .B(scan_enable_i), .Y(either));\n"
    return either + _gate(gate, "either")


def _latch_kind(cell: Cell, latch: Latch) -> str | None:
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
