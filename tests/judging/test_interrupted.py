# SPDX-License-Identifier: Apache-2.0
"""Interrupted windows: found by the instrument, repeated, left out if enough others remain."""

from __future__ import annotations

from typing import Any

import pytest

from joulemark.judging import FEWEST_CLEAN, chosen, off_cpu_share, was_interrupted
from joulemark.measure.worker.run_messages import TrialRun, Visit
from joulemark.measure.worker.trials import Trials
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

RUN = TrialRun(Trial("siphash-2-4/portable", Workload(64)), bytes(range(16)))


def sample(**changes: Any) -> RawSample:
    """A clean window of 0.2 ms, but for the changes."""
    clean = {
        "round_index": 0, "position": 0, "generation": 0, "messages": 1000, "wall_start_ns": 1,
        "wall_ns": 200_000, "thread_cpu_ns": 200_100, "tsc_ticks": 1, "perf_core_cycles": None,
        "voluntary_switches": 0, "involuntary_switches": 0, "run_queue_wait_ns": None,
        "machine_busy_ns": None, "machine_steal_ns": None, "chain_adds": 1,
        "chain_ticks_before": 1, "chain_ticks_after": 1,
    }  # fmt: skip
    return RawSample(**(clean | changes))


@pytest.mark.parametrize(
    ("changes", "interrupted"),
    [
        ({}, False),
        ({"thread_cpu_ns": 198_100}, False),
        ({"thread_cpu_ns": 197_900}, True),
        ({"involuntary_switches": 1}, True),
        ({"voluntary_switches": 1}, False),
        ({"voluntary_switches": 1, "thread_cpu_ns": 90_000}, False),
        ({"voluntary_switches": 1, "involuntary_switches": 1}, True),
        ({"wall_ns": 0, "thread_cpu_ns": 0}, False),
    ],
)
def test_the_rule_looks_at_the_instrument(changes: dict[str, Any], interrupted: bool) -> None:
    """Involuntary switches, or 1 % off the CPU unless given up, interrupt; times play no part."""
    assert was_interrupted(sample(**changes)) is interrupted
    assert 0 <= off_cpu_share(sample(**changes)) <= 1


def test_interrupted_windows_stay_out_while_enough_are_clean() -> None:
    """Six clean windows carry a figure alone; with fewer, all windows are used."""
    bad = [sample(involuntary_switches=1, window_index=i) for i in range(20)]
    clean = [sample(window_index=20 + i) for i in range(FEWEST_CLEAN)]
    assert chosen({"a": [*bad, *clean]}) == {"a": clean}
    assert chosen({"a": [*bad, *clean[1:]]}) == {"a": [*bad, *clean[1:]]}
    assert chosen({"a": clean[:2], "b": []}) == {"a": clean[:2], "b": []}


def test_competitors_are_decided_together() -> None:
    """A competitor with five clean windows makes another with twenty use all its windows too.

    When each was decided alone, equal code was called different in half of such comparisons.
    """
    bad = [sample(involuntary_switches=1, window_index=i) for i in range(20)]
    clean = [sample(window_index=20 + i) for i in range(20)]
    few, many = [*bad, *clean[:5]], [*bad, *clean]
    assert chosen({"few": few, "many": many}) == {"few": few, "many": many}
    assert chosen({"many": many, "same": many}) == {"many": clean, "same": clean}


class InterruptedLoop:
    """A loop of which every window is interrupted but for those named."""

    quantum = 1

    def __init__(self, clean: set[int]) -> None:
        self.clean = clean
        self.placed: list[int] = []
        self.visits: list[tuple[int, int]] = []

    def visit(
        self, warm_up: int, settle: int, messages: int, placements: list[int]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Counters of a visit: each window takes 1 ms."""
        self.visits.append((warm_up, len(placements)))
        windows = []
        for placement in placements:
            windows.append({
                "messages": messages, "wall_start_ns": 0, "wall_ns": 200_000,
                "thread_cpu_ns": 200_000, "tsc_ticks": None, "perf_core_cycles": None,
                "voluntary_switches": 0, "chain_adds": 1, "chain_ticks_before": None,
                "involuntary_switches": int(len(self.placed) not in self.clean),
                "chain_ticks_after": None,
            })  # fmt: skip
            self.placed.append(placement)
        return {"visit_wall_ns": 10**6 * len(placements), "visit_thread_cpu_ns": 5,
                "run_queue_wait_ns": None, "machine_busy_ns": 7,
                "machine_steal_ns": 0}, windows  # fmt: skip

    def output(self) -> bytes:
        """An output that no test reads."""
        return b"x"


@pytest.mark.parametrize(
    ("clean", "visits"),
    [
        ({0, 1, 2, 3}, [(9, 4)]),
        ({0, 2, 3, 4}, [(9, 4), (2, 1)]),
        (set(), [(9, 4), (2, 4), (2, 2)]),
        ({0, 4, 5, 6}, [(9, 4), (2, 3)]),
    ],
)
def test_interrupted_windows_are_taken_again(
    clean: set[int], visits: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows are taken again at spare places, if any are left; all have one visit's counters."""
    loop = InterruptedLoop(clean)
    worker = Trials({})
    monkeypatch.setattr(worker, "_loop", lambda _request: loop)
    monkeypatch.setattr(worker._checks, "spot", lambda _name, _number: None)
    answer = worker.answer(
        Visit(RUN, 3, 4, 5, messages=100, warm_up=9, settle=2, placements=(10, 11, 12, 13),
              spare_placements=(20, 21, 22, 23, 24, 25))
    )  # fmt: skip
    assert loop.visits == visits
    count = sum(windows for _, windows in visits)
    assert loop.placed == [10, 11, 12, 13, 20, 21, 22, 23, 24, 25][:count]
    samples = answer.samples
    assert {
        (raw_sample.round_index, raw_sample.position, raw_sample.generation)
        for raw_sample in samples
    } == {(3, 4, 5)}
    assert [raw_sample.window_index for raw_sample in samples] == list(range(count))
    assert {raw_sample.visit_wall_ns for raw_sample in samples} == {10**6 * count}
    assert {raw_sample.machine_busy_ns for raw_sample in samples} == {7 * len(visits)}
    assert {raw_sample.run_queue_wait_ns for raw_sample in samples} == {None}
