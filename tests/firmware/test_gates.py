# SPDX-License-Identifier: Apache-2.0
"""Firmware on the netlist of a CPU: the same marks and bytes as on the sources, and joules."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.errors import ImplementationError, UsageError
from joulemark.firmware import gates
from joulemark.firmware.build import every_implementation
from joulemark.firmware.firmware_counts import count, parse_log, read_answer
from joulemark.firmware.gate_cpu import CpuFacts, GateCpu, TimedCpu, gate_cpu, require_gates
from joulemark.firmware.gates import REGISTER_FILE, SRAM, SourceRun, run_gates, run_sources
from joulemark.firmware.glitches import Glitches, Slice, SliceJoules
from joulemark.firmware.target import Target, gate_targets, target_named
from joulemark.hardware.flow.request import flow
from joulemark.hardware.gate.sink import SINK_CATEGORIES
from joulemark.processes.tool import ToolRuns
from joulemark.records.sample import Footprint

Find = Callable[[str], Target]
Ran = Callable[..., dict[int, gates.MessageJoules]]

SMALL = every_implementation()["halfsiphash-2-4/portable"]
MARKS = """mark 1 100 0
mark 2 104 0
window 1 1 1 2 1 1e-12{empty}
mark 3 200 0
mark 4 304 0
window 3 9 9 9 9 9e-9{key}
mark 5 1000 0
mark 6 1504 0
window 5 8 8 8 8 8e-9{first}
mark 5 2000 0
mark 6 2404 0
window 5 301 51 12 7 2001e-12{second}"""
"""A log by hand: the second message takes 400 core cycles more than an empty pair of marks."""
ANSWER = bytes([16, 0, 56, 0, 0]) + b"\0ab" + b"\0ab" + bytes([0x34, 0x01])


def _log(answer: bytes = ANSWER, marks: str = MARKS) -> str:
    each = {"empty": 1e-12, "key": 5.0, "first": 6.0}
    words = {name: f" {joules}" * len(SINK_CATEGORIES) for name, joules in each.items()}
    second = " ".join(f"{(place + 2) * 1e-12}" for place in range(len(SINK_CATEGORIES)))
    shown = marks.format(**words, second=f" {second}").splitlines()
    return "\n".join([*shown, *(f"byte {number}" for number in answer), "end"])


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A run on a netlist with a log that is given, after one on the sources with `_log`."""
    facts = CpuFacts(10.0, 4.0, 1.0, 9, 1e-8, 3e-9, "small", "typical", 1.0, "none", "seed 1", "0")
    log = parse_log(_log())
    source = SourceRun(Path("program.elf"), log, read_answer(log, [2]), (2,), {})
    sizes = Footprint(code_bytes=4000, constant_bytes=200, static_ram_bytes=0, state_bytes=56)
    monkeypatch.setattr(gates, "footprint", lambda *_: sizes)
    monkeypatch.setattr(gates, "flash_image", lambda program: program)

    def run(text: str, timed: TimedCpu | None = None) -> dict[int, gates.MessageJoules]:
        monkeypatch.setattr(gates, "simulate", lambda *_: text)
        target, cpu = target_named("gate:serv"), GateCpu(facts, Path("cpu"), timed)
        return run_gates(target, SMALL, cpu, source, 1e6, ToolRuns())

    return run


def test_joules_are_those_of_the_second_message(ran: Ran) -> None:
    """An empty pair is taken off; the leakage of the trees and the macros takes the time."""
    [(size, found)] = ran(_log()).items()
    assert (size, found.core_cycles) == (2, 400)
    assert list(found.by_category_j.values()) == pytest.approx(
        [(place + 1) * 1e-12 for place in range(len(SINK_CATEGORIES))]
    )
    # logic, logic nets and input nets are the fifth to the seventh of eight
    assert found.logic_j == pytest.approx((5 + 6 + 7) * 1e-12)
    assert found.storage_j == pytest.approx((1 + 2 + 3 + 4 + 8) * 1e-12)
    assert found.leakage_j == pytest.approx(2000e-12 + 3e-9 * 400e-6)
    assert found.core_j == pytest.approx(found.logic_j + found.storage_j + found.leakage_j)
    memory, registers = found.memories["memory"], found.memories["register file"]
    assert (memory.reads, memory.writes, memory.macros) == (300, 50, 3)  # two of code, one of data
    assert (registers.reads, registers.writes, registers.macros) == (10, 6, 1)
    assert memory.joules(400e-6) == pytest.approx(
        300 * SRAM.read_j + 50 * SRAM.write_j + 3 * SRAM.leakage_w * 400e-6
    )
    assert registers.access_j() == pytest.approx(
        10 * REGISTER_FILE.read_j + 6 * REGISTER_FILE.write_j
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_log(ANSWER[:6] + b"x" + ANSWER[7:]), "the bytes differ from number 7 on"),
        (_log(marks=MARKS.replace("mark 6 2404", "mark 6 2405")), "the marks differ from number 8"),
        (_log(ANSWER + b"x"), "the bytes differ from number 14 on"),
    ],
)
def test_a_netlist_that_does_something_else_has_no_joules(ran: Ran, text: str, words: str) -> None:
    """One byte or one clock is enough, and the message names its place."""
    with pytest.raises(ImplementationError, match=words) as refused:
        ran(text)
    assert "halfsiphash-2-4/portable on the netlist of SERV" in str(refused.value)


GLITCHES = Glitches(
    (SliceJoules(2000, 0, 202, 11e-9, 10e-9), SliceJoules(2000, 202, 202, 39e-9, 30e-9))
)
"""Shares of 10 % and 30 %, and of 25 % together."""


def test_glitches_are_a_share_of_the_dynamic_energy(ran: Ran) -> None:
    """Leakage has none, and the ends are those with the shares of single slices."""
    [plain] = ran(_log()).values()
    found = replace(plain, glitches=GLITCHES)
    dynamic_j = sum(plain.by_category_j.values())
    assert (plain.glitches_j, plain.ends_j) == (0.0, (plain.core_j, plain.core_j))
    assert found.glitches_j == pytest.approx(0.25 * dynamic_j)
    assert found.core_j == pytest.approx(1.25 * dynamic_j + plain.leakage_j)
    assert found.ends_j == pytest.approx(
        (1.1 * dynamic_j + plain.leakage_j, 1.3 * dynamic_j + plain.leakage_j)
    )


def test_slices_are_of_the_second_turn(monkeypatch: pytest.MonkeyPatch, ran: Ran) -> None:
    """The simulator is asked for the nets of the clocks between the last two marks."""
    seen: dict[int, list[Slice]] = {}
    asked: list[tuple[list[object], ...]] = []

    def measured(_cpu: object, slices: dict[int, list[Slice]], *_: object) -> dict[int, Glitches]:
        seen.update(slices)
        return dict.fromkeys(slices, GLITCHES)

    monkeypatch.setattr(gates, "glitches_of", measured)
    monkeypatch.setattr(GateCpu, "command", lambda *words: asked.append(words))
    [(size, found)] = ran(_log(), object()).items()
    assert found.glitches is GLITCHES
    assert seen[size] == [Slice(2000, first, 134) for first in (0, 135, 270)]
    [(*_, dumped)] = asked
    assert dumped[1:] == [2000, 134, 2135, 134, 2270, 134]


def test_gate_targets_are_microcontrollers_with_a_netlist() -> None:
    """The netlist of a CPU is an entry of the microcontroller's manifest, and has its name."""
    assert {"gate:picorv32", "gate:serv", "gate:vexriscv-min", "gate:ibex"} <= set(gate_targets())
    for name, target in gate_targets().items():
        assert target is target_named(name.replace("gate:", "mcu:"))
    with pytest.raises(UsageError, match=r"no firmware target 'gate:serf'.*gate:serv"):
        target_named("gate:serf")


LIBRARY = """library (tiny) {{ time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW";
  capacitive_load_unit (1, pf); nom_voltage : 1.0;
  cell (NAND2) {{ area : 1;
    pin (A) {{ direction : input; capacitance : 0.001; }}
    pin (B) {{ direction : input; capacitance : 0.001; }}
    pin (Y) {{ direction : output; function : "!(A & B)"; }} }}
  {more} }}
"""
FLIP_FLOP = """cell (DFF) { area : 4; ff (IQ, IQN) { clocked_on : "C"; next_state : "D"; }
    pin (C) { direction : input; capacitance : 0.001; clock : true; }
    pin (D) { direction : input; capacitance : 0.001; }
    pin (Q) { direction : output; function : "IQ"; } }"""


@pytest.mark.parametrize(
    ("more", "words"), [("", "it has no flip-flop"), (FLIP_FLOP, "it has no power tables")]
)
def test_a_library_without_the_cells_is_refused(
    runnable: Find, tmp_path: Path, more: str, words: str
) -> None:
    """One sentence names the option and the file, before anything is mapped."""
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    path = tmp_path / "tiny.lib"
    path.write_text(LIBRARY.format(more=more), "utf-8")
    with pytest.raises(UsageError, match=words) as refused:
        require_gates(runnable("mcu:serv"), flow("asic", str(path), wire="none"))
    assert str(path) in str(refused.value)


def _on_netlist(
    target: Target,
    liberty: Path,
    name: str,
    lengths: tuple[int, ...],
    clock_hz: float,
    *,
    glitches: bool = False,
) -> dict[int, gates.MessageJoules]:
    kernel = every_implementation()[name]
    asked = flow("asic", str(liberty), clock_hz=clock_hz)
    require_gates(target, asked, glitches=glitches)
    cpu = gate_cpu(target, asked, lambda _text: None, glitches=glitches)
    source = run_sources(target, kernel, lengths, ToolRuns())
    return run_gates(target, kernel, cpu, source, clock_hz, ToolRuns())


@pytest.mark.timeout(600)
def test_serv_runs_chaskey_on_its_netlist(
    runnable: Find, open_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clocks are those of `mcu:serv`; dynamic energy does not depend on the clock."""
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    monkeypatch.setenv("JOULEMARK_CORE_CACHE", str(tmp_path))
    target, name = runnable("mcu:serv"), "chaskey-12/mcu32"
    [found] = _on_netlist(target, open_library, name, (16,), 500e3).values()
    counted = count(target, every_implementation()[name], (16,)).counts[16]
    assert found.core_cycles == counted.core_cycles
    per_clock_j = (found.logic_j + found.storage_j) / found.core_cycles
    assert 2e-12 < per_clock_j < 20e-12
    assert 0 < found.leakage_j < found.core_j
    assert counted.instructions <= found.memories["memory"].reads <= 2 * counted.instructions
    assert 1.5 < found.memories["register file"].reads / counted.instructions < 2.5
    [faster] = _on_netlist(target, open_library, name, (16,), 5e6).values()
    assert faster.by_category_j == pytest.approx(found.by_category_j, rel=1e-12, abs=0)
    assert faster.leakage_j == pytest.approx(found.leakage_j / 10, rel=1e-3)


@pytest.mark.timeout(600)
def test_serv_has_few_glitches(
    runnable: Find, open_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slices that cover the message have the energy that the sink adds up, but for the inputs.

    These change in the low half of the clock in Verilator, and with the flip-flops in Icarus.
    """
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    if shutil.which("iverilog") is None:
        pytest.skip("no Icarus Verilog here: apt-get install iverilog")
    monkeypatch.setenv("JOULEMARK_CORE_CACHE", str(tmp_path))
    target = runnable("mcu:serv")
    [found] = _on_netlist(target, open_library, SMALL.name, (2,), 500e3, glitches=True).values()
    assert found.glitches is not None
    assert 0.002 < found.glitches.smallest <= found.glitches.share <= found.glitches.largest < 0.04
    clocks = sum(part.clocks for part in found.glitches.slices)
    still_j = sum(part.without_delays_j for part in found.glitches.slices)
    assert still_j / clocks == pytest.approx(found.dynamic_j / found.core_cycles, rel=0.02)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", gate_targets())
@pytest.mark.parametrize(
    "implementation",
    ["siphash-2-4/mcu32", "chaskey-12/mcu32", "cmac-aes128/mcu32", "hmac-sha256/mcu32"],
)
def test_every_netlist_computes_macs(
    runnable: Find, open_library: Path, name: str, implementation: str
) -> None:
    """Two lengths a MAC, each held to the reference and to the sources, with the same clocks."""
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    target = runnable(name.replace("gate:", "mcu:"))
    found = _on_netlist(target, open_library, implementation, (16, 33), 500e3)
    counted = count(target, every_implementation()[implementation], (16, 33)).counts
    assert {size: joules.core_cycles for size, joules in found.items()} == {
        size: firmware_count.core_cycles for size, firmware_count in counted.items()
    }
    assert found[33].core_j > found[16].core_j > 0
