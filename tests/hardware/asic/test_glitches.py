# SPDX-License-Identifier: Apache-2.0
"""Slices of a run: where they lie, how they go on from the run, and the share of glitches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from conftest import Flow
from joulemark.errors import CrashError, ImplementationError
from joulemark.firmware import glitches
from joulemark.firmware.gate_cpu import TimedCpu
from joulemark.firmware.glitches import (
    Glitches,
    Slice,
    SliceJoules,
    Words,
    ports_of,
    read_nets,
    slice_words,
    slices_of,
    states_of,
)
from joulemark.hardware.flow.asic import TimedMapping
from joulemark.hardware.gate import wire_model
from joulemark.hardware.gate.analysis import Timing, analyse
from joulemark.hardware.gate.power import replay
from joulemark.hardware.gate.simulate import Activity, read_vcd, simulate
from joulemark.hardware.gate.verilog import all_nets
from joulemark.hardware.synthesis import Netlist
from joulemark.processes.tool import ToolRuns

CLOCK, CLOCK_HZ, PERIOD_PS = "clk_i", 1e6, 1_000_000


@pytest.mark.parametrize(
    ("clocks", "slices"),
    [
        (1, [(0, 1)]),
        (29, [(0, 29)]),
        (30, [(0, 10), (10, 10), (20, 10)]),
        (31, [(0, 10), (10, 10), (21, 10)]),
        (14_999, [(0, 4_999), (5_000, 4_999), (10_000, 4_999)]),
        (51_221, [(0, 5_000), (23_110, 5_000), (46_221, 5_000)]),
    ],
)
def test_slices_lie_at_the_begin_in_the_middle_and_at_the_end(
    clocks: int, slices: list[tuple[int, int]]
) -> None:
    """None is longer than 5 000 clocks, and a short message is one slice."""
    assert slices_of(7, clocks) == [Slice(7, *part) for part in slices]


@pytest.mark.parametrize("clocks", [*range(30, 60), 15_000, 15_001, 15_002])
def test_slices_share_no_clock(clocks: int) -> None:
    """Each begins where the one before it ended, or later; the last ends with the message."""
    slices = slices_of(0, clocks)
    ends = [part.first_clock + part.clocks for part in slices]
    assert all(part.first_clock >= end for part, end in zip(slices[1:], ends, strict=False))
    assert ends[-1] == clocks


def test_the_share_is_that_of_all_slices_together() -> None:
    """A slice with more energy counts for more; the ends are those of single slices."""
    joules = [(11.0, 10.0), (33.0, 30.0), (60.0, 40.0)]
    found = Glitches(tuple(SliceJoules(0, 0, 9, *both) for both in joules))
    assert found.share == pytest.approx(104 / 80 - 1)
    assert [found.smallest, found.largest] == pytest.approx([0.1, 0.5])


def test_nets_are_read_by_slice_and_clock(tmp_path: Path) -> None:
    """A slice has one row more than clocks; a file of another size is refused."""
    slices = {16: [Slice(100, 0, 2)], 33: [Slice(200, 5, 1)]}
    assert slice_words(slices) == [100, 2, 205, 1]
    path = tmp_path / "nets"
    np.arange(10, dtype="<u8").tofile(path)
    flat = [part for parts in slices.values() for part in parts]
    assert [words.tolist() for words in read_nets(path, 65, flat)] == [
        [[0, 1], [2, 3], [4, 5]],
        [[6, 7], [8, 9]],
    ]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CrashError, match="did not write the nets of all clocks"):
        list(read_nets(path, 65, flat))


def _words(netlist: Netlist, whole: Activity) -> Words:
    """All nets at the end of each period of a window, as Verilator writes them."""
    nets = all_nets(netlist)
    periods = round(whole.duration_ps / PERIOD_PS)
    values = np.zeros((periods, -(-len(nets) // 64) * 64), dtype=np.uint8)
    for place, net in enumerate(nets):
        times = whole.times_ps[whole.start[net] : whole.start[net + 1]]
        changes = np.searchsorted(times, PERIOD_PS * np.arange(1, periods + 1))
        values[:, place] = (whole.initial[net] + changes) % 2
    return np.packbits(values, axis=1, bitorder="little").view("<u8")


@pytest.fixture
def whole(icarus: None, flow: Flow, tmp_path: Path) -> tuple[Timing, Activity, Activity, Words]:
    """Forty periods of a run with its delays and without, and the nets at the end of each."""
    netlist = flow.netlist
    first = flow.recording.window[0]
    recording = replace(flow.recording, window=(first, first + 40))
    timing = analyse(netlist, wire_model(netlist, "library"), CLOCK)
    timed, still = (
        read_vcd(
            simulate(
                netlist, CLOCK, recording, tmp_path / "whole", timing=delays, clock_hz=CLOCK_HZ
            ),
            netlist.net_count,
        )
        for delays in (timing, None)
    )
    return timing, timed, still, _words(netlist, still)


def test_a_slice_goes_on_from_the_run(
    flow: Flow, whole: tuple[Timing, Activity, Activity, Words], tmp_path: Path
) -> None:
    """Every toggle of every net has the time that it has in the whole run, glitches too."""
    netlist, (timing, timed, still, words) = flow.netlist, whole
    for delays, right in ((timing, timed), (None, still)):
        vcd = simulate(
            netlist, CLOCK, ports_of(netlist, CLOCK, words), tmp_path / "slice", timing=delays,
            clock_hz=CLOCK_HZ, start=states_of(netlist, words),
        )  # fmt: skip
        seen = read_vcd(vcd, netlist.net_count)
        assert seen.unknown == 0
        assert seen.toggles().sum() > 0
        for net in all_nets(netlist):
            times = right.times_ps[right.start[net] : right.start[net + 1]] - PERIOD_PS
            found = seen.times_ps[seen.start[net] : seen.start[net + 1]]
            assert found.tolist() == times[times >= 0].tolist()


def test_a_slice_has_the_joules_of_the_run_in_one_piece_and_in_four(
    monkeypatch: pytest.MonkeyPatch,
    flow: Flow,
    whole: tuple[Timing, Activity, Activity, Words],
    tmp_path: Path,
) -> None:
    """The trees count with delays and without, and a piece begins where the one before it ends."""
    netlist, (timing, timed, still, words) = flow.netlist, whole
    clocks, nets = len(words) - 1, tmp_path / "nets"
    words.tofile(nets)
    trees = SimpleNamespace(energy_j=lambda toggles: 1e-15 * toggles[netlist.inputs[CLOCK][0]])
    mapping = SimpleNamespace(netlist=netlist, wires=timing, trees=trees, period_s=1e-7)
    cpu, slices = TimedCpu(cast("TimedMapping", mapping), CLOCK), {16: [Slice(0, 0, clocks)]}
    parts: list[SliceJoules] = []
    for pieces in (1, 4):
        cells = len(netlist.instances) * -(-clocks // pieces)
        monkeypatch.setattr(glitches, "_CELL_CLOCKS", cells)
        parts += glitches.glitches_of(cpu, slices, nets, ToolRuns())[16].slices
    alone, pieced = parts
    assert pieced.with_delays_j == pytest.approx(alone.with_delays_j, rel=1e-3, abs=0)
    assert pieced.without_delays_j == pytest.approx(alone.without_delays_j, rel=1e-3, abs=0)
    # The whole run has one period more.
    for joules, activity in ((alone.with_delays_j, timed), (alone.without_delays_j, still)):
        of_run_j = replay(netlist, timing, activity).energy_j * clocks / len(words)
        assert joules - clocks * 2e-15 == pytest.approx(of_run_j, rel=0.1, abs=0)


def test_a_refused_slice_is_named(
    flow: Flow, whole: tuple[Timing, Activity, Activity, Words], tmp_path: Path
) -> None:
    """The message has the clock, a way on, and no file of a folder that is gone."""
    netlist, (timing, _, _, words) = flow.netlist, whole
    wrong, nets = words.copy(), tmp_path / "nets"
    wrong[3] ^= np.uint64((1 << 64) - 1)
    wrong.tofile(nets)
    mapping = SimpleNamespace(netlist=netlist, wires=timing, period_s=1e-7)
    cpu = TimedCpu(cast("TimedMapping", mapping), CLOCK)
    slices = {16: [Slice(0, 50, len(words) - 1)]}
    with pytest.raises(ImplementationError) as refused:
        glitches.glitches_of(cpu, slices, nets, ToolRuns())
    said = str(refused.value)
    assert "differs from its own run in" in said
    assert said.endswith(
        "in a slice from clock 50 of the message on; there are joules without --glitches"
    )


@pytest.mark.parametrize("wrong", ["an output", "a state"])
def test_a_slice_with_another_output_is_refused(
    flow: Flow, whole: tuple[Timing, Activity, Activity, Words], wrong: str, tmp_path: Path
) -> None:
    """One bit in one clock is enough, or a flip-flop that begins with another value."""
    netlist, (_, _, _, words) = flow.netlist, whole
    ports, states = ports_of(netlist, CLOCK, words), states_of(netlist, words)
    name, values = next(iter(ports.outputs.items()))
    if wrong == "an output":
        changed = (*values[:3], values[3] ^ 1, *values[4:])
        ports = replace(ports, outputs={**ports.outputs, name: changed})
    else:
        states = {index: 1 - state for index, state in states.items()}
    with pytest.raises(ImplementationError, match="differs from its own run in"):
        simulate(
            netlist, CLOCK, ports, tmp_path / "slice", timing=None, clock_hz=CLOCK_HZ, start=states
        )
