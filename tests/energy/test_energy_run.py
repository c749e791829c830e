# SPDX-License-Identifier: Apache-2.0
"""The runner of energy windows: its requests, the windows it repeats, and when it gives up.

A list of answers plays the workers, so that good and void windows can come in every order; the
store is real.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from virtual_run import trial

from energy_windows import DOMAIN, RECORD, points, window
from joulemark.errors import CrashError, ImplementationError, WrongOutputError
from joulemark.measure.energy_run import EnergyRun
from joulemark.measure.meter_of_run import HOPELESS, RETAKE_PAUSE_S, PreparedMeter
from joulemark.measure.plan import (
    EDGES,
    WESTERMANN2010,
    Effort,
    EnergyMethod,
    EnergyPlan,
    EnergyStep,
    Plan,
    energy_rounds,
)
from joulemark.measure.worker.meter_session import Metered, TakeWindow
from joulemark.measure.worker.run_messages import TrialRun
from joulemark.records.energy_window import DomainTrace, Fault, TraceFault, WindowKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

A, B = trial("a"), trial("b")
GOOD = DomainTrace("p", points((0, 10), (1, 5010)))
STUCK = DomainTrace("p", fault=TraceFault(Fault.STUCK, "it showed 10 for 5 s"))
VANISHED = DomainTrace("p", fault=TraceFault(Fault.VANISHED, "energy_uj is not there any more"))
BUSY = {"machine_busy_ns": 2 * 10**9}
"""Counter of a window in which another program used a whole CPU."""


class Workers:
    """Answers every request for a window: first with `answers`, then with good windows."""

    def __init__(self, answers: list[Any] | None = None) -> None:
        self.answers = answers or []
        self.asked: list[TakeWindow] = []
        self.restarts = 0

    def ask_own(self, request: TakeWindow, *, limit_s: float) -> Metered:
        """The next window, at the place that the request names."""
        assert limit_s > 60
        self.asked.append(request)
        asked = request.window
        answer = self.answers.pop(0) if self.answers and not warms_up(request) else window(GOOD)
        if isinstance(answer, Exception):
            raise answer
        taken = replace(
            answer, kind=request.kind, round_index=asked.round_index, position=asked.position,
            attempt=asked.attempt, generation=asked.generation,
        )  # fmt: skip
        return Metered(taken, "ok" if request.load else None)

    def ask(self, implementation: str, request: TakeWindow, *, limit_s: float) -> Metered:
        """The next window of a load."""
        assert request.load is not None
        assert request.load.run.trial.implementation == implementation
        return self.ask_own(request, limit_s=limit_s)

    def trial_run(self, trial: Trial) -> TrialRun:
        """The trial as the pool of workers passes it on."""
        return TrialRun(trial, b"key")

    def close(self) -> None:
        """Counts the moments from which on processes are fresh."""
        self.restarts += 1


class Lent:
    """Stands in for the runner of times, which lends these methods."""

    def __init__(self) -> None:
        self.failed: dict[str, str] = {}

    def calibrated_ns_per_message(self, _trial: Trial) -> float:
        """A message takes a microsecond."""
        return 1000.0

    def verify(self, _trial: Trial, output: str, _moment: str) -> None:
        """Accepts one output as right and refuses others."""
        if output != "ok":
            raise WrongOutputError(output)

    def record_error(self, _run: int, trial_key: Trial, error: ImplementationError) -> None:
        """Keeps the error's text."""
        self.failed[trial_key.implementation] = str(error)

    def has_failed(self, trial_key: Trial) -> bool:
        """Whether the implementation has failed."""
        return trial_key.implementation in self.failed


WARM_UP_NS = 7_000_000_000


def warms_up(request: TakeWindow) -> bool:
    """Whether the window warms the machine up, so that nothing of it is kept."""
    return request.window.window_ns == WARM_UP_NS


@pytest.fixture
def store() -> Iterator[Store]:
    """A store with one run."""
    with Store.open(":memory:") as opened:
        opened.begin_run(
            study={}, study_digest="x", seed=1, rounds=1, environment={}, joulemark_version="0"
        )
        yield opened


@pytest.fixture(autouse=True)
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of the runner, none of which is waited for."""
    kept: list[float] = []
    monkeypatch.setattr("joulemark.measure.energy_run.time.sleep", kept.append)
    return kept


def run_of(
    store: Store, workers: Workers, lent: Lent | None = None, *, rounds: int = 2,
    protocol: EnergyMethod = EDGES, retakes: int = 3,
) -> EnergyRun:  # fmt: skip
    """A run of two trials."""
    prepared = PreparedMeter(RECORD, "powercap", protocol, DOMAIN, {"p": 0.001})
    energy = EnergyPlan(rounds=rounds, retakes=retakes, warm_up_s=WARM_UP_NS / 1e9)
    plan = Plan((A, B), Effort(30, 2_000_000, 10, windows=1, retakes=0))
    return EnergyRun(store, workers, lent or Lent(), plan, energy, prepared)  # type: ignore[arg-type]


def take(run: EnergyRun) -> int:
    """The number of windows that the run takes."""
    return run.take(1, 5, lambda _done, _total, _step: None)


def test_rounds_have_every_trial_once_between_baselines() -> None:
    """Both idles come first, after each eighth load, and last; the order of loads changes."""
    many = tuple(trial(f"v{n}") for n in range(10))
    rounds = list(energy_rounds(Plan(many, Effort(6, 1, 1)), EDGES, seed=2))
    for number, steps in enumerate(rounds):
        kinds = [step.kind for step in steps]
        idle = [WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE]
        load = [WindowKind.LOAD]
        assert kinds == idle + 8 * load + idle + 2 * load + idle
        assert sorted(step.trial for step in steps if step.trial) == sorted(many)
        assert [step.position for step in steps] == list(range(len(steps)))
        assert {step.round_index for step in steps} == {number}
    assert len({tuple(step.trial for step in steps) for steps in rounds}) == 6


def test_every_window_is_stored_with_its_place(store: Store) -> None:
    """Both rounds store two trials and four baselines, and each round has fresh processes."""
    workers = Workers()
    assert take(run_of(store, workers)) == 12
    stored = store.energy_windows(1)
    places = [
        (stored_window.window.round_index, stored_window.window.position)
        for stored_window in stored
    ]
    assert places == [(number, place) for number in range(2) for place in range(6)]
    assert all(
        stored_window.void is None and stored_window.window.attempt == 0 for stored_window in stored
    )
    assert [stored_window.window.generation for stored_window in stored] == [0] * 6 + [1] * 6
    assert {stored_window.trial for stored_window in stored} == {None, A, B}
    assert workers.restarts == 2


def test_the_load_runs_first_and_its_energy_is_not_kept(store: Store) -> None:
    """A long load window comes before the first round, and nothing of it is stored."""
    workers = Workers()
    take(run_of(store, workers))
    assert workers.asked[0].kind is WindowKind.LOAD
    assert [warms_up(take_window) for take_window in workers.asked] == [True] + [False] * (
        len(workers.asked) - 1
    )


def test_a_void_window_is_taken_again(store: Store, rests: list[float]) -> None:
    """Two disturbed windows and a good one are three attempts, with a pause before each retake."""
    busy = window(GOOD, **BUSY)
    run = run_of(store, Workers([busy, busy]))
    take(run)
    first = store.energy_windows(1)[:3]
    assert [
        (stored_window.window.position, stored_window.window.attempt) for stored_window in first
    ] == [(0, 0), (0, 1), (0, 2)]
    assert [stored_window.void is None for stored_window in first] == [False, False, True]
    assert first[0].void is not None
    assert first[0].void.startswith("foreign CPU time: ")
    assert rests == [RETAKE_PAUSE_S] * 2
    assert run.gave_up is None


def test_three_void_windows_of_one_cause_end_the_energy(store: Store) -> None:
    """These three windows are stored, and are the last; one sentence has the cause and a remedy."""
    run = run_of(store, Workers([window(GOOD, **BUSY)] * 99), rounds=20)
    assert take(run) == HOPELESS
    assert len(store.energy_windows(1)) == HOPELESS
    assert run.gave_up == (
        "metering ended after 3 void windows in a row, foreign CPU time: other programs "
        "used 100 % of a CPU in this window, more than 1 %; --foreign-limit 150% would take such "
        "windows, or try later"
    )


def test_void_windows_of_different_causes_do_not_end_it(store: Store) -> None:
    """A place may have four attempts with two causes in turn, and the run goes on."""
    busy, asleep = window(GOOD, **BUSY), window(GOOD, suspended_ns=10**9)
    run = run_of(store, Workers([busy, asleep, busy, asleep]))
    take(run)
    stored = store.energy_windows(1)
    assert [stored_window.window.attempt for stored_window in stored[:4]] == [0, 1, 2, 3]
    assert all(stored_window.void for stored_window in stored[:4])
    assert len(stored) == 12 + 3
    assert run.gave_up is None


@pytest.mark.parametrize("gone", [STUCK, VANISHED])
def test_a_meter_that_is_gone_ends_the_energy(store: Store, gone: DomainTrace) -> None:
    """Three such windows in a row are stored and are the last; the sentence names the fault."""
    run = run_of(store, Workers([window(gone)] * 99), rounds=20)
    assert take(run) == HOPELESS
    assert len(store.energy_windows(1)) == HOPELESS
    assert gone.fault is not None
    assert run.gave_up is not None
    assert run.gave_up.endswith(gone.fault.stored)


def test_a_meter_that_comes_back_in_time_goes_on(store: Store) -> None:
    """Two bad windows, a good and two bad windows are never three in a row."""
    order = [STUCK, STUCK, GOOD, STUCK, STUCK, GOOD]
    assert take(run_of(store, Workers([window(domain_trace) for domain_trace in order]))) == 12


def test_what_is_stored_is_not_taken_again(store: Store) -> None:
    """A run that goes on takes the rest, and a place that had failed once has three tries left."""
    run = run_of(store, Workers())
    steps = [step for steps in run.steps(5) for step in steps]
    for step in steps[:4]:
        keep(store, step, None)
    keep(store, steps[4], "foreign CPU time: too much")
    workers = Workers()
    assert take(run_of(store, workers)) == 8
    assert store.energy_windows(1)[5].window.attempt == 1


def keep(store: Store, step: EnergyStep, void: str | None) -> None:
    """Stores a window that an earlier part of the run took."""
    energy_window = replace(window(GOOD), round_index=step.round_index, position=step.position)
    store.add_energy_window(1, step.trial, energy_window, void)


def test_nothing_left_takes_nothing_and_warms_nothing_up(store: Store) -> None:
    """If all places are accepted, no window is taken, not even to warm up."""
    take(run_of(store, Workers()))
    workers = Workers()
    assert take(run_of(store, workers)) == 0
    assert workers.asked == []


def test_an_implementation_that_fails_is_left_out(store: Store) -> None:
    """No further window of a failed implementation is taken, and the other's windows are."""
    lent = Lent()
    workers = Workers([window(GOOD), window(GOOD), CrashError("it died")])
    take(run_of(store, workers, lent))
    (broken,) = lent.failed
    stored = store.energy_windows(1)
    assert broken not in {
        stored_window.trial.implementation for stored_window in stored if stored_window.trial
    }
    assert len([stored_window for stored_window in stored if stored_window.trial]) == 2


def test_a_wrong_output_after_a_window_is_a_failure(store: Store) -> None:
    """A window whose output is wrong is not stored, and its implementation fails."""
    lent, workers = Lent(), Workers()
    ask = workers.ask

    def wrong(implementation: str, request: TakeWindow, *, limit_s: float) -> Metered:
        answer = ask(implementation, request, limit_s=limit_s)
        right = warms_up(request) or implementation != A.implementation
        return answer if right else replace(answer, output="wrong")

    workers.ask = wrong  # type: ignore[method-assign]
    take(run_of(store, workers, lent))
    assert lent.failed == {A.implementation: "wrong"}
    assert {energy_window.trial for energy_window in store.energy_windows(1)} == {None, B}


def test_westermann_rests_after_each_load(store: Store, rests: list[float]) -> None:
    """The run rests for 15 s after each load, and a deep idle window comes before each load."""
    take(run_of(store, Workers(), protocol=WESTERMANN2010))
    assert rests == [15.0] * 4
    kinds = [energy_window.window.kind for energy_window in store.energy_windows(1)]
    assert kinds == [WindowKind.DEEP_IDLE, WindowKind.LOAD] * 4
