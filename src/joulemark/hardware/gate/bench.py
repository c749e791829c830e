# SPDX-License-Identifier: Apache-2.0
"""Writes the test bench of a netlist in plain Verilog, which plays a recording and compares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joulemark.hardware.drive.workload import Recording
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS, STORAGE_DELAY_PS
from joulemark.hardware.synthesis.netlist import Netlist

__all__ = ["write_bench"]

_STIMULUS, _EXPECTED = "stimulus.hex", "expected.hex"


def write_bench(
    netlist: Netlist,
    clock: str,
    recording: Recording,
    path: Path,
    *,
    period_ps: int,
    inputs_late: bool,
) -> None:
    """Writes the module `bench`, and beside it the vectors that it plays and compares.

    The module prints one line `MISMATCH period got expected` per period that differs, and at the
    end `DONE`; it writes the nets' changes in the recording's window to `window.vcd`.
    """
    inputs = [name for name in netlist.inputs if name != clock]
    stimulus = [(recording.inputs[name], len(netlist.inputs[name])) for name in inputs]
    expected = [(recording.outputs[name], len(nets)) for name, nets in netlist.outputs.items()]
    path.with_name(_STIMULUS).write_text(_vectors(stimulus), "utf-8")
    path.with_name(_EXPECTED).write_text(_vectors(expected), "utf-8")
    late = INPUT_DELAY_PS if inputs_late else STORAGE_DELAY_PS
    path.write_text(_bench(netlist, clock, recording, period_ps, late), "utf-8")


def _bench(netlist: Netlist, clock: str, recording: Recording, period_ps: int, late: int) -> str:
    """Verilog of the bench, whose inputs change `late` picoseconds after the clock's edge."""
    in_width = sum(len(nets) for name, nets in netlist.inputs.items() if name != clock)
    out_width = sum(map(len, netlist.outputs.values()))
    first, last = recording.window
    half = period_ps // 2
    return f"""`timescale 1ps/1ps
module bench;
  reg clk = 1'b0;
  reg [{max(in_width, 1) - 1}:0] now;
  reg [{max(in_width, 1) - 1}:0] stimulus [0:{recording.periods - 1}];
  reg [{out_width - 1}:0] expected [0:{recording.periods - 1}];
  wire [{out_width - 1}:0] seen;
  integer k;
  netlist dut (.i({{{_inputs(netlist, clock, in_width)}}}), .o(seen));
  initial begin
    $readmemh("{_STIMULUS}", stimulus);
    $readmemh("{_EXPECTED}", expected);
    $dumpfile("window.vcd");
    now = stimulus[0];
    for (k = 0; k < {recording.periods}; k = k + 1) begin
      if (k == {last}) $dumpoff;
      clk = 1'b1;
      #{late} now = stimulus[k];
      #{half - late};
      if (k >= {recording.compare_from} && seen !== expected[k])
        $display("MISMATCH %0d %h %h", k, seen, expected[k]);
      clk = 1'b0;
      #{period_ps - half - 1} if (k + 1 == {first}) $dumpvars(1, dut);
      #1;
    end
    $display("DONE");
    $finish;
  end
endmodule
"""


def _inputs(netlist: Netlist, clock: str, width: int) -> str:
    """The netlist's input vector: the clock at its position, the `width` bits of `now` around."""
    below = 0
    for name, nets in netlist.inputs.items():
        if name == clock:
            break
        below += len(nets)
    parts = []
    if width > below:
        parts.append(f"now[{width - 1}:{below}]")
    parts.append("clk")
    if below:
        parts.append(f"now[{below - 1}:0]")
    return ", ".join(parts)


def _vectors(ports: Sequence[tuple[Sequence[int], int]]) -> str:
    """One hexadecimal line per period from values and widths, the first port in the lowest bits."""
    lines = []
    for values in zip(*(series for series, _ in ports), strict=True):
        number = shift = 0
        for value, (_, width) in zip(values, ports, strict=True):
            number |= (value & ((1 << width) - 1)) << shift
            shift += width
        lines.append(f"{number:x}\n")
    return "".join(lines)
