# SPDX-License-Identifier: Apache-2.0
"""The frame that a core is placed in: a register on every port, and five pins in all.

A core may have more ports than a device has pins, and the wires to pins would decide its clock. So
every input comes from a flip-flop of one long shift register, and every output goes straight into
a flip-flop; those are folded into a second shift register, whose end is a pin, so that nothing of
the core is left unread. The cells of the frame are not counted as the core's.
"""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.synthesis.resources import Port

__all__ = ["HARNESS", "harness"]

HARNESS = "jm_harness"
"""Name of the frame's module."""


def harness(core: Core, ports: Sequence[Port]) -> str:
    """Verilog of the frame, with the core as an empty module.

    Raises:
        UsageError: the core lacks its clock, an output, or has a port of both directions.
    """
    clock = next((port for port in ports if port.name == core.clock), None)
    inputs = [port for port in ports if port.direction == "input" and port.name != core.clock]
    outputs = [port for port in ports if port.direction == "output"]
    if clock is None or clock.direction != "input":
        raise UsageError(f"{core.name}: {core.top} has no input '{core.clock}' to be its clock")
    if not outputs:
        raise UsageError(f"{core.name}: {core.top} has no output, so that nothing of it is needed")
    for port in ports:
        if port.direction == "inout":
            raise UsageError(f"{core.name}: port {port.name} is an inout; split it into two")
    wide_in = max(1, sum(port.width_bits for port in inputs))
    wide_out = sum(output.width_bits for output in outputs)
    return f"""\
(* blackbox *)
module {core.top} ({", ".join(_escaped(port.name) for port in ports)});
{_declarations(ports)}
endmodule

module {HARNESS} (input clk, input si, output so);
  reg [{wide_in - 1}:0] in_q;
  reg [{wide_out - 1}:0] out_q, fold_q;
  wire [{wide_out - 1}:0] out;
  assign so = fold_q[{wide_out - 1}];
  always @(posedge clk) begin
    in_q <= {{in_q, si}};
    out_q <= out;
    fold_q <= {{fold_q, fold_q[{wide_out - 1}]}} ^ out_q;
  end
  {core.top} core (
    .{_escaped(core.clock)}(clk){_connections(inputs, "in_q")}{_connections(outputs, "out")}
  );
endmodule
"""


def _declarations(ports: Sequence[Port]) -> str:
    return "\n".join(
        f"  {port.direction} [{port.width_bits - 1}:0] {_escaped(port.name)};" for port in ports
    )


def _connections(ports: Sequence[Port], bus: str) -> str:
    text, place = "", 0
    for port in ports:
        text += f",\n    .{_escaped(port.name)}({bus}[{place} +: {port.width_bits}])"
        place += port.width_bits
    return text


def _escaped(name: str) -> str:
    """A name escaped for Verilog if it must be: slang keeps the brackets of array ports."""
    return name if name.replace("_", "a").isalnum() else f"\\{name} "
