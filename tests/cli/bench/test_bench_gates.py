# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --target gate:...`, as a user calls it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from forked_commands import run_joulemark
from joulemark.cli import gate_bench
from joulemark.cli.bench import GateRequest
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.gate_cpu import CpuFacts, GateCpu
from joulemark.firmware.gates import LOGIC, MessageJoules
from joulemark.firmware.glitches import Glitches, SliceJoules
from joulemark.firmware.target import target_named
from joulemark.hardware.flow.request import Flow
from joulemark.measure import gate_trials
from joulemark.measure.gate_trials import GateFindings, GateRow
from joulemark.measure.study import Study
from joulemark.store.repository import Store

SMALL = "halfsiphash-2-4/portable"
SERV = ("--target", "gate:serv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SMALL, *SERV), "finds none: give --liberty FILE"),
        ((SMALL, "--target", "gate:serf"), "no firmware target 'gate:serf'"),
        ((SMALL, *SERV, "--liberty", "none.lib"), "--liberty none.lib: there is no such file"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--clock", "fast"), "--clock fast: give a"),
        ((*SERV, "--liberty", "any.lib"), "name those to be measured"),
        ((SMALL, "--target", "gate:serv,mcu:serv"), "another table than mcu:serv"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--csv"), "as a table or by --json alone"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--batch", "4"), "--batch: firmware takes"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--energy"), "--energy: the joules of a netlist"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--plugin", "x.so"), "have no place beside"),
        ((SMALL, "--target", "mcu:serv", "--clock", "1M"), "--clock is for the netlist of a CPU"),
        ((SMALL, "--liberty", "any.lib"), "--liberty is for the netlist of a CPU"),
        ((SMALL, "--target", "mcu:serv", "--glitches"), "--glitches is for the netlist of a CPU"),
        ((SMALL, "--target", "mcu:serv", "--mappings", "3"), "--mappings is for the netlist of a"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--mappings", "0"), "--mappings 0: give a number"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Each refusal is one sentence, with exit code 2."""
    done = run_joulemark("bench", *arguments, cwd=tmp_path, text=True)
    assert done.returncode == 2
    assert words in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def _skip_without_tools() -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    lacking = missing(target_named("gate:serv"))
    if lacking is not None:
        pytest.skip(f"gate:serv {lacking}")


def test_a_message_without_room_is_refused(tmp_path: Path, open_library: Path) -> None:
    """No netlist is made where no message has room."""
    _skip_without_tools()
    done = run_joulemark(
        "bench", SMALL, *SERV, "--liberty", open_library, "--size", "65535",
        cwd=tmp_path, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "at 65535 B: refused: the message has no room in 65536 bytes of RAM" in done.stderr
    assert done.stdout == ""


CPU = CpuFacts(10.0, 4.0, 1.0, 9, 1e-8, 3e-9, "small", "typical", 1.0, "none", "seed 1", "0")
SLICES = Glitches((SliceJoules(9, 0, 134, 11e-9, 10e-9), SliceJoules(9, 270, 134, 39e-9, 30e-9)))
"""Shares of 10 % and 30 %, and of 25 % together."""


@pytest.mark.parametrize("as_json", [False, True])
def test_measured_glitches_stand_in_the_sum(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    """Their joules are a column, with the share and its range over slices beside it."""
    joules = MessageJoules(
        404, {**dict.fromkeys(LOGIC, 100e-9), "clock tree": 100e-9}, 50e-9, {}, SLICES
    )
    found = GateFindings([GateRow(SMALL, "gate:serv", 16, joules)], {"gate:serv": CPU})
    asked: list[object] = []

    def taken(*_: object, glitches: bool) -> GateFindings:
        asked.append(glitches)
        return found

    monkeypatch.setattr(gate_bench, "take_gate_joules", taken)
    monkeypatch.setattr(gate_bench, "flow", lambda *_, **__: Flow(target="asic"))
    study = Study((SMALL,), (16,), targets=("gate:serv",))
    gate_bench.show_gate_joules(
        GateRequest(
            study=study,
            liberty="x.lib",
            clock="1M",
            glitches=True,
            mappings=1,
            store_location=None,
            as_json=as_json,
        )
    )
    shown = capsys.readouterr().out
    assert asked == [True]
    if as_json:
        said = json.loads(shown)
        [row] = said["results"]
        assert said["without_glitches"] is False
        assert row["joules_per_message"] == pytest.approx(550e-9)
        assert row["glitches"]["joules"] == pytest.approx(100e-9)
        assert [part["share"] for part in row["glitches"]["slices"]] == pytest.approx([0.1, 0.3])
        assert [part["clocks"] for part in row["glitches"]["slices"]] == [134, 134]
    else:
        text = " ".join(shown.split())
        assert "glitches share (slices' min to max) leakage CPU in all" in text
        assert "300 100 100 25.0 % (10.0 to 30.0) 50.0 550" in text
        assert "2 slices of the message, of 134 clocks each" in text
        assert "without glitches" not in text


def test_several_mappings_have_a_range(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row has the energy of the middle one; each CPU is made once for each seed."""
    seeds: list[int] = []

    def mapped(*_: object, seed: int, **__: object) -> GateCpu:
        seeds.append(seed)
        return GateCpu(replace(CPU, area_ge=10.0 * seed), tmp_path)

    def energy(_target: object, _kernel: object, cpu: GateCpu, *_: object) -> object:
        leakage_j = {10.0: 3e-9, 20.0: 9e-9, 30.0: 4e-9}[cpu.facts.area_ge]
        return {16: MessageJoules(404, dict.fromkeys(LOGIC, 0.0), leakage_j, {})}

    source = SimpleNamespace(refused={})
    monkeypatch.setattr(gate_trials, "gate_cpu", mapped)
    monkeypatch.setattr(gate_trials, "require_gates", lambda *_, **__: None)
    monkeypatch.setattr(gate_trials, "run_sources", lambda *_: source)
    monkeypatch.setattr(gate_trials, "run_gates", energy)
    monkeypatch.setattr(
        gate_bench, "flow", lambda *_, mappings, **__: Flow(target="asic", mappings=mappings)
    )
    study = Study((SMALL,), (16,), targets=("gate:serv",))
    request = GateRequest(
        study=study,
        liberty="x",
        clock="1M",
        glitches=False,
        mappings=3,
        store_location=str(tmp_path / "kept.db"),
        as_json=False,
    )
    gate_bench.show_gate_joules(request)
    text = " ".join(capsys.readouterr().out.split())
    assert seeds == [1, 2, 3]
    assert "leakage CPU in all over mappings memory apart" in text
    assert "4.00 4.00 3.00 to 9.00 -" in text
    assert "serv 10 GE 10 to 30 4 GE" in text
    assert "on 3 mappings" in text
    gate_bench.show_gate_joules(replace(request, as_json=True, store_location=None))
    [row] = json.loads(capsys.readouterr().out)["results"]
    assert row["mappings"] == 3
    assert (row["joules_lowest"], row["joules_highest"]) == (3e-9, 9e-9)
    with Store.open(str(tmp_path / "kept.db")) as store:
        (report,) = store.core_reports()
    assert (report.core, report.firmware) == ("gate:serv", SMALL)
    assert report.figures["energy_per_mac_j"] == 4e-9
    assert (report.figures["area_lowest_ge"], report.figures["area_highest_ge"]) == (10, 30)


@pytest.mark.timeout(600)
def test_the_table_and_the_json_say_the_same(tmp_path: Path, open_library: Path) -> None:
    """The row has the parts of the energy, and says what is left out."""
    _skip_without_tools()
    arguments = ("bench", SMALL, *SERV, "--liberty", open_library, "--size", "16")
    table = run_joulemark(*arguments, cwd=tmp_path, text=True, timeout_s=600)
    assert table.returncode == 0, table.stderr
    for words in ("without glitches", "memory apart", "register file apart", "modelled", "GE"):
        assert words in table.stdout
    done = run_joulemark(*arguments, "--json", cwd=tmp_path, text=True)
    found = json.loads(done.stdout)
    [row], [cpu] = found["results"], found["cpus"]
    assert found["without_glitches"] is True
    assert found["evidence"] == {"core_cycles": "simulated", "joules": "modelled"}
    parts = row["logic_j"] + row["storage_and_clock_j"] + row["leakage_j"]
    assert row["joules_per_message"] == pytest.approx(parts)
    assert str(row["core_cycles_per_message"]) in table.stdout
    assert f"{cpu['area_ge']:.0f} GE" in table.stdout
    assert [use["name"] for use in row["memories_apart"]] == ["memory", "register file"]
