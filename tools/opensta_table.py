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
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import JoulemarkError
from joulemark.hardware.core.manifest import find_core
from joulemark.hardware.core.parameters import chosen_variant, split_core
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.opensta import (
    PinActivity,
    cell_powers_w,
    pin_capacitance_alone,
    plain_library,
    read_activity,
    shortest_period_ns,
    with_wire_resistance,
)
from joulemark.hardware.export.write import export_circuit
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.request import flow

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
