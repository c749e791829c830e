# SPDX-License-Identifier: Apache-2.0
"""Has OpenSTA calculate the figures of an exported folder a second time, beside ours.

For version 2.0.17, which Debian has. It has no command for SAIF, and its activity of a single pin
has no effect: the activity of each cell's output is therefore set as that of everything, cell by
cell, which gives each cell's switching power. Nets that the clock reaches count as two toggles a
period there, gated or not, and internal energies of rise and fall are added to each toggle, so
neither is asked for.
"""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.export.tcl import tcl_word
from joulemark.processes.tool import ask_tool

_GROUP = re.compile(r"^max_delay/setup group (\S.*?)\s*$")
_SLACK = re.compile(r"(-?[\d.]+) \((?:MET|VIOLATED)\)\s*$")
_CLOCK = re.compile(r"^(create_clock .*-period )\S+( -waveform )\{0 \S+\}( .*)$", re.MULTILINE)
_EDGES = re.compile(r"^\s*(?:rise|fall)_capacitance(?:_range)?\s*[:(].*\n", re.MULTILINE)
_TRIALS = 16
_NO_SLACK_NS = 2e-5
"""Tolerance for latches that borrow, whose slack is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class PinActivity:
    """Activity of one pin of a cell in the window of an export."""

    duty: float
    """Share of the time at 1."""
    toggles_per_second: float


def worst_slacks_ns(
    folder: Path, liberty: Path, top: str, sdc: str = "shortest.sdc"
) -> dict[str, float]:
    """The least slack of the slowest paths by group, with `clock.sdf`.

    Args:
        folder: folder of the export.
        liberty: library, not compressed.
        top: name of the top module.
        sdc: file with the constraints.
    """
    report = _run(
        folder,
        liberty,
        top,
        [
            f"read_sdc {sdc}",
            "read_sdf clock.sdf",
            "report_checks -path_delay max -format end -digits 6",
        ],
    )
    slacks: dict[str, float] = {}
    group = ""
    for line in report.splitlines():
        if found := _GROUP.match(line):
            group = found[1]
        elif found := _SLACK.search(line):
            slacks[group] = min(slacks.get(group, float("inf")), float(found[1]))
    return slacks


def shortest_period_ns(
    folder: Path,
    liberty: Path,
    top: str,
    groups: Iterable[str],
    constraints: Path,
    stated_ns: float,
) -> float:
    """The shortest clock period at which no path of these groups is late, to 0.01 %.

    Args:
        folder: folder of the export.
        liberty: library, not compressed.
        top: name of the top module.
        groups: groups of paths that count.
        constraints: file like `shortest.sdc`; files with other periods are written beside it.
        stated_ns: period that the report states; half of it to twice it is searched.
    """
    text = constraints.read_text("utf-8")
    trial = constraints.with_suffix(".trial.sdc")
    counted = set(groups)

    def passes(period_ns: float) -> bool:
        at = rf"\g<1>{period_ns:.6f}\g<2>{{0 {period_ns / 2:.6f}}}\g<3>"
        trial.write_text(_CLOCK.sub(at, text), "utf-8")
        slacks = worst_slacks_ns(folder, liberty, top, str(trial.resolve()))
        return all(slack > -_NO_SLACK_NS for group, slack in slacks.items() if group in counted)

    late, early = 0.5 * stated_ns, 2.0 * stated_ns
    if not passes(early):
        raise ImplementationError(f"OpenSTA finds late paths in {top} at {early:g} ns")
    for _ in range(_TRIALS):
        middle = (late + early) / 2
        late, early = (late, middle) if passes(middle) else (middle, early)
    return early


def with_wire_resistance(constraints: Path, model: str, path: Path) -> Path:
    """Copies constraints such as `shortest.sdc` to `path`, with a wire-load model for the wires."""
    lines = [
        line
        for line in constraints.read_text("utf-8").splitlines()
        if not (line.startswith("set_load") and "[get_nets" in line)
    ]
    path.write_text("\n".join([*lines, f"set_wire_load_model -name {model}", ""]), "utf-8")
    return path


def cell_powers_w(
    folder: Path, liberty: Path, top: str, driving: Mapping[str, PinActivity], period_s: float
) -> dict[str, tuple[float, float]]:
    """Switching power and leakage by cell.

    Args:
        folder: folder of the export.
        liberty: library, not compressed.
        top: name of the top module.
        driving: activity of the output of each cell.
        period_s: clock period of `workload.sdc`.
    """
    commands = ["read_sdc workload.sdc"]
    for name, pin in driving.items():
        activity = pin.toggles_per_second * period_s
        commands.append(f"set_power_activity -global -activity {activity:.9g} -duty {pin.duty:.9g}")
        commands.append(f"report_power -instances [get_cells {name}] -digits 9")
    powers = {}
    for line in _run(folder, liberty, top, commands).splitlines():
        words = line.split()
        if len(words) == 5 and words[4] in driving:
            powers[words[4]] = float(words[1]), float(words[2])
    return powers


def read_activity(saif: Path) -> dict[str, dict[str, PinActivity]]:
    """Activity of pins by cell and pin, from an exported SAIF."""
    text = saif.read_text("utf-8")
    [duration] = re.findall(r"\(DURATION (\d+)\)", text)
    seconds = int(duration) * 1e-12
    activities: dict[str, dict[str, PinActivity]] = {}
    cell = ""
    for line in text.splitlines():
        if words := re.match(r"  \(INSTANCE (\S+)$", line):
            cell = words[1]
        elif words := re.match(r"      \((\S+) \(T0 \d+\) \(T1 (\d+)\) .*\(TC (\d+)\)", line):
            activities.setdefault(cell, {})[words[1]] = PinActivity(
                int(words[2]) / int(duration), int(words[3]) / seconds
            )
    return activities


def plain_library(liberty: Path, path: Path) -> Path:
    """Unpacks the library to `path`, since OpenSTA 2.0.17 reads no compressed one."""
    raw = liberty.read_bytes()
    path.write_bytes(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    return path


def pin_capacitance_alone(liberty: Path, path: Path) -> Path:
    """Copies a library to `path` without the capacitances of pins for each edge.

    OpenSTA takes `rise_capacitance_range` and `fall_capacitance_range`, the upper ends for the
    slowest path, or else `rise_capacitance` and `fall_capacitance`; Joulemark takes `capacitance`.
    """
    path.write_text(_EDGES.sub("", liberty.read_text("utf-8")), "utf-8")
    return path


def _run(folder: Path, liberty: Path, top: str, commands: Sequence[str]) -> str:
    """Reads library and netlist, runs commands, and returns the output."""
    if shutil.which("sta") is None:
        raise UnavailableError("no OpenSTA here: apt-get install opensta (Debian 12 and 13)")
    script = "\n".join(
        [
            f"read_liberty {tcl_word(str(liberty.resolve()))}",
            "read_verilog netlist.v",
            f"link_design {tcl_word(top)}",
            *commands,
            "",
        ]
    )
    done = ask_tool(["sta", "-no_splash", "-exit", "/dev/stdin"], reads=script, folder=folder)
    lines = [*done.output.splitlines(), *done.errors.splitlines()]
    complaints = [line for line in lines if line.startswith(("Error", "Warning"))]
    if complaints or done.code != 0:
        raise ImplementationError(f"OpenSTA ended with {done.code}: {' / '.join(complaints[:3])}")
    return done.output
