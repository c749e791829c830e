# SPDX-License-Identifier: Apache-2.0
"""Replays a recording on a netlist with Icarus Verilog: compares outputs, and reads toggles."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.gate.analysis import Timing
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS, STORAGE_DELAY_PS, write_netlist
from joulemark.hardware.simulation.workload import RecordedPorts
from joulemark.hardware.synthesis import Netlist
from joulemark.processes.tool import ToolRuns, ask_tool

# Writes test benches in plain Verilog, which play the recording of a core's ports and compare.
#
# A bench needs no adapter: it gives a netlist the inputs that the sources had in each clock period,
# and looks at every output just before the falling edge. It prints up to five wrong periods, and at
# the end one line that begins with PASS or FAIL.

STIMULUS: Final = "stimulus.hex"
"""File of the inputs in each period, beside the bench."""
EXPECTED: Final = "expected.hex"
"""File of the outputs in each period, beside the bench."""


def bench_text(
    netlist: Netlist,
    clock: str,
    recording: RecordedPorts,
    module: str,
    core: Sequence[str],
    *,
    period_ps: int,
    late_ps: int,
    dumped: str | None = None,
    begins_low: bool = False,
) -> str:
    """Verilog of a bench.

    `core` has the lines that instantiate the circuit as `dut`, between the inputs `now` and the
    outputs `seen`, both with the first port in the lowest bits; its clock port is the register
    `clk`. The inputs change `late_ps` after the rising edge. Changes of the nets in the recording's
    window go to the file `dumped`, unless it is None. A bench that begins low has no rising edge in
    period 0: logic settles with the inputs of that period, and storage keeps what it has.
    """
    in_width = sum(len(nets) for name, nets in netlist.inputs.items() if name != clock)
    out_width = sum(map(len, netlist.outputs.values()))
    first, last = recording.window
    half = period_ps // 2
    rise = "k > 0" if begins_low else "1'b1"
    begin = f'$dumpfile("{dumped}");' if dumped else ""
    stop = f"if (k == {last}) $dumpoff;" if dumped else ""
    dump = f"if (k + 1 == {first}) $dumpvars(0, dut);" if dumped else ""
    compared = max(0, recording.periods - recording.compare_from)
    lines = f"""`timescale 1ps/1ps
module {module};
  reg clk = 1'b0;
  reg [{max(in_width, 1) - 1}:0] now;
  reg [{max(in_width, 1) - 1}:0] stimulus [0:{recording.periods - 1}];
  reg [{out_width - 1}:0] expected [0:{recording.periods - 1}];
  reg [{out_width - 1}:0] right;
  wire [{out_width - 1}:0] seen;
  integer k;
  integer wrong = 0;
  {_indented(core)}
  initial begin
    $readmemh("{STIMULUS}", stimulus);
    $readmemh("{EXPECTED}", expected);
    {begin}
    now = stimulus[0];
    for (k = 0; k < {recording.periods}; k = k + 1) begin
      {stop}
      clk = {rise};
      #{late_ps} now = stimulus[k];
      #{half - late_ps};
      right = expected[k];
      if (k >= {recording.compare_from} && seen !== right) begin
        wrong = wrong + 1;
        if (wrong <= 5) begin
          {_indented(_told(netlist), 10)}
        end
      end
      clk = 1'b0;
      #{period_ps - half - 1} {dump}
      #1;
    end
    if (wrong == 0) begin
      $display("PASS: outputs are right in {compared} clock periods");
      $finish;
    end else begin
      $display("FAIL: outputs are wrong in %0d of {compared} clock periods", wrong);
      $fatal;
    end
  end
endmodule
"""
    return "".join(f"{line}\n" for line in lines.splitlines() if line.strip())


def port_bits(ports: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, str]]:
    """Each port with its bits in a vector of all, as in "[7:0]"; the first port is the lowest."""
    low = 0
    for name, nets in ports.items():
        yield name, f"[{low + len(nets) - 1}:{low}]"
        low += len(nets)


def _told(netlist: Netlist) -> list[str]:
    """Statements that name the outputs that differ."""
    statements = []
    for name, bits in port_bits(netlist.outputs):
        shown = name.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
        statements.append(
            f"if (seen{bits} !== right{bits}) "
            f'$display("period %0d: {shown} is %h, expected %h", k, seen{bits}, right{bits});'
        )
    return statements


def _indented(lines: Sequence[str], spaces: int = 2) -> str:
    return f"\n{' ' * spaces}".join(lines)


def _inputs(netlist: Netlist, clock: str) -> str:
    """The netlist's input vector: the clock at its position, the bits of `now` around."""
    widths = {name: len(nets) for name, nets in netlist.inputs.items()}
    names = list(widths)
    below = sum(widths[name] for name in names[: names.index(clock)])
    width = sum(widths.values()) - widths[clock]
    above = [f"now[{width - 1}:{below}]"] if width > below else []
    return ", ".join([*above, "clk", *([f"now[{below - 1}:0]"] if below else [])])


def stimulus_text(netlist: Netlist, clock: str, recording: RecordedPorts) -> str:
    """Inputs without the clock: a line of hexadecimal digits for each period."""
    inputs = [name for name in netlist.inputs if name != clock]
    return _vectors([(recording.inputs[name], len(netlist.inputs[name])) for name in inputs])


def expected_text(netlist: Netlist, recording: RecordedPorts) -> str:
    """Outputs: a line of hexadecimal digits for each period."""
    return _vectors(
        [(recording.outputs[name], len(nets)) for name, nets in netlist.outputs.items()]
    )


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


_TIMEOUT_S = 3600.0
_WRONG = re.compile(r"period (\d+): (.*) is [0-9a-fxz]+, expected [0-9a-f]+", re.IGNORECASE)
"""A line of the bench on an output that differs."""


@lru_cache(maxsize=1)
def icarus_version() -> str:
    """Version of Icarus Verilog."""
    if shutil.which("iverilog") is None or shutil.which("vvp") is None:
        raise UnavailableError("no Icarus Verilog here: apt-get install iverilog")
    words = ask_tool(["iverilog", "-V"]).output.split()
    return words[3] if len(words) > 3 else "unknown"


def simulate(
    netlist: Netlist,
    clock: str,
    recording: RecordedPorts,
    folder: Path,
    *,
    timing: Timing | None,
    clock_hz: float,
    start: Mapping[int, int] | None = None,
    runs: ToolRuns | None = None,
) -> Path:
    """Runs the netlist and returns the VCD of the recording's window; all files are in `folder`.

    Without `timing` the run has no delays, in which there are no glitches. The clock is not faster
    than the timing allows. With `start` the recording is a slice of a run of this netlist: storage
    begins with these states, by index of the cell, and period 0 with the clock low.
    """
    icarus_version()
    folder.mkdir(parents=True, exist_ok=True)
    write_netlist(netlist, timing, clock, folder / "gates.v", start)
    (folder / STIMULUS).write_text(stimulus_text(netlist, clock, recording), "utf-8")
    (folder / EXPECTED).write_text(expected_text(netlist, recording), "utf-8")
    bench = bench_text(
        netlist,
        clock,
        recording,
        "bench",
        [f"netlist dut (.i({{{_inputs(netlist, clock)}}}), .o(seen));"],
        period_ps=round(1e12 / clock_hz),
        late_ps=STORAGE_DELAY_PS if timing is None else INPUT_DELAY_PS,
        dumped="window.vcd",
        begins_low=start is not None,
    )
    (folder / "bench.v").write_text(bench, "utf-8")
    _compile(netlist, folder)
    log = folder / "gates.log"
    _run(netlist, folder, log, runs or ToolRuns())
    _require_right(netlist, recording, log, "the RTL" if start is None else "its own run")
    return folder / "window.vcd"


def _compile(netlist: Netlist, folder: Path) -> None:
    """Compiles the netlist and its bench into `gates.vvp`."""
    compiled = ask_tool(
        ["iverilog", "-g2005-sv", "-o", "gates.vvp", "-s", "bench", "bench.v", "gates.v"],
        folder=folder,
    )
    if compiled.code != 0:
        raise ImplementationError(
            f"Icarus refused the netlist of {netlist.top}: {compiled.errors.splitlines()[:1]}"
        )


def _run(netlist: Netlist, folder: Path, log: Path, runs: ToolRuns) -> None:
    with log.open("w", encoding="utf-8") as out:
        try:
            runs.run(["vvp", "-n", "gates.vvp"], folder=folder, output=out, timeout_s=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise ImplementationError(
                f"the gate-level run of {netlist.top} took longer than {_TIMEOUT_S:g} s"
            ) from None


def _require_right(netlist: Netlist, recording: RecordedPorts, log: Path, of: str) -> None:
    """Refuses a run in which an output differs from what was recorded, or that did not end."""
    lines = log.read_text("utf-8", "replace").splitlines()
    if any(line.startswith("FAIL") for line in lines):
        wrong = [_WRONG.fullmatch(line) for line in lines]
        found = [(line[1], line[2]) for line in wrong if line]
        names = [name for period, name in found if period == found[0][0]]
        periods = next(line.split()[5] for line in lines if line.startswith("FAIL"))
        raise ImplementationError(
            f"the netlist of {netlist.top} differs from {of} in {periods} of "
            f"{recording.periods} periods, first in {found[0][0]}: outputs {', '.join(names)}",
            log,
        )
    if not any(line.startswith("PASS") for line in lines):
        raise ImplementationError(f"the gate-level run of {netlist.top} did not end", log)


# Reads the value changes that a gate-level run wrote: one bit per net, times in picoseconds.


@dataclass(frozen=True, slots=True)
class Activity:
    """Every toggle of every net in a window of time, sorted by net and then by time."""

    start: npt.NDArray[np.int64]
    """Position of the first toggle by net; one more entry at the end."""
    times_ps: npt.NDArray[np.int64]
    """Time of each toggle, from the beginning of the window."""
    initial: npt.NDArray[np.int8]
    """Value by net at the beginning of the window; each toggle changes it."""
    duration_ps: int
    unknown: int
    """Changes to or from unknown values, which count as 0."""

    def toggles(self) -> npt.NDArray[np.int64]:
        """Number of toggles by net."""
        return np.diff(self.start)

    def changes(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Net of every toggle, and its value after the toggle."""
        nets = np.repeat(np.arange(len(self.initial)), self.toggles())
        return nets, (self.initial[nets] + np.arange(len(nets)) - self.start[nets] + 1) % 2


def read_vcd(path: Path, net_count: int) -> Activity:
    """Toggles of the nets `n<number>` in a VCD that `gate.simulate` wrote."""
    with path.open(encoding="ascii") as file:
        codes: dict[str, int] = {}
        declared = 0
        for line in file:
            words = line.split()
            if words[:1] == ["$var"] and len(words) > 4:
                if words[4][0] == "n" and words[4][1:].isdigit():
                    declared += 1
                    codes[words[3]] = int(words[4][1:])
            elif words[:1] == ["$enddefinitions"]:
                break
        if not codes:
            raise ImplementationError(
                f"{path} names no net of the netlist (n0, n1, ...), so it has no toggles to count: "
                "only a VCD of this netlist's own run by Icarus Verilog is read"
            )
        if len(codes) < declared:
            raise ImplementationError(
                f"{path} has one code for several nets, whose toggles it cannot tell apart: only a "
                "VCD by Icarus Verilog is read"
            )
        return _changes(file, codes, net_count, path)


def _changes(file: Iterable[str], codes: dict[str, int], net_count: int, path: Path) -> Activity:
    value = bytearray(net_count)
    nets: list[int] = []
    times: list[int] = []
    moments: list[int] = []
    # Changes of the first moment are not toggles: they are the values when the window begins.
    settled = 0
    unknown = 0
    get = codes.get
    for line in file:
        mark = line[0]
        if mark == "#":
            if len(moments) == 1:
                settled = len(nets)
            moments.append(int(line[1:]))
        elif mark in "01xz":
            net = get(line[1:-1], -1)
            unknown += net >= 0 and mark in "xz"
            if net >= 0 and value[net] != (mark == "1"):
                value[net] ^= 1
                nets.append(net)
                times.append(moments[-1])
        elif line.startswith("$dumpoff"):
            break
    if len(moments) < 2:
        raise ImplementationError(f"{path} holds no changes of nets")
    initial = np.zeros(net_count, dtype=np.int8)
    np.add.at(initial, nets[:settled], 1)
    net_array = np.asarray(nets[settled:], dtype=np.int64)
    order = np.argsort(net_array, kind="stable")
    counts = np.bincount(net_array, minlength=net_count)
    return Activity(
        start=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times_ps=np.asarray(times[settled:], dtype=np.int64)[order] - moments[0],
        initial=initial % 2,
        duration_ps=moments[-1] - moments[0],
        unknown=unknown,
    )
