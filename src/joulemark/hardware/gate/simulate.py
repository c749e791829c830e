# SPDX-License-Identifier: Apache-2.0
"""Replays a recording on a netlist with Icarus Verilog; compares every output in every period."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.drive.workload import Recording
from joulemark.hardware.gate.bench import write_bench
from joulemark.hardware.gate.verilog import write_netlist
from joulemark.hardware.synthesis.netlist import Netlist
from joulemark.hardware.timing.analysis import Timing
from joulemark.processes.tool import ask_tool, run_tool

__all__ = ["icarus_version", "simulate"]

_TIMEOUT_S = 3600.0
_WRONG = re.compile(r"period (\d+): (.*) is [0-9a-fxz]+, expected [0-9a-f]+", re.IGNORECASE)
"""A line of the bench on an output that differs."""


@lru_cache(maxsize=1)
def icarus_version() -> str:
    """Version of Icarus Verilog.

    Raises:
        UnavailableError: Icarus Verilog is not installed.
    """
    if shutil.which("iverilog") is None or shutil.which("vvp") is None:
        raise UnavailableError("no Icarus Verilog here: apt-get install iverilog")
    words = ask_tool(["iverilog", "-V"]).output.split()
    return words[3] if len(words) > 3 else "unknown"


def simulate(
    netlist: Netlist,
    clock: str,
    recording: Recording,
    folder: Path,
    *,
    timing: Timing | None,
    clock_hz: float,
) -> Path:
    """Runs the netlist and returns the VCD of the recording's window.

    Args:
        netlist: the circuit.
        clock: name of its clock port.
        recording: values of the RTL's ports.
        folder: folder for all files.
        timing: delays; None for a run without delays, in which there are no glitches.
        clock_hz: clock of the run, not faster than the timing allows.

    Raises:
        UnavailableError: Icarus Verilog is not installed.
        ImplementationError: an output differs from the RTL's.
    """
    icarus_version()
    folder.mkdir(parents=True, exist_ok=True)
    period_ps = round(1e12 / clock_hz)
    write_netlist(netlist, timing, clock, folder / "gates.v")
    write_bench(
        netlist, clock, recording, folder / "bench.v",
        period_ps=period_ps, inputs_late=timing is not None,
    )  # fmt: skip
    _compile(netlist, folder)
    log = folder / "gates.log"
    _run(netlist, folder, log)
    _require_right(netlist, recording, log)
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


def _run(netlist: Netlist, folder: Path, log: Path) -> None:
    with log.open("w", encoding="utf-8") as out:
        try:
            run_tool(["vvp", "-n", "gates.vvp"], folder=folder, output=out, timeout_s=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise ImplementationError(
                f"the gate-level run of {netlist.top} took longer than {_TIMEOUT_S:g} s"
            ) from None


def _require_right(netlist: Netlist, recording: Recording, log: Path) -> None:
    """Refuses a run in which an output differs from the RTL's, or that did not end."""
    lines = log.read_text("utf-8", "replace").splitlines()
    if any(line.startswith("FAIL") for line in lines):
        wrong = [_WRONG.fullmatch(line) for line in lines]
        found = [(line[1], line[2]) for line in wrong if line]
        names = [name for period, name in found if period == found[0][0]]
        periods = next(line.split()[5] for line in lines if line.startswith("FAIL"))
        raise ImplementationError(
            f"the netlist of {netlist.top} differs from the RTL in {periods} of "
            f"{recording.periods} periods, first in {found[0][0]}: outputs {', '.join(names)}",
            log,
        )
    if not any(line.startswith("PASS") for line in lines):
        raise ImplementationError(f"the gate-level run of {netlist.top} did not end", log)
