# SPDX-License-Identifier: Apache-2.0
"""Takes the energy windows of a run, or of a user's command; void windows are taken again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from joulemark.errors import ImplementationError, JoulemarkError, UnavailableError
from joulemark.judging.void import FEWEST_GAUGE_SAMPLES, LASTING, void_in
from joulemark.measure.meter_choice import ChosenMeter
from joulemark.measure.meter_of_run import PreparedMeter, VoidsInARow, prepare
from joulemark.measure.plan import EnergyPlan, EnergyStep, Plan, energy_rounds
from joulemark.measure.pool import WorkerPool
from joulemark.measure.worker.meter_session import MessageRun, MeteredDomains, TakeWindow
from joulemark.meters.command import (
    SETTLING_PERIODS,
    CommandProcess,
    WindowTools,
    take_command_window,
)
from joulemark.meters.edges import Clock, Idle
from joulemark.meters.window import LONGEST_S, observe, take_window
from joulemark.processes import signal_name
from joulemark.records.energy_window import (
    CommandPlan,
    CommandRun,
    Domain,
    EnergyWindow,
    Observation,
    Quantity,
    TimedRun,
    WindowKind,
    WindowRequest,
)
from joulemark.records.trial import Trial
from joulemark.store.repository import Store
from joulemark.units import format_seconds

# The windows of a run, of which each is stored at once.

_PLACEMENT_BITS: Final = 20


class EnergyRunner(Protocol):
    """The part of `joulemark.measure.runner.Runner` that energy windows need."""

    def calibrated_ns_per_message(self, trial: Trial) -> float:
        """About how long one message takes."""

    def verify(self, trial: Trial, output: str, moment: str) -> None:
        """Compares an output with the right output."""

    def record_error(self, run_id: int, trial: Trial, error: ImplementationError) -> None:
        """Records a failure."""

    def has_failed(self, trial: Trial) -> bool:
        """Whether the trial or its implementation has failed before."""


class EnergyRun:
    """The energy windows of one run."""

    def __init__(
        self,
        store: Store,
        pool: WorkerPool,
        bench: EnergyRunner,
        plan: Plan,
        energy: EnergyPlan,
        prepared: PreparedMeter,
    ) -> None:
        self._store = store
        self._pool = pool
        self._bench = bench
        self._energy = energy
        self._prepared = prepared
        effort = replace(plan.effort, rounds=energy.rounds, generations=energy.rounds)
        self._plan = replace(plan, effort=effort)
        self._voids = VoidsInARow()

    @property
    def gave_up(self) -> str | None:
        """Why windows that were asked for are missing; None if all were taken."""
        return self._voids.sentence if self._voids.hopeless else None

    def steps(self, seed: int) -> list[list[EnergyStep]]:
        """Every window, round by round."""
        return list(energy_rounds(self._plan, self._prepared.protocol, seed))

    def take(self, run_id: int, seed: int, progress: Callable[[int, int, EnergyStep], None]) -> int:
        """Takes missing windows; returns how many were taken, void ones included."""
        attempts = self._attempts(run_id)
        rounds = self.steps(seed)
        total, done, taken = sum(map(len, rounds)), 0, 0
        self._warm_up(run_id, rounds, attempts)
        for steps in rounds:
            # Each round is a generation, so that memory layout shows as spread between rounds.
            self._pool.close()
            chance = random.Random(f"{seed}/energy/{steps[0].round_index}")  # noqa: S311 - layout
            for step in steps:
                done += 1
                placement = chance.getrandbits(_PLACEMENT_BITS)
                first = attempts.get((step.round_index, step.position), 0)
                if self._voids.hopeless:
                    return taken
                if first is None or (step.trial and self._bench.has_failed(step.trial)):
                    continue
                taken += self._take(run_id, step, first, placement)
                progress(done, total, step)
        return taken

    def _warm_up(
        self,
        run_id: int,
        rounds: Sequence[Sequence[EnergyStep]],
        attempts: Mapping[tuple[int, int], int | None],
    ) -> None:
        """Runs the load of the first missing window for a while, and keeps nothing of it."""
        for step in (step for steps in rounds for step in steps):
            wanted = attempts.get((step.round_index, step.position), 0) is not None
            if not wanted or step.trial is None or self._bench.has_failed(step.trial):
                continue
            try:
                self._window(step, 0, 0, length_s=self._energy.warm_up_s)
            except ImplementationError as error:
                self._bench.record_error(run_id, step.trial, error)
                continue
            return

    def _attempts(self, run_id: int) -> dict[tuple[int, int], int | None]:
        """Number of the next attempt at each place; None if a window was accepted or given up."""
        found: dict[tuple[int, int], int | None] = {}
        for stored in self._store.energy_windows(run_id):
            place = (stored.window.round_index, stored.window.position)
            again = stored.void is not None and stored.window.attempt < self._energy.retakes
            found[place] = stored.window.attempt + 1 if again else None
        return found

    def _take(self, run_id: int, step: EnergyStep, first: int, placement: int) -> int:
        """Takes one window until it is accepted, given up, or its implementation fails."""
        for attempt in range(first, self._energy.retakes + 1):
            try:
                window = self._window(step, attempt, placement)
            except ImplementationError as error:
                if step.trial is None:
                    raise
                self._bench.record_error(run_id, step.trial, error)
                return attempt - first
            void = void_in(window, self._prepared.headline, self._prepared.record)
            self._store.add_energy_window(
                run_id, step.trial, window, void.sentence if void else None
            )
            pause_s = self._voids.pause_before_retake(void, self._energy.retakes - attempt)
            if pause_s is None:
                break
            time.sleep(pause_s)
        if step.kind is WindowKind.LOAD and self._prepared.protocol.rest_s:
            time.sleep(self._prepared.protocol.rest_s)
        return attempt - first + 1

    def _window(
        self, step: EnergyStep, attempt: int, placement: int, *, length_s: float | None = None
    ) -> EnergyWindow:
        prepared, trial = self._prepared, step.trial
        length_s = prepared.record.window_s if length_s is None else length_s
        load = None
        if trial is not None:
            ns_per_message = self._bench.calibrated_ns_per_message(trial)
            load = MessageRun(self._pool.trial_run(trial), ns_per_message, placement)
        window = WindowRequest(
            round(length_s * 1e9),
            prepared.periods_s,
            round(prepared.protocol.skip_s * 1e9),
            round_index=step.round_index,
            position=step.position,
            attempt=attempt,
            generation=step.round_index,
        )
        metered = MeteredDomains(
            prepared.meter, self._energy.sysfs, self._energy.proc, prepared.record.domains
        )
        request = TakeWindow(metered, step.kind, window, load)
        limit_s = (
            60.0
            + 3 * length_s
            + prepared.protocol.skip_s
            + 20 * max(prepared.periods_s.values(), default=0.0)
        )
        if trial is None:
            return self._pool.ask_own(request, limit_s=limit_s).window
        answer = self._pool.ask(trial.implementation, request, limit_s=limit_s)
        self._bench.verify(trial, answer.output or "", "after metering,")
        return answer.window


# A command of the user: warm-up, then rounds of one idle window and one run.
#
# The meter is observed and read by this process, which sleeps while the command runs. The command
# may use every CPU unless the user names one. Each run stands between two windows of deep idle
# about as long as the run, so that the baseline comes from the same minutes and is known as well. A
# void window is taken again; for a run, the command runs again.

_SHORTEST_IDLE_S: Final = 0.2
"""Foreign CPU time shows only from 30 ms on, which would be a large part of a shorter window."""
_LONGEST_IDLE_S: Final = 10.0
"""After this time the power at rest is known better than it is constant."""
_IDLE_PERIODS: Final = 4


def observed_meter(chosen: ChosenMeter, bench: WindowTools, energy: EnergyPlan) -> PreparedMeter:
    """The meter with the paces of its counters, which this process finds by polling."""

    def watch(domains: Sequence[Domain]) -> Sequence[Observation]:
        return observe(bench.meter, domains, bench.spin, bench.clock, longest_s=LONGEST_S)

    # It is not known yet for which domains the command is long enough.
    endless = replace(energy, window_s=float("inf"))
    return prepare(chosen, endless, watch, shown=energy.meter or chosen.name)


def measure_command(
    prepared: PreparedMeter,
    bench: WindowTools,
    plan: CommandPlan,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> CommandRun:
    """Meters the command as planned."""
    duration_s = _warm_up(bench.job, bench.clock, plan)
    domains = _fitting(prepared, plan, duration_s)
    idle_s = max(
        _SHORTEST_IDLE_S,
        min(duration_s, _LONGEST_IDLE_S),
        _IDLE_PERIODS * prepared.periods_s[prepared.headline.id],
    )
    record = replace(prepared.record, domains=domains, window_s=duration_s)
    run = CommandRun(record, prepared.headline, plan)
    windows = _Windows(run, bench, prepared.periods_s, idle_s)
    for round_index in range(plan.rounds):
        if not (windows.take_idle(round_index) and windows.take_load(round_index)):
            run.gave_up = windows.voids.sentence
            return run
        progress(round_index + 1, plan.rounds)
    if not windows.take_idle(plan.rounds):
        run.gave_up = windows.voids.sentence
    return run


def time_command(
    job: CommandProcess,
    clock: Clock,
    plan: CommandPlan,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[TimedRun]:
    """Times the command as planned where nothing can meter it: a window for each round."""
    _warm_up(job, clock, plan)
    runs = []
    for round_index in range(plan.rounds):
        runs.append(_time(job, clock, plan, f"in round {round_index + 1}"))
        progress(round_index + 1, plan.rounds)
    return runs


def _warm_up(job: CommandProcess, clock: Clock, plan: CommandPlan) -> float:
    """Runs the command without metering; returns how long a window of it takes."""
    last = [_time(job, clock, plan, "while warming up") for _ in range(plan.warmup)][-1]
    return last.wall_ns / 1e9


def _time(job: CommandProcess, clock: Clock, plan: CommandPlan, when: str) -> TimedRun:
    """Times one window of runs, and checks each run."""
    runs = []
    start_ns = clock.now_ns()
    try:
        for _ in range(plan.repeat):
            job.start()
            ended = job.wait(None)
            assert ended is not None
            _check(ended.status, when, plan)
            runs.append(ended)
    finally:
        job.stop()
    return TimedRun(clock.now_ns() - start_ns, tuple(runs))


def _check(status: int, when: str, plan: CommandPlan) -> None:
    """Raises `JoulemarkError` if the command failed and the plan does not ignore that."""
    if status == 0 or plan.ignore_failure:
        return
    how = f"ended with exit code {status}"
    if status < 0:
        how = f"was ended by {signal_name(-status)}"
    raise JoulemarkError(
        f"the command {how} {when}, so there are no figures; --output inherit shows what it says, "
        "--ignore-failure measures it all the same"
    )


def _fitting(prepared: PreparedMeter, plan: CommandPlan, duration_s: float) -> tuple[Domain, ...]:
    """The domains for which the command is long enough."""

    def needed_s(domain: Domain) -> float:
        samples = SETTLING_PERIODS + FEWEST_GAUGE_SAMPLES
        return (samples if domain.quantity is Quantity.POWER else 1) * prepared.periods_s[domain.id]

    first = prepared.headline
    if duration_s < needed_s(first):
        what = (
            f"the {format_seconds(needed_s(first))} in which {first.name} gives "
            f"{FEWEST_GAUGE_SAMPLES} samples of it alone"
            if first.quantity is Quantity.POWER
            else f"the {format_seconds(needed_s(first))} between two updates of {first.name}"
        )
        # Twenty times the needed length: the ends are then a small part of the window.
        repeat = round(20 * needed_s(first) / max(duration_s / plan.repeat, 1e-4)) + 1
        raise UnavailableError(
            f"the command takes {format_seconds(duration_s)}, less than {what}; "
            f"run it many times in one window, as with --repeat {repeat}"
        )
    return tuple(domain for domain in prepared.record.domains if needed_s(domain) <= duration_s)


@dataclass(slots=True)
class _Windows:
    """Takes the windows of a run, and takes void windows again."""

    run: CommandRun
    bench: WindowTools
    periods_s: Mapping[str, float]
    """Domain id -> update period."""
    idle_s: float
    """Length of a window of deep idle."""
    voids: VoidsInARow = field(default_factory=lambda: VoidsInARow(at_once=LASTING))

    def take_idle(self, round_index: int) -> bool:
        """One window of deep idle; False once metering ends early."""
        run, bench = self.run, self.bench
        gauges = [
            self.periods_s[domain.id]
            for domain in run.record.domains
            if domain.quantity is Quantity.POWER
        ]
        skip_ns = round(SETTLING_PERIODS * max(gauges, default=0.0) * 1e9)
        request = WindowRequest(
            round(self.idle_s * 1e9), self.periods_s, skip_ns, round_index=round_index
        )
        idle = Idle(WindowKind.DEEP_IDLE, bench.clock.sleep_ns)
        for attempt in range(run.plan.retakes + 1):
            window = take_window(
                bench.meter,
                run.record.domains,
                idle,
                bench.clock,
                bench.activity,
                replace(request, attempt=attempt),
            )
            run.idles.append(window)
            if not self._pause_before_retake(window, attempt):
                break
        return not self.voids.hopeless

    def take_load(self, round_index: int) -> bool:
        """One window of the command; False once metering ends early."""
        run = self.run
        for attempt in range(run.plan.retakes + 1):
            taken = take_command_window(
                self.bench,
                run.record.domains,
                self.periods_s,
                headline=run.headline.id,
                repeat=run.plan.repeat,
                round_index=round_index,
                attempt=attempt,
            )
            for ended in taken.ended:
                _check(ended.status, f"in round {round_index + 1}", run.plan)
            run.loads.append(taken)
            if not self._pause_before_retake(taken.window, attempt):
                break
        return not self.voids.hopeless

    def _pause_before_retake(self, window: EnergyWindow, attempt: int) -> bool:
        """Whether another attempt at a window follows, for which a quieter moment is awaited."""
        void = void_in(window, self.run.headline, self.run.record)
        pause_s = self.voids.pause_before_retake(void, self.run.plan.retakes - attempt)
        if pause_s:
            self.bench.clock.sleep_ns(round(pause_s * 1e9))
        return pause_s is not None
