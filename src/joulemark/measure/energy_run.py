# SPDX-License-Identifier: Apache-2.0
"""Takes every energy window of a run, stores each at once, and takes void windows again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from joulemark.errors import ImplementationError
from joulemark.judging.void import void_in
from joulemark.measure.meter_of_run import PreparedMeter, VoidsInARow
from joulemark.measure.plan import EnergyPlan, EnergyStep, Plan, energy_rounds
from joulemark.measure.pool import WorkerPool
from joulemark.measure.worker.meter_session import MessageRun, MeteredDomains, TakeWindow
from joulemark.records import Trial
from joulemark.records.energy_window import EnergyWindow, WindowKind, WindowRequest
from joulemark.store.repository import Store

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
