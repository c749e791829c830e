# SPDX-License-Identifier: Apache-2.0
"""Takes every sample of a plan, stores each at once, and survives the code that it measures."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from joulemark.errors import ImplementationError, UnavailableError, WrongOutputError
from joulemark.judging import standing
from joulemark.measure.energy_run import EnergyRun
from joulemark.measure.inventory import Inventory, failure_of
from joulemark.measure.meter_of_run import prepared_meter
from joulemark.measure.plan import EnergyStep, Plan
from joulemark.measure.pool import WorkerPool
from joulemark.measure.selection import base_name
from joulemark.measure.worker.correctness import expected_outputs, finding_sentence, trial_key
from joulemark.measure.worker.run_messages import Calibrate, Visit
from joulemark.records import Failure, FailureKind
from joulemark.records.energy_window import MeterRecord
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial, Workload, plain_name
from joulemark.store.repository import Store

# Observers of a run, which show its progress.


class RunObserver(Protocol):
    """Is told of each event of a run, to show progress.

    Calls come between visits, never inside one. A visit is the turn of one trial in one round: one
    or more samples.
    """

    def started(self, run_id: int, total: int, kept: int) -> None:
        """`total` visits are wanted, of which `kept` are in the store already."""

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """The samples of one more of `total` visits are stored, of this trial."""

    def metered(self, done: int, total: int, what: str) -> None:
        """One more of `total` energy windows is stored; `what` ran in it."""

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """The clocks of one more of `total` trials of hardware cores are stored."""

    def failed(self, failure: Failure) -> None:
        """An implementation will have no figure."""


class SilentObserver:
    """Ignores all events."""

    def _ignore(self, *_event: Any, **_more: Any) -> None:
        """Does nothing."""

    started = sampled = metered = simulated = failed = _ignore


_WARM_UP_PART = 1.0
"""Messages before the first window of a visit, as a part of a window: the process that ran before
used the same caches, and so did the parent's request."""
_SETTLE_PART = 0.125
"""Messages before each later window, as a part of a window: its buffers lie elsewhere."""
_PLACEMENT_BITS = 20

HalfWidth = Callable[[Sequence[RawSample]], float]
"""Samples of a trial -> half of the interval of its time over the median."""
GoingOn = Callable[[int, Mapping[Trial, Sequence[RawSample]]], Collection[Trial]]
"""Number of blocks of rounds taken, and all their samples -> trials that get another block. Without
such trials the run is over."""


@dataclass
class Runner:
    """Takes the samples of one run, trial by trial, from workers that have checked them.

    Args:
        store: where every sample goes as soon as it is taken.
        inventory: implementations that can be run.
        plan: trials, rounds, windows.
        observer: told of progress.
        hang_limit_s: seconds without an answer after which an implementation counts as hung.
        pool: workers.
        half_width: tells how sharp a trial is; needed if the plan asks for a precision.
        going_on: tells which trials get further rounds, if the plan asks for no precision.
    """

    store: Store
    inventory: Inventory
    plan: Plan
    observer: RunObserver
    hang_limit_s: float
    pool: WorkerPool
    half_width: HalfWidth | None
    going_on: GoingOn | None = None
    end_s: float | None = None
    """Moment of the monotonic clock after which no visit begins, whatever is missing."""
    calibrated: dict[Trial, tuple[int, float]] = field(default_factory=dict)
    """Messages of a window and ns of one message, by trial without twin and build."""
    cost_s: dict[Trial, float] = field(default_factory=dict)
    """Seconds of the last visit, its warm-up included."""
    failed: dict[str, Failure] = field(default_factory=dict)
    """Implementations that misbehaved and are not measured any more."""
    refused: dict[Trial, Failure] = field(default_factory=dict)
    """Trials of a length that the implementation does not take."""
    done: int = 0
    """Visits that are made, in earlier parts of the run too."""
    total: int = 0
    """Visits that are wanted."""

    def fail(self, run_id: int, failure: Failure) -> None:
        """Stores a failure and tells the observer."""
        self.store.add_failure(run_id, failure)
        self.observer.failed(failure)

    def expected(self, trial: Trial) -> str:
        """The right output of all messages of the trial's smallest window."""
        key = trial_key(self.inventory.facts_of(trial.implementation))
        return expected_outputs(trial.algorithm, key, trial.workload)

    def record_error(self, run_id: int, trial: Trial, error: ImplementationError) -> None:
        """Records that an error ends the trial or its implementation."""
        failure = failure_of(trial.implementation, error, trial.workload.size_bytes)
        if failure.kind is FailureKind.REFUSED:
            self.refused[trial] = failure
        else:
            self.failed[failure.implementation] = failure
        self.fail(run_id, failure)

    def failures(self) -> list[Failure]:
        """Failures of this part of the run: of implementations, then of trials."""
        return [*self.failed.values(), *self.refused.values()]

    def has_failed(self, trial: Trial) -> bool:
        """Whether the trial is not measured any more."""
        return trial.implementation in self.failed or trial in self.refused

    def calibrated_ns_per_message(self, trial: Trial) -> float:
        """About how long one message takes; see `calibrate`."""
        return self.calibrate(trial)[1]

    def verify(self, trial: Trial, output: str, moment: str) -> None:
        """Compares an output with the right output."""
        expected = self.expected(trial)
        if output != expected:
            raise WrongOutputError(
                f"{moment} {_messages_text(trial.workload)} gave {output[:32]}..., "
                f"not {expected[:32]}...; its figures are withheld"
            )

    def calibrate(self, trial: Trial) -> tuple[int, float]:
        """Messages of a window and ns of each, measured once per run for all twins and builds."""
        first = replace(trial, implementation=plain_name(base_name(trial.implementation)))
        found = self.calibrated.get(first)
        if found is None:
            request = Calibrate(self.pool.trial_run(trial), self.plan.effort.window_ns)
            answer = self.pool.ask(trial.implementation, request, limit_s=self.hang_limit_s)
            self.verify(trial, answer.output, "before timing,")
            found = self.calibrated[first] = answer.messages, answer.message_ps / 1e3
        return found

    def visit(
        self, run_id: int, trial: Trial, place: tuple[int, int], chance: random.Random
    ) -> None:
        """Takes the samples of one trial at a place in the run: a round, and its position there."""
        effort = self.plan.effort
        messages, _ = self.calibrate(trial)
        placements = tuple(
            chance.getrandbits(_PLACEMENT_BITS) for _ in range(effort.windows + effort.retakes)
        )
        request = Visit(
            self.pool.trial_run(trial),
            *place,
            self.plan.generation(place[0]),
            messages=messages,
            warm_up=max(1, int(messages * _WARM_UP_PART)),
            settle=max(1, int(messages * _SETTLE_PART)),
            placements=placements[: effort.windows],
            spare_placements=placements[effort.windows :],
        )
        limit_s = self.hang_limit_s + 20 * self.cost_s.get(trial, 0.0)
        answer = self.pool.ask(trial.implementation, request, limit_s=limit_s)
        self.verify(trial, answer.output, "after timing,")
        if answer.spot is not None:
            raise WrongOutputError(
                f"after timing, {finding_sentence(answer.spot)}; its figures are withheld"
            )
        wall_ns = sum(sample.wall_ns for sample in answer.samples)
        self.cost_s[trial] = wall_ns / 1e9 * (1 + _WARM_UP_PART)
        self.store.add_samples(run_id, trial, answer.samples)

    def take(self, run_id: int, seed: int, kept: Mapping[Trial, set[int]]) -> int:
        """Makes every missing visit; returns how many were made."""
        rounds = self.plan.effort.rounds
        self.done, self.total = sum(map(len, kept.values())), rounds * len(self.plan.trials)
        self.observer.started(run_id, self.total, self.done)
        going_on = self._until_sharp() or self.going_on
        taken, block = 0, 0
        among: Collection[Trial] | None = None
        while True:
            taken += self.take_block(run_id, seed, kept, block, among)
            block += 1
            if going_on is None:
                return taken
            # A run that goes on after it was killed looks at the samples that it looked at before.
            seen = {
                trial: [sample for sample in taken if sample.round_index < block * rounds]
                for trial, taken in self.store.samples(run_id).items()
            }
            among = going_on(block, seen)
            if not among:
                return taken
            self.total += rounds * len(among)

    def _until_sharp(self) -> GoingOn | None:
        """Gives further rounds to groups wider than the plan's precision, within its budget."""
        precision, half_width = self.plan.effort.precision, self.half_width
        if precision is None or half_width is None:
            return None
        end, going = time.monotonic() + precision.budget_s, set(self.plan.groups())

        def going_on(_: int, seen: Mapping[Trial, Sequence[RawSample]]) -> list[Trial]:
            if time.monotonic() >= end:
                return []
            going.intersection_update(self.plan.unsharp(standing(seen), half_width))
            return [
                trial
                for key, all_of in self.plan.groups().items()
                if key in going
                for trial in all_of
            ]

        return going_on

    def take_block(
        self,
        run_id: int,
        seed: int,
        kept: Mapping[Trial, set[int]],
        block: int,
        among: Collection[Trial] | None,
    ) -> int:
        """Makes the missing visits of one block of rounds; returns how many were made."""
        taken, generation = 0, None
        for round_index, trials in self.plan.rounds(seed, block, among):
            if generation != self.plan.generation(round_index):
                if generation is not None or block:
                    self.pool.close()
                generation = self.plan.generation(round_index)
            chance = random.Random(f"{seed}/{round_index}")  # noqa: S311 - layout, not a secret
            for position, trial in enumerate(trials):
                if round_index in kept.get(trial, ()):
                    continue
                if self.end_s is not None and time.monotonic() >= self.end_s:
                    return taken
                if not self.has_failed(trial):
                    try:
                        self.visit(run_id, trial, (round_index, position), chance)
                        taken += 1
                    except ImplementationError as error:
                        self.record_error(run_id, trial, error)
                self.done += 1
                self.observer.sampled(self.done, self.total, trial)
        return taken

    def take_energy(
        self, run_id: int, seed: int, kept: MeterRecord | None
    ) -> tuple[int, str | None]:
        """Takes every missing energy window; returns how many, and why some are missing."""
        energy = self.plan.energy
        if energy is None:
            return 0, None
        # The caches are flushed between cold messages, and the energy of that would count as
        # theirs.
        trials = [trial for trial in self.plan.trials if trial.workload.cache is not Cache.COLD]
        if not trials:
            raise UnavailableError(
                "energy is not metered with --cache cold: the flushing between messages would be "
                "in the joules"
            )
        with prepared_meter(energy, kept, self.pool) as (used, prepared):
            self.store.set_meter(run_id, prepared.record)
            windows = EnergyRun(
                self.store,
                self.pool,
                self,
                replace(self.plan, trials=tuple(trials)),
                used,
                prepared,
            )

            def progress(done: int, total: int, step: EnergyStep) -> None:
                what = step.trial.implementation if step.trial else step.kind.value
                self.observer.metered(done, total, what)

            return windows.take(run_id, seed, progress), windows.gave_up


def _messages_text(workload: Workload) -> str:
    if workload.batch == 1 and not workload.mix:
        return f"a message of {workload.size_bytes} bytes"
    return f"messages of {workload.text}"
