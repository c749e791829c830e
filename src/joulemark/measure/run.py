# SPDX-License-Identifier: Apache-2.0
"""The runner: takes every sample of a plan, stores each at once, survives what it measures."""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from joulemark import __version__
from joulemark.errors import (
    ImplementationError,
    JoulemarkError,
    UnavailableError,
    WrongOutputError,
)
from joulemark.measure.builds.names import plain_name
from joulemark.measure.check_words import finding_sentence
from joulemark.measure.client import RefusalError
from joulemark.measure.conditions import conditions_now
from joulemark.measure.cores.run import take_clocks
from joulemark.measure.correctness import expected_outputs, trial_key
from joulemark.measure.cpus import choose_cpu
from joulemark.measure.energy.records import MeterRecord
from joulemark.measure.energy.rounds import EnergyStep
from joulemark.measure.energy.run import EnergyRun
from joulemark.measure.energy.session import prepared_meter
from joulemark.measure.environment import Environment
from joulemark.measure.inventory import Inventory, failure_of
from joulemark.measure.plan import Group, Plan, RoundStep, base_name
from joulemark.measure.pool import WorkerPool
from joulemark.measure.records import (
    ENERGY,
    Cache,
    Failure,
    FailureKind,
    RawSample,
    Trial,
    Workload,
)
from joulemark.measure.standing import standing
from joulemark.measure.thorough import CheckReport, effort_of_run
from joulemark.meters.contract import MeterError
from joulemark.store.repository import Store

__all__ = ["RunObserver", "RunOutcome", "SilentObserver", "loop_series", "run_plan"]

_WARM_UP_PART = 1.0
"""Part of a window that is run before the first one of a visit: the process before used the same
caches, and so did the parent's request."""
_SETTLE_PART = 0.125
"""Part of a window that is run before each later one, whose buffers lie elsewhere."""
_LOOP_ROUNDS = 15
_LOOP_MESSAGES = 1_000_000
_PLACEMENT_BITS = 20


HalfWidth = Callable[[Sequence[RawSample]], float]
"""Samples of a trial -> half of the interval of its time over the median."""


class RunObserver(Protocol):
    """Told what happens, to show progress. Calls come between visits, never inside one.

    A visit is what one trial gets in one round: one or more samples.
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
    """Observes nothing."""

    def started(self, run_id: int, total: int, kept: int) -> None:
        """Ignored."""

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """Ignored."""

    def metered(self, done: int, total: int, what: str) -> None:
        """Ignored."""

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """Ignored."""

    def failed(self, failure: Failure) -> None:
        """Ignored."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run came to."""

    run_id: int
    resumed: bool
    visits: int
    """Visits made now, without those kept from before."""
    failures: list[Failure]
    windows: int = 0
    """Energy windows taken now, void ones included."""
    no_energy: str | None = None
    """Why energy windows are missing that were asked for."""
    simulated: int = 0
    """Trials of hardware cores simulated now."""
    checked: tuple[CheckReport, ...] = ()
    """What was checked of each implementation before it was timed."""


@dataclass
class _Progress:
    """Counts visits for the observer."""

    observer: RunObserver
    done: int
    total: int

    def step(self, trial: Trial) -> None:
        self.done += 1
        self.observer.sampled(self.done, self.total, trial)


class _Runner:
    def __init__(
        self, store: Store, inventory: Inventory, plan: Plan, observer: RunObserver,
        hang_limit_s: float, pool: WorkerPool, half_width: HalfWidth | None,
    ) -> None:  # fmt: skip
        self.half_width = half_width
        self.store = store
        self.inventory = inventory
        self.plan = plan
        self.observer = observer
        self.hang_limit_s = hang_limit_s
        self.pool = pool
        self.calibrated: dict[Trial, tuple[int, float]] = {}
        """Messages of a window, and ns of one message, by the first of a trial's twins."""
        self.cost_s: dict[Trial, float] = {}
        self.failed: dict[str, Failure] = {}
        """By implementation: it misbehaved, and nothing of it is measured any more."""
        self.refused: dict[Trial, Failure] = {}

    def fail(self, run_id: int, failure: Failure) -> None:
        self.store.add_failure(run_id, failure)
        self.observer.failed(failure)

    def request(self, trial: Trial) -> dict[str, Any]:
        key = trial_key(self.inventory.facts_of(trial.implementation))
        return {"trial": self.pool.trial_fields(trial), "key": key.hex()}

    def expected(self, trial: Trial) -> str:
        key = trial_key(self.inventory.facts_of(trial.implementation))
        return expected_outputs(trial.algorithm, key, trial.workload)

    def failed_with(self, run_id: int, trial: Trial, error: ImplementationError) -> None:
        failure = failure_of(trial.implementation, error, trial.workload.size_bytes)
        if failure.kind is FailureKind.REFUSED:
            self.refused[trial] = failure
        else:
            self.failed[failure.implementation] = failure
        self.fail(run_id, failure)

    def failures(self) -> list[Failure]:
        return [*self.failed.values(), *self.refused.values()]

    def has_failed(self, trial: Trial) -> bool:
        return trial.implementation in self.failed or trial in self.refused

    def calibrated_ns_per_message(self, trial: Trial) -> float:
        return self.calibrate(trial)[1]

    def verify(self, trial: Trial, output: str, moment: str) -> None:
        expected = self.expected(trial)
        if output != expected:
            raise WrongOutputError(
                f"{moment} {_messages_text(trial.workload)} gave {output[:32]}..., "
                f"not {expected[:32]}...; its figures are withheld"
            )

    def calibrate(self, trial: Trial) -> tuple[int, float]:
        """Messages of a window, and ns of each: once per run, and the same for twins and builds."""
        first = replace(trial, implementation=plain_name(base_name(trial.implementation)))
        found = self.calibrated.get(first)
        if found is None:
            answer = self.pool.ask(
                trial.implementation, "calibrate", limit_s=self.hang_limit_s,
                window_ns=self.plan.window_ns, **self.request(trial),
            )  # fmt: skip
            self.verify(trial, answer["output"], "before timing,")
            found = self.calibrated[first] = answer["messages"], answer["message_ps"] / 1e3
        return found

    def visit(self, run_id: int, step: RoundStep, chance: random.Random) -> None:
        """Takes the samples of one trial in one round."""
        trial, plan = step.trial, self.plan
        messages, _ = self.calibrate(trial)
        places = [chance.getrandbits(_PLACEMENT_BITS) for _ in range(plan.windows + plan.retakes)]
        answer = self.pool.ask(
            trial.implementation, "visit",
            limit_s=self.hang_limit_s + 20 * self.cost_s.get(trial, 0.0),
            messages=messages, warm_up=max(1, int(messages * _WARM_UP_PART)),
            settle=max(1, int(messages * _SETTLE_PART)), placements=places[: plan.windows],
            spare_placements=places[plan.windows :], **self.request(trial),
        )  # fmt: skip
        self.verify(trial, answer["output"], "after timing,")
        if answer["spot"] is not None:
            raise WrongOutputError(
                f"after timing, {finding_sentence(answer['spot'])}; its figures are withheld"
            )
        generation = plan.generation(step.round_index)
        samples = [
            RawSample(step.round_index, step.position, generation, **counters)
            for counters in answer["samples"]
        ]
        self.cost_s[trial] = sum(sample.wall_ns for sample in samples) / 1e9 * (1 + _WARM_UP_PART)
        self.store.add_samples(run_id, trial, samples)

    def take(self, run_id: int, seed: int, kept: Mapping[Trial, set[int]]) -> int:
        """Every missing visit; returns how many were made."""
        total = self.plan.rounds * len(self.plan.trials)
        progress = _Progress(self.observer, sum(len(rounds) for rounds in kept.values()), total)
        self.observer.started(run_id, total, progress.done)
        precision = self.plan.precision
        end = time.monotonic() + precision.budget_s if precision else 0.0
        taken, block = 0, 0
        groups: Collection[Group] | None = None
        while True:
            taken += self.take_block(run_id, seed, kept, block, groups, progress)
            if precision is None or self.half_width is None or time.monotonic() >= end:
                return taken
            # A run that goes on looks at what it looked at before it was killed.
            seen = {
                trial: [one for one in taken if one.round_index < (block + 1) * self.plan.rounds]
                for trial, taken in self.store.samples(run_id).items()
            }
            wide = self.plan.unsharp(standing(seen), self.half_width)
            groups = wide if groups is None else wide & set(groups)
            if not groups:
                return taken
            block += 1
            members = sum(len(self.plan.groups()[group]) for group in groups)
            progress.total += self.plan.rounds * members

    def take_block(
        self, run_id: int, seed: int, kept: Mapping[Trial, set[int]], block: int,
        groups: Collection[Group] | None, progress: _Progress,
    ) -> int:  # fmt: skip
        """The missing visits of one block of rounds."""
        taken, generation = 0, None
        for steps in self.plan.steps(seed, block, groups):
            round_index = steps[0].round_index
            if generation != self.plan.generation(round_index):
                if generation is not None or block:
                    self.pool.close()
                generation = self.plan.generation(round_index)
            chance = random.Random(f"{seed}/{round_index}")  # noqa: S311 - layout, not a secret
            for step in steps:
                if round_index in kept.get(step.trial, ()):
                    continue
                if not self.has_failed(step.trial):
                    try:
                        self.visit(run_id, step, chance)
                        taken += 1
                    except ImplementationError as error:
                        self.failed_with(run_id, step.trial, error)
                progress.step(step.trial)
        return taken

    def take_energy(
        self, run_id: int, seed: int, kept: MeterRecord | None
    ) -> tuple[int, str | None]:
        """Every missing energy window; returns how many were taken, and why no more.

        Raises:
            UnavailableError: nothing here reads joules as asked.
        """
        energy = self.plan.energy
        if energy is None:
            return 0, None
        # Between cold messages lies the flushing, whose energy would be counted as theirs.
        trials = [trial for trial in self.plan.trials if trial.workload.cache is not Cache.COLD]
        if not trials:
            raise UnavailableError(
                "energy is not metered with --cache cold: the flushing between messages would be "
                "in the joules"
            )
        with prepared_meter(energy, kept, self.pool.ask_own, self.pool.cpu) as (used, prepared):
            self.store.set_meter(run_id, prepared.record)
            windows = EnergyRun(
                self.store, self.pool, self, replace(self.plan, trials=tuple(trials)), used,
                prepared,
            )  # fmt: skip

            def progress(done: int, total: int, step: EnergyStep) -> None:
                what = step.trial.implementation if step.trial else step.kind.value
                self.observer.metered(done, total, what)

            return windows.take(run_id, seed, progress), windows.gave_up


def loop_series(pool: WorkerPool) -> dict[str, Any]:
    """Raw series of the harness's own loop, without a call and with an empty one."""
    return pool.ask_own("loop_cost", limit_s=30.0, messages=_LOOP_MESSAGES, rounds=_LOOP_ROUNDS)


def run_plan(
    store: Store,
    inventory: Inventory,
    plan: Plan,
    environment: Environment,
    *,
    study: Mapping[str, Any],
    observer: RunObserver | None = None,
    fresh: bool = False,
    hang_limit_s: float = 30.0,
    cpu: int | None = None,
    half_width: HalfWidth | None = None,
) -> RunOutcome:
    """Carries a plan out, going on with an unfinished run of the same plan where there is one.

    Args:
        store: where every sample goes as soon as it is taken.
        inventory: what can be run.
        plan: trials of software, rounds, window; trials of hardware cores.
        environment: this machine; an unfinished run from another environment is not continued.
        study: what the user asked for, kept with the run.
        observer: told of progress.
        fresh: begin anew even if an unfinished run of the same plan exists.
        hang_limit_s: seconds without an answer after which an implementation counts as hung.
        cpu: CPU to measure on; the least busy one unless given.
        half_width: how sharp a trial is; needed where the plan asks for a precision.

    Raises:
        UsageError: this process may not run on that CPU.
        StoreError: the store cannot be written; all samples acknowledged so far are safe.
        JoulemarkError: there is nothing to measure.
    """
    if not plan.trials and not plan.core_trials:
        raise JoulemarkError(
            "nothing to measure: no implementation that was asked for is "
            "available here (joulemark list shows why)"
        )
    digest = plan.digest()
    record = None if fresh else store.resumable_run(digest, environment.identity())
    resumed = record is not None
    if record is None:
        run_id = store.begin_run(
            study={**study, "plan": plan.as_dict()}, study_digest=digest,
            seed=secrets.randbits(32), rounds=plan.rounds, environment=environment.as_dict(),
            joulemark_version=__version__,
        )  # fmt: skip
        record = store.run(run_id)
    run_id = record.id
    every = (*plan.trials, *plan.core_trials)
    for name in dict.fromkeys(trial.implementation for trial in every):
        store.add_implementation(run_id, inventory.facts_of(name))
    store.clear_failures(run_id)
    outcome = RunOutcome(run_id, resumed, 0, [])
    observer = observer or SilentObserver()
    if plan.trials:
        outcome = _measured(
            store, inventory, plan, outcome, observer, hang_limit_s, cpu, half_width
        )
    # Afterwards, since a simulation would disturb what is measured.
    if plan.core_trials:
        outcome = _simulated(store, inventory, plan, outcome, observer)
    store.finish_run(run_id)
    return outcome


def _measured(
    store: Store, inventory: Inventory, plan: Plan, outcome: RunOutcome, observer: RunObserver,
    hang_limit_s: float, cpu: int | None, half_width: HalfWidth | None,
) -> RunOutcome:  # fmt: skip
    """Takes every missing sample and energy window."""
    run_id, seed = outcome.run_id, store.run(outcome.run_id).seed
    kept = {
        trial: {sample.round_index for sample in samples}
        for trial, samples in store.samples(run_id).items()
    }
    affinity = os.sched_getaffinity(0)
    chosen = choose_cpu(cpu)
    names = {base_name(trial.implementation) for trial in plan.trials}
    pool = WorkerPool(inventory, chosen.cpu, effort=effort_of_run(len(names), hang_limit_s))
    try:
        store.set_conditions(run_id, conditions_now(chosen))
        os.sched_setaffinity(0, chosen.others)
        store.set_loop_cost(run_id, loop_series(pool))
        for failure in inventory.unavailable:
            store.add_failure(run_id, failure)
        runner = _Runner(store, inventory, plan, observer, hang_limit_s, pool, half_width)
        taken = runner.take(run_id, seed, kept)
        windows, no_energy = _energy(runner, run_id, seed)
    except RefusalError as error:
        raise JoulemarkError(f"the harness's own worker failed: {error}") from error
    finally:
        pool.close()
        os.sched_setaffinity(0, affinity)
        chosen.release()
    return replace(
        outcome, visits=taken, failures=runner.failures(), windows=windows, no_energy=no_energy,
        checked=tuple(pool.reports.values()),
    )  # fmt: skip


def _simulated(
    store: Store, inventory: Inventory, plan: Plan, outcome: RunOutcome, observer: RunObserver
) -> RunOutcome:
    """Takes every missing count of clocks."""
    run_id, total = outcome.run_id, len(plan.core_trials)
    done = len(store.clock_counts(run_id))
    failures = []
    if not plan.trials:
        observer.started(run_id, total, done)

    def counted(trial: Trial) -> None:
        nonlocal done
        done += 1
        observer.simulated(done, total, trial)

    def failed(failure: Failure) -> None:
        failures.append(failure)
        store.add_failure(run_id, failure)
        observer.failed(failure)

    for failure in inventory.missing_cores:
        store.add_failure(run_id, failure)
    taken = take_clocks(
        store, run_id, inventory.cores, plan.core_trials, counted=counted, failed=failed
    )
    return replace(outcome, failures=[*outcome.failures, *failures], simulated=taken)


def _messages_text(workload: Workload) -> str:
    if workload.batch == 1 and not workload.mix:
        return f"a message of {workload.size_bytes} bytes"
    return f"messages of {workload.text}"


def _energy(runner: _Runner, run_id: int, seed: int) -> tuple[int, str | None]:
    """Energy windows taken, and why no more were although they were asked for."""
    try:
        return runner.take_energy(run_id, seed, runner.store.meter(run_id))
    except (UnavailableError, MeterError) as error:
        runner.store.add_failure(run_id, Failure(ENERGY, FailureKind.UNAVAILABLE, str(error)))
        return 0, str(error)
