# SPDX-License-Identifier: Apache-2.0
"""Prints a table of Joulemark's clock and power beside OpenSTA's, from exports of its netlists.

    tools/opensta_table.py --liberty sg13g2_stdcell_typ_1p20V_25C.lib sha1_serial aes128_latch

Each core is mapped and run as by `joulemark core report`, and OpenSTA reads its unchanged export
and computes the same figures: the shortest clock period, the switching power of nets that the clock
does not reach through logic, and leakage. OpenSTA computes them three times: with the library's
pins as Joulemark takes them (`capacitance` alone), with the library as it is, and with its
wire-load model in place of wires without resistance. A small core takes a minute.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError, JoulemarkError, UnavailableError
from joulemark.hardware.cores import chosen_variant, find_core, split_core
from joulemark.hardware.export import Circuit, Names
from joulemark.hardware.export.sdc import tcl_word
from joulemark.hardware.export.write import export_circuit
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.request import flow
from joulemark.processes.tool import ask_tool

# Has OpenSTA calculate the figures of an exported folder a second time, beside ours.
#
# For version 2.0.17, which Debian has. It has no command for SAIF, and its activity of a single
# pin has no effect: the activity of each cell's output is therefore set as that of everything,
# cell by cell, which gives each cell's switching power. Nets that the clock reaches count as two
# toggles a period there, gated or not, and internal energies of rise and fall are added to each
# toggle, so neither is asked for.

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

    The library is not compressed.
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

    Half of the stated period to twice it is searched. Constraints are like `shortest.sdc`; files
    with other periods are written beside them.
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
    """Switching power and leakage by cell, from the activity of each cell's output.

    The period is that of `workload.sdc`.
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


_GATING = "**clock_gating_default**"


@dataclass(frozen=True, slots=True)
class Figures:
    """Joulemark's or OpenSTA's figures of one core."""

    period_ns: float
    switching_uw: float | None
    leakage_uw: float | None


def exported(name: str, liberty: str, folder: Path) -> Circuit:
    """Makes a core's circuit and its export in `folder / "export"`; returns the circuit."""
    core_name, configuration, values = split_core(name)
    core = find_core(core_name)
    _, parameters = chosen_variant(core, configuration, values)
    circuits: list[Circuit] = []
    make_report(
        core, parameters, flow("asic", liberty), folder / "work", observe=circuits.append
    )  # fmt: skip
    export_circuit(circuits[0], folder / "export")
    return circuits[0]


def reached_by_clock(circuit: Circuit) -> set[int]:
    """Nets of the clock, and of logic behind it: OpenSTA counts two toggles a period on each."""
    reached = set(circuit.timing.clocks)
    waiting = True
    while waiting:
        waiting = False
        for instance in circuit.netlist.instances:
            if instance.cell.storage is None and reached.intersection(instance.pins.values()):
                nets = {
                    instance.pins[pin.name]
                    for pin in instance.cell.outputs()
                    if pin.name in instance.pins
                }
                waiting |= not nets <= reached
                reached |= nets
    return reached


def driving(circuit: Circuit, folder: Path) -> tuple[dict[str, PinActivity], dict[str, int]]:
    """The activity of each cell's output, from the exported SAIF, and the net that it drives."""
    names, found, nets = Names(circuit.netlist), {}, {}
    did = read_activity(folder / "activity.saif")
    for index, instance in enumerate(circuit.netlist.instances):
        for pin in instance.cell.outputs():
            net = instance.pins.get(pin.name)
            if net is not None and net not in circuit.netlist.constants:
                name = names.instance(index)
                found[name], nets[name] = did[name][pin.name], net
    return found, nets


def ours(circuit: Circuit) -> Figures:
    """Joulemark's figures."""
    assert circuit.workload is not None
    units, volts = circuit.netlist.library.units, circuit.netlist.library.nominal_voltage_v
    toggles = circuit.workload.activity.toggles()
    driven = circuit.netlist.drivers().keys() - reached_by_clock(circuit)
    charge = sum(circuit.timing.loads[net] * int(toggles[net]) for net in driven)
    seconds = circuit.workload.power.duration_s
    return Figures(
        circuit.period_s * 1e9,
        0.5 * volts**2 * charge * units.capacitance_f / seconds * 1e6,
        circuit.workload.power.leakage_w * 1e6,
    )


def theirs(
    circuit: Circuit, folder: Path, liberty: Path, constraints: Path, *, power: bool
) -> Figures:
    """OpenSTA's figures."""
    top = circuit.netlist.top
    period = shortest_period_ns(
        folder, liberty, top, {circuit.core.clock, _GATING}, constraints, circuit.period_s * 1e9
    )
    if not power:
        return Figures(period, None, None)
    did, nets = driving(circuit, folder)
    reached = reached_by_clock(circuit)
    found = cell_powers_w(folder, liberty, top, did, 1 / circuit.clock_hz)
    switching = sum(watts for name, (watts, _) in found.items() if nets[name] not in reached)
    return Figures(period, switching * 1e6, sum(value for _, value in found.values()) * 1e6)


def rows(name: str, liberty: str) -> list[tuple[str, Figures]]:
    """The figures of a core by Joulemark and by OpenSTA with each library and wire model."""
    with tempfile.TemporaryDirectory(prefix="joulemark-opensta-") as work:
        folder = Path(work)
        circuit = exported(name, liberty, folder)
        export, constraints = folder / "export", folder / "constraints.sdc"
        constraints.write_text((export / "shortest.sdc").read_text("utf-8"), "utf-8")
        plain = plain_library(circuit.liberty, folder / "plain.lib")
        alone = pin_capacitance_alone(plain, folder / "alone.lib")
        found = [
            ("Joulemark", ours(circuit)),
            ("OpenSTA, `capacitance` of pins",
             theirs(circuit, export, alone, constraints, power=True)),
            ("OpenSTA, library as it is",
             theirs(circuit, export, plain, constraints, power=True)),
        ]  # fmt: skip
        model = re.search(r"wire-load model (\S+) of", circuit.timing.wire.text)
        if model is not None:
            wires = with_wire_resistance(constraints, model[1], folder / "wires.sdc")
            found.append(
                ("OpenSTA, its wire-load model too",
                 theirs(circuit, export, plain, wires, power=False))
            )  # fmt: skip
        return found


def cell(value: float | None, base: float | None) -> str:
    """A figure, and its difference from Joulemark's in percent."""
    if value is None or base is None:
        return ""
    return f"{value:.4g}" if value == base else f"{value:.4g} ({100 * (value / base - 1):+.1f} %)"


def main() -> int:
    """Prints the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cores", nargs="+", metavar="CORE")
    parser.add_argument("--liberty", required=True, metavar="FILE")
    asked = parser.parse_args()
    print("| core | by | shortest period, ns | switching off the clock, uW | leakage, uW |")
    print("|---|---|---|---|---|")
    for name in asked.cores:
        try:
            found = rows(name, asked.liberty)
        except JoulemarkError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return error.exit_code
        base = found[0][1]
        for who, corner in found:
            figures = (
                cell(corner.period_ns, base.period_ns),
                cell(corner.switching_uw, base.switching_uw),
                cell(corner.leakage_uw, base.leakage_uw),
            )
            print(f"| {name} | {who} | {' | '.join(figures)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
