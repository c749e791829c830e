# SPDX-License-Identifier: Apache-2.0
"""OpenSTA reads an export unchanged, and its figures are ours, except for known differences."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conftest import Flow
from joulemark.errors import ImplementationError
from joulemark.hardware.export import Circuit, Names
from joulemark.hardware.export.write import MANIFEST, export_circuit
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.synthesis import kind_of

ROOT = Path(__file__).parents[3]
OPENSTA = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "opensta_table.py")))
"""The tool that has OpenSTA calculate the same figures."""
TIMED = {"clk_i", "**clock_gating_default**"}


def exported(circuit: Circuit, work: Path) -> tuple[Circuit, Path]:
    """A circuit and the folder of its export."""
    for program in ("sta", "iverilog"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here: apt-get install opensta iverilog")
    export_circuit(circuit, work / "export")
    return circuit, work / "export"


@pytest.fixture(scope="module")
def small_export(
    characterised: Circuit, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Circuit, Path]:
    """An export with the library whose tables are planes."""
    return exported(characterised, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def real_export(
    flow: Flow, open_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Circuit, Path]:
    """An export with a real library."""
    circuits: list[Circuit] = []
    mappings.characterise(
        flow.core, flow.core.chosen({}),
        AskedFlow(target="asic", liberty=open_library, clock_hz=1e6),
        folder=flow.folder, mappings=1,
        observe=lambda _seed, circuit: circuits.append(circuit),
    )  # fmt: skip
    return exported(circuits[0], tmp_path_factory.mktemp("real"))


def sta(folder: Path, *arguments: str, script: str | None = None) -> str:
    """The output of OpenSTA, which must contain no error and no warning."""
    said = subprocess.run(
        ["sta", "-no_splash", "-exit", *(arguments or ("/dev/stdin",))], cwd=folder, text=True,
        input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
    ).stdout  # fmt: skip
    assert not re.findall(r"^(?:Error|Warning).*", said, re.MULTILINE), said
    return said


def timed(slacks: dict[str, float]) -> float:
    """The least slack of the paths that a report times."""
    return min(slack for group, slack in slacks.items() if group in TIMED)


def reading(circuit: Circuit, *more: str) -> str:
    """A script that reads library and netlist and then runs more commands."""
    return "\n".join(
        [f"read_liberty {circuit.liberty}", "read_verilog netlist.v",
         f"link_design {circuit.netlist.top}", *more, ""]
    )  # fmt: skip


def test_the_command_of_the_manifest_runs(small_export: tuple[Circuit, Path]):
    """It reads netlist, constraints and the clock's delays in the folder without an edit."""
    _, folder = small_export
    command = json.loads((folder / MANIFEST).read_text("utf-8"))["commands"]["timing"].split()
    assert command[:2] == ["sta", "-exit"]
    assert "slack (MET)" in sta(folder, *command[2:])


def test_every_delay_is_annotated(small_export: tuple[Circuit, Path]):
    """The SDF annotates every arc of every cell and every wire that ends at a cell."""
    circuit, folder = small_export
    said = sta(
        folder,
        script=reading(
            circuit, "read_sdc workload.sdc", "read_sdf delays.sdf", "report_annotated_delay",
            "write_sdf written.sdf",
        ),
    )  # fmt: skip
    rows = dict(re.findall(r"^([a-z ]+?) +\d+ +\d+ +(\d+)$", said, re.MULTILINE))
    for kind in ("cell arcs", "internal net arcs", "net arcs from primary inputs"):
        assert rows[kind] == "0"
    index, instance = next(
        (at, gate) for at, gate in enumerate(circuit.netlist.instances)
        if gate.cell.name == "XOR2"
    )  # fmt: skip
    rise, _ = circuit.timing.delays[index, "Y"]
    name = Names(circuit.netlist).instance(index)
    written = (folder / "written.sdf").read_text("utf-8")
    [cell] = re.findall(rf"\(INSTANCE {name}\).*?\)\s*\)\s*\)\s*\)", written, re.DOTALL)
    assert f"({rise:.3f}" in cell
    assert instance.cell.name == "XOR2"


def test_the_shortest_period_is_the_same(small_export: tuple[Circuit, Path], tmp_path: Path):
    """With one capacitance for each pin no path is late at the stated period; below, a path is."""
    circuit, folder = small_export
    slacks = OPENSTA.worst_slacks_ns(folder, circuit.liberty, "crc8")
    assert timed(slacks) == pytest.approx(0, rel=0, abs=2e-6)
    stated = circuit.period_s * 1e9
    text = (folder / "shortest.sdc").read_text("utf-8")
    shorter = tmp_path / "shorter.sdc"
    shorter.write_text(
        re.sub(r"-period \S+ -waveform \{0 \S+\}",
               f"-period {stated * 0.998} -waveform {{0 {stated * 0.499}}}", text), "utf-8"
    )  # fmt: skip
    late = OPENSTA.worst_slacks_ns(folder, circuit.liberty, "crc8", str(shorter))
    assert timed(late) < -1e-3


def powers(circuit: Circuit, folder: Path, liberty: Path) -> dict[str, tuple[float, float, float]]:
    """Our switching power, OpenSTA's switching power, and OpenSTA's leakage, by kind of cell."""
    names, netlist = Names(circuit.netlist), circuit.netlist
    did = OPENSTA.read_activity(folder / "activity.saif")
    driving: dict[str, OPENSTA.PinActivity] = {}
    ours: dict[str, tuple[str, float]] = {}
    units = netlist.library.units
    for index, instance in enumerate(netlist.instances):
        for pin in instance.cell.outputs():
            net = instance.pins.get(pin.name)
            if net is not None:
                name = names.instance(index)
                driving[name] = did[name][pin.name]
                energy = 0.5 * circuit.timing.loads[net] * units.capacitance_f
                volts = netlist.library.nominal_voltage_v
                kind = "clock" if net in circuit.timing.clocks else kind_of(instance.cell)
                ours[name] = kind, energy * volts**2 * driving[name].toggles_per_second
    found = OPENSTA.cell_powers_w(folder, liberty, netlist.top, driving, 1 / circuit.clock_hz)
    assert found.keys() == driving.keys()
    sums: dict[str, tuple[float, float, float]] = {}
    for name, (kind, power) in ours.items():
        old = sums.get(kind, (0.0, 0.0, 0.0))
        sums[kind] = (old[0] + power, old[1] + found[name][0], old[2] + found[name][1])
    return sums


def test_switching_power_is_the_same(small_export: tuple[Circuit, Path]):
    """Logic and storage agree. OpenSTA counts clock nets at the full rate, gated or not."""
    circuit, folder = small_export
    sums = powers(circuit, folder, circuit.liberty)
    for kind in ("logic", "flip_flop", "latch"):
        ours, theirs, _ = sums[kind]
        assert theirs == pytest.approx(ours, rel=1e-4, abs=0)
    ours, theirs, _ = sums["clock"]
    assert theirs > 1.2 * ours


def test_leakage_is_the_average_of_the_states(small_export: tuple[Circuit, Path]):
    """OpenSTA takes the average over all states of a cell; ours is over its states in the run."""
    circuit, folder = small_export
    sums = powers(circuit, folder, circuit.liberty)
    average = sum(instance.cell.leakage for instance in circuit.netlist.instances) * 1e-9
    # OpenSTA is not asked about a cell none of whose outputs is connected.
    assert sum(leakage for _, _, leakage in sums.values()) == pytest.approx(
        average, rel=0.02, abs=0
    )
    assert circuit.workload is not None
    assert circuit.workload.power.leakage_w == pytest.approx(average, rel=0.1, abs=0)


def test_a_real_library_differs_by_its_capacitances(
    real_export: tuple[Circuit, Path], tmp_path: Path
):
    """With the library as it is, paths and switching power are some percent more; with one
    capacitance for each pin they agree.

    OpenSTA takes the upper ends of the ranges of capacitance that the library has for each edge.
    """
    circuit, folder = real_export
    stated = circuit.period_s * 1e9
    alone = OPENSTA.pin_capacitance_alone(circuit.liberty, tmp_path / "alone.lib")
    slacks = OPENSTA.worst_slacks_ns(folder, alone, "crc8")
    assert timed(slacks) == pytest.approx(0, rel=0, abs=2e-4)
    constraints = tmp_path / "copy.sdc"
    shutil.copy(folder / "shortest.sdc", constraints)
    period = OPENSTA.shortest_period_ns(folder, circuit.liberty, "crc8", TIMED, constraints, stated)
    assert 1.01 * stated < period < 1.10 * stated
    same, more = powers(circuit, folder, alone), powers(circuit, folder, circuit.liberty)
    for kind in ("logic", "flip_flop", "latch"):
        ours, theirs, _ = same[kind]
        assert theirs == pytest.approx(ours, rel=1e-3, abs=0)
        assert 1.01 * theirs < more[kind][1] < 1.18 * theirs
    assert circuit.workload is not None
    leakage = sum(leakage for _, _, leakage in more.values())
    assert leakage == pytest.approx(circuit.workload.power.leakage_w, rel=0.06, abs=0)


def test_a_complaint_of_opensta_is_passed_on(small_export: tuple[Circuit, Path], tmp_path: Path):
    """OpenSTA complains of a netlist with a cell that the library lacks."""
    circuit, folder = small_export
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    text = (folder / "netlist.v").read_text("utf-8").replace(" XOR2 ", " XOR9 ")
    (broken / "netlist.v").write_text(text, "utf-8")
    with pytest.raises(ImplementationError, match="XOR9 not found"):
        OPENSTA.worst_slacks_ns(broken, circuit.liberty, "crc8")


@pytest.mark.exhaustive
@pytest.mark.parametrize("core", ["sha1_serial", "aes128_serial", "aes128_latch"])
def test_the_table_beside_opensta_holds(core: str, open_library: Path):
    """Agreement is as in hdl/README.md: 0.1 % with the same capacitances, 1 % with latches."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "opensta_table.py"), "--liberty", str(open_library),
         core],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [
        [float(word.split()[0]) if word.strip() else None for word in line.split("|")[3:6]]
        for line in done.stdout.splitlines()[2:]
    ]
    (period, switching, leakage), same, library, wires = rows
    assert same[0] == pytest.approx(period, rel=0.01 if core == "aes128_latch" else 0.001, abs=0)
    assert same[1] == pytest.approx(switching, rel=0.001, abs=0)
    assert same[2] == pytest.approx(leakage, rel=0.1, abs=0)
    assert period is not None
    assert switching is not None
    assert library[0] is not None
    assert library[1] is not None
    assert wires[0] is not None
    assert 1.03 * period < library[0] < 1.07 * period
    assert 1.04 * switching < library[1] < 1.10 * switching
    assert 1.07 * period < wires[0] < 1.12 * period
