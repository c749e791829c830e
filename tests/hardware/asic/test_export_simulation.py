# SPDX-License-Identifier: Apache-2.0
"""Simulators play the exported netlist with its own test bench, with its delays and without."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.export import Circuit, Names
from joulemark.hardware.export.testbench import COMMANDS
from joulemark.hardware.export.write import export_circuit
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation.verilator import verilator_command


def play(folder: Path, command: str) -> tuple[int, str]:
    """Runs a command of the manifest in the folder of an export: exit code, and what it printed."""
    text = json.loads((folder / "manifest.json").read_text("utf-8"))["commands"][command]
    tools = verilator_command(folder.parent / "tools").parent
    done = subprocess.run(
        ["sh", "-c", text], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def export(characterised: Circuit, tmp_path: Path) -> Path:
    """The export of a core with flip-flops, a latch and a clock gate."""
    export_circuit(characterised, tmp_path / "export")
    return tmp_path / "export"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_shipped_bench_passes(export: Path, command: str):
    """Each command of the manifest, as a user types it."""
    code, said = play(export, command)
    assert code == 0, said
    assert re.search(r"^PASS: outputs are right in \d+ clock periods$", said, re.MULTILINE)
    assert re.findall(r"^(?:PASS|FAIL)", said, re.MULTILINE) == ["PASS"]


@pytest.mark.parametrize("command", ["test", "test_with_delays"])
def test_the_shipped_bench_fails_on_a_wrong_netlist(export: Path, command: str):
    """A gate of another function; the outputs and periods that it makes wrong are named."""
    text = (export / "netlist.v").read_text("utf-8")
    broken, count = re.subn(r"(\bXOR2 .*\.B\()[^)]*\)", r"\g<1>1'b0)", text)
    assert count
    (export / "netlist.v").write_text(broken, "utf-8")
    code, said = play(export, command)
    assert code != 0
    assert re.search(r"^FAIL: outputs are wrong in \d+ of \d+ clock periods$", said, re.MULTILINE)
    assert re.findall(r"^(?:PASS|FAIL)", said, re.MULTILINE) == ["FAIL"]
    assert re.search(r"period \d+: \w+ is \w+, expected \w+", said)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", sorted(shipped_manifests()))
def test_every_shipped_core_passes_its_bench(name: str, open_library: Path, tmp_path: Path):
    """Cores of latches and of gated clocks among them, without power."""
    core = read_core(shipped_manifests()[name])
    asked = AskedFlow(target="asic", liberty=open_library, clock_hz=1e6, power=False)
    circuits: list[Circuit] = []
    mappings.characterise(
        core, core.chosen({}), asked, folder=tmp_path / "flow", mappings=1,
        observe=lambda _seed, circuit: circuits.append(circuit),
    )  # fmt: skip
    export_circuit(circuits[0], tmp_path / "export")
    for command in COMMANDS:
        code, said = play(tmp_path / "export", command)
        assert code == 0, f"{command}: {said}"
        assert "PASS" in said


def test_another_simulation_has_the_same_toggles(characterised: Circuit, export: Path):
    """Every one-bit net agrees, glitches too: netlist, delays and activity belong together."""
    circuit = characterised
    bench = export / "testbench.v"
    first, last = circuit.recording.window
    text = bench.read_text("utf-8")
    dump = f'if (k + 1 == {first}) begin $dumpfile("window.vcd"); $dumpvars(1, dut); end'
    text = text.replace(
        "      clk = 1'b1;\n", f"      if (k == {last}) $dumpoff;\n      clk = 1'b1;\n"
    )
    bench.write_text(text.replace("      #1;\n", f"      {dump}\n      #1;\n"), "utf-8")
    assert play(export, "test_with_delays")[0] == 0
    assert circuit.workload is not None
    toggles = circuit.workload.activity.toggles()
    seen = changes((export / "window.vcd").read_text("utf-8"))
    compared = {
        bit.name: int(toggles[net])
        for net, bit in Names(circuit.netlist).nets()
        if bit.index is None and bit.name != circuit.core.clock
    }
    assert len(compared) > 50
    assert {name: seen[name] for name in compared} == compared


def changes(text: str) -> dict[str, int]:
    """Toggles in the window of each net of one bit."""
    head, body = text.split("$enddefinitions $end")
    codes = dict(re.findall(r"\$var \w+ 1 (\S+) (\w+) \$end", head))
    counts = dict.fromkeys(codes.values(), -1)
    for line in body.split("$dumpoff")[0].splitlines():
        if line[:1] in {"0", "1", "x", "z"} and line[1:] in codes:
            counts[codes[line[1:]]] += 1
    return counts
