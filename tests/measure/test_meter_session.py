# SPDX-License-Identifier: Apache-2.0
"""The worker's side: a real tree, the real clock, the real core."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark import _core
from joulemark.measure.worker.meter_session import (
    MessageRun,
    MeteredDomains,
    MeterSession,
    ObserveMeter,
    TakeWindow,
)
from joulemark.measure.worker.run_messages import TrialRun
from joulemark.meters import Reading
from joulemark.meters.instruments import powercap
from joulemark.meters.simulated import SimulatedDomain
from joulemark.records.energy_window import Fault, WindowKind, WindowRequest
from joulemark.records.trial import Trial, Workload
from virtual_bench import VirtualBench

RUN = TrialRun(Trial("siphash-2-4/portable", Workload(64)), bytes(16))


class FakeLoop:
    """Counts messages."""

    quantum = 1

    def __init__(self) -> None:
        self.messages = 0
        self.placements: list[int] = []

    def visit(self, _warm_up: int, _settle: int, _messages: int, placements: list[int]) -> None:
        """Keeps the placements."""
        self.placements += placements

    def run(self, messages: int) -> None:
        """Does nothing, since there is no message."""
        self.messages += messages

    def output(self) -> bytes:
        """An output that no test reads."""
        return b"ok"


def no_loop(_run: TrialRun) -> FakeLoop:
    """Fails, since no message is to be run."""
    raise AssertionError


@pytest.fixture
def metered(tmp_path: Path) -> MeteredDomains:
    """A tree that nothing moves."""
    bench = VirtualBench(tmp_path, [SimulatedDomain("intel-rapl:0", "package-0", start_j=5.0)])
    roots = (str(tmp_path / "sys"), str(tmp_path / "proc"))
    return MeteredDomains("powercap", *roots, tuple(bench.domains()))


def request(metered: MeteredDomains, kind: WindowKind) -> TakeWindow:
    """A window of 20 ms."""
    load = MessageRun(RUN, ns_per_message=1e5, placement=7) if kind is WindowKind.LOAD else None
    return TakeWindow(metered, kind, WindowRequest(20_000_000, {"intel-rapl:0": 0.001}), load)


@pytest.mark.parametrize("kind", WindowKind)
def test_a_counter_that_stands_still_is_stuck_in_every_kind_of_window(metered, kind) -> None:
    """The trace carries the fault; time, messages and CPU time of the window are still told."""
    loop = FakeLoop()
    answer = MeterSession(lambda _run: loop).answer(request(metered, kind))
    window = answer.window
    assert answer.output == ("6f6b" if kind == "load" else None)
    assert loop.placements == ([7] if kind == "load" else [])
    assert window.kind == kind
    assert window.traces[0].fault is not None
    assert window.traces[0].fault.kind is Fault.STUCK
    assert window.wall_ns > 0
    assert window.messages == (0 if kind != "load" else window.messages)
    assert (loop.messages > 0) == (kind == "load")
    if kind == "active idle":  # it spins, and gets a part of even a busy CPU
        assert window.thread_cpu_ns > 0.05 * window.wall_ns


def test_the_meter_is_opened_before_the_window(metered, monkeypatch) -> None:
    """The first reading, which may load a library, is done before the window begins."""
    read, seen = powercap.Powercap.read, []

    def spy(self: powercap.Powercap, domain: str) -> Reading:
        seen.append(_core.monotonic_ns())
        return read(self, domain)

    monkeypatch.setattr(powercap.Powercap, "read", spy)
    window = MeterSession(no_loop).answer(request(metered, WindowKind.ACTIVE_IDLE)).window
    assert seen[0] < window.wall_start_ns
    assert len([moment for moment in seen if moment >= window.wall_start_ns]) == window.reads


def test_observation_of_a_still_counter_has_no_points(metered) -> None:
    """The observation of a still counter ends by its time and has no points."""
    (seen,) = MeterSession(no_loop).answer(ObserveMeter(metered, longest_s=0.05)).observations
    assert (seen.points, seen.fault) == ((), None)
    assert seen.watched_s >= 0.05
