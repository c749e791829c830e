# SPDX-License-Identifier: Apache-2.0
"""The worker's side: a real tree, the real clock, the real core."""

from __future__ import annotations

from pathlib import Path

import pytest
from virtual_bench import VirtualBench

from joulemark import _core
from joulemark.measure.windows.desk import EnergyDesk
from joulemark.meters.contract import Reading
from joulemark.meters.instruments import powercap
from joulemark.meters.simulated.domain import SimulatedDomain
from joulemark.records.energy_window import EnergyWindow


@pytest.fixture
def request_for(tmp_path: Path):
    """Requests about a tree that nothing moves."""
    bench = VirtualBench(tmp_path, [SimulatedDomain("intel-rapl:0", "package-0", start_j=5.0)])

    def make(**fields: object) -> dict[str, object]:
        return {
            "meter": "powercap", "sysfs": str(tmp_path / "sys"), "proc": str(tmp_path / "proc"),
            "domains": [one.as_dict() for one in bench.domains()],
            "window": {"window_ns": 20_000_000, "periods_s": {"intel-rapl:0": 0.001}},
            **fields,
        }  # fmt: skip

    return make


def as_window(fields: dict[str, object]) -> EnergyWindow:
    """As the parent makes it."""
    return EnergyWindow.from_dict(
        {**fields, "round_index": 0, "position": 0, "attempt": 0, "generation": 0}
    )


@pytest.mark.parametrize("kind", ["deep idle", "active idle", "load"])
def test_a_counter_that_stands_still_is_stuck_in_every_kind_of_window(request_for, kind) -> None:
    """The trace carries the fault; time, messages and CPU time are still told."""
    run = []
    fields = EnergyDesk().window(request_for(kind=kind, ns_per_message=1e5), run.append)
    window = as_window(fields)
    assert window.kind == kind
    assert window.traces[0].fault is not None
    assert window.traces[0].fault.startswith("stuck: ")
    assert window.wall_ns > 0
    assert window.messages == (0 if kind != "load" else window.messages)
    assert (sum(run) > 0) == (kind == "load")
    if kind == "active idle":  # it spins, and gets a part of even a busy CPU
        assert window.thread_cpu_ns > 0.05 * window.wall_ns


def test_the_meter_is_opened_before_the_window(request_for, monkeypatch) -> None:
    """The first reading, which may load a library, is not one of the window's."""
    read, seen = powercap.Powercap.read, []

    def spy(self: powercap.Powercap, domain: str) -> Reading:
        seen.append(_core.monotonic_ns())
        return read(self, domain)

    monkeypatch.setattr(powercap.Powercap, "read", spy)
    desk = EnergyDesk()
    window = as_window(desk.window(request_for(kind="active idle"), None))
    assert seen[0] < window.wall_start_ns
    assert len([moment for moment in seen if moment >= window.wall_start_ns]) == window.reads


def test_observation_of_a_still_counter_has_no_points(request_for) -> None:
    """It ends by time."""
    (seen,) = EnergyDesk().observe(request_for(longest_s=0.05))["observations"]
    assert (seen["points"], seen["fault"]) == ((), None)
    assert seen["watched_s"] >= 0.05
