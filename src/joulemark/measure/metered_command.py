# SPDX-License-Identifier: Apache-2.0
"""Measures a command of the user: warm-up, then rounds of one idle window and one run.

The meter is observed and read by this process, which sleeps while the command runs. The command may
use every CPU unless the user names one. Each run stands between two windows of deep idle about as
long as the run, so that the baseline comes from the same minutes and is known as well. A void
window is taken again; for a run, the command runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.judging.void import FEWEST_GAUGE_SAMPLES, LASTING, void_in
from joulemark.measure.meter_choice import ChosenMeter
from joulemark.measure.meter_of_run import PreparedMeter, VoidsInARow, prepare
from joulemark.measure.plan import EnergyPlan
from joulemark.meters.command_window import (
    SETTLING_PERIODS,
    RepeatedCommand,
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
from joulemark.units import format_seconds

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
    job: RepeatedCommand,
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


def _warm_up(job: RepeatedCommand, clock: Clock, plan: CommandPlan) -> float:
    """Runs the command without metering; returns how long a window of it takes."""
    last = [_time(job, clock, plan, "while warming up") for _ in range(plan.warmup)][-1]
    return last.wall_ns / 1e9


def _time(job: RepeatedCommand, clock: Clock, plan: CommandPlan, when: str) -> TimedRun:
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
