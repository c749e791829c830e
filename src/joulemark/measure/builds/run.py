# SPDX-License-Identifier: Apache-2.0
"""Measures old and new in turn, in generations, until the question is answered or time is up.

A generation is a fresh start of the processes of both builds, whose rounds visit old and new in
turn. The samples are looked at after stated numbers of generations and never in between: a rule
that looks after each sample and stops at the first difference finds one in equal code. `LOOKS`
bounds the number of looks, and the caller divides alpha by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from joulemark.environment import Environment
from joulemark.measure.builds.pairs import Builds
from joulemark.measure.observer import RunObserver
from joulemark.measure.planning.trials import Plan
from joulemark.measure.run import run_plan
from joulemark.measure.study import STANDARD
from joulemark.records.failure import Failure
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

GENERATIONS_AT_LOOKS: Final = (8, 16, 32, 64, 128)
"""Generations at which the samples are looked at; the budget may end the run before the last."""
LOOKS: Final = len(GENERATIONS_AT_LOOKS)
FEWEST_GENERATIONS: Final = 4
"""Fewest generations that are looked at: an interval from three centres holds nearly anything."""
_ROUNDS: Final = 16
"""Rounds of each generation, with the windows of `STANDARD` in each. For one pair they take a tenth
of the time that its processes take to start."""
_LONGEST_STEP: Final = 4
"""Most generations that are measured without a look at the clock."""


@dataclass
class PairedRun:
    """The samples of two builds."""

    samples: dict[Trial, list[RawSample]] = field(default_factory=dict)
    """Samples by trial of a build; rounds and generations are numbered through."""
    failures: list[Failure] = field(default_factory=list)
    """Implementations that crashed, hung, were wrong, or refused messages of one length."""
    generations: int = 0
    looks: int = 0
    wall_s: float = 0.0

    def broken(self) -> set[str]:
        """Implementations of a build that misbehaved, so that none of their samples count."""
        return {failure.implementation for failure in self.failures if failure.broken}

    def is_sound(self, trial: Trial) -> bool:
        """Whether the trial can still be measured."""
        refused = {(failure.implementation, failure.size_bytes) for failure in self.failures}
        return (
            trial.implementation not in self.broken()
            and (trial.implementation, trial.workload.size_bytes) not in refused
        )


def run_builds(
    builds: Builds,
    pairs: Sequence[tuple[Trial, Trial]],
    environment: Environment,
    *,
    budget_s: float,
    decided: Callable[[Mapping[Trial, Sequence[RawSample]]], bool],
    observer: RunObserver | None = None,
) -> PairedRun:
    """Measures all pairs in one run until they are decided or the budget is spent.

    Args:
        builds: both, opened.
        pairs: trials of the old and the new build.
        environment: this machine.
        budget_s: seconds after which no further generation is started; the fewest generations
            that can be judged are measured whatever they take.
        decided: tells whether samples answer the question; asked at most `LOOKS` times.
        observer: told of progress.
    """
    trials = tuple(trial for pair in pairs for trial in pair)
    begun_s = time.monotonic()
    found = PairedRun({trial: [] for trial in trials})
    for wanted in GENERATIONS_AT_LOOKS:
        while found.generations < wanted:
            left_s = budget_s - (time.monotonic() - begun_s)
            each_s = (time.monotonic() - begun_s) / found.generations if found.generations else 0
            few = found.generations < FEWEST_GENERATIONS
            step = min(wanted - found.generations, _LONGEST_STEP)
            if not few:
                step = min(step, int(left_s / each_s))
            if step < 1:
                break
            _take(builds, trials, environment, step, found, observer)
        found.looks += 1
        found.wall_s = time.monotonic() - begun_s
        if found.generations < wanted or decided(found.samples):
            break
    return found


def _take(
    builds: Builds,
    trials: tuple[Trial, ...],
    environment: Environment,
    generations: int,
    found: PairedRun,
    observer: RunObserver | None,
) -> None:
    """Measures this many more generations."""
    sound = tuple(trial for trial in trials if found.is_sound(trial))
    plan = Plan(
        sound,
        _ROUNDS * generations,
        STANDARD.window_ns,
        generations,
        windows=STANDARD.windows,
        retakes=STANDARD.retakes,
    )
    before = found.generations
    found.generations += generations
    if not sound:
        return
    with Store.open(":memory:") as store:
        outcome = run_plan(
            store, builds.inventory, plan, environment, study={"builds": True}, observer=observer
        )
        for trial, taken in store.samples(outcome.run_id).items():
            found.samples[trial] += [
                replace(
                    sample,
                    round_index=sample.round_index + before * _ROUNDS,
                    generation=sample.generation + before,
                )
                for sample in taken
            ]
    found.failures += outcome.failures
