# SPDX-License-Identifier: Apache-2.0
"""Finds the full adder of a library, and writes the map by which Yosys puts it into a circuit."""

from __future__ import annotations

from joulemark.hardware.liberty.function import truth_table
from joulemark.hardware.liberty.library import Cell, Library

__all__ = ["adder_map", "full_adder"]

_SUM = 0b10010110
"""Truth table that is true if one or three of the three inputs are."""
_CARRY = 0b11101000
"""Truth table that is true if two or three of them are."""


def full_adder(library: Library) -> tuple[Cell, str, str] | None:
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


def adder_map(cell: Cell, total: str, carry: str) -> str:
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
