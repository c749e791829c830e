# SPDX-License-Identifier: Apache-2.0
"""Warnings as they are published: those of a trial, and those of a run as a whole.

What can be doubtful about one trial is listed in `joulemark.analyse.doubts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from joulemark.analyse.doubts import DoubtKind, trial_doubts
from joulemark.analyse.results import Result
from joulemark.environment.advice import advice
from joulemark.environment.facts import Environment
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial

__all__ = ["MANY_TRIALS", "common_to_the_run", "run_warnings", "trial_warnings"]

MANY_TRIALS: Final = 0.2
"""Share of disturbed trials above which the load is the run's problem, not a trial's: one program
that starts once disturbs a few neighbouring trials, one that stays disturbs many."""

COMMON_KINDS: Final = (
    DoubtKind.INTERRUPTED,
    DoubtKind.SHARED_CORE,
    DoubtKind.FOREIGN_CPU,
    DoubtKind.STEAL,
    DoubtKind.CORE_CLOCK,
    DoubtKind.WIDE_INTERVAL,
    DoubtKind.SLOW_MEDIAN,
)
"""Kinds that are the machine's when most trials carry them."""
MOST_TRIALS: Final = 0.5
"""Share of trials above which such a kind is said once, of the run."""
FEWEST_TRIALS: Final = 4
"""Below it there is nothing to gather."""


def trial_warnings(
    trial: Trial,
    samples: Sequence[RawSample],
    used: Sequence[RawSample] | None = None,
    *,
    seed: int = 0,
) -> list[str]:
    """The sentences of everything doubtful about one trial; see `trial_doubts`."""
    return [doubt.sentence for doubt in trial_doubts(trial, samples, used, seed=seed)]


def common_to_the_run(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """Takes what is the machine's doubt, not a trial's, from the trials to the run.

    A core clock that moves does so for every trial alike, and so does a program that runs beside
    all of them: said of hundreds of trials it would hide the warnings that concern one.

    Args:
        results: every estimated trial of the run, with its warnings.

    Returns:
        The results without the common warnings, and a sentence for each kind that was common.
    """
    kept = list(results)
    sentences = []
    for kind in COMMON_KINDS:
        opening = f"{kind.value}: "
        said = [text for one in kept for text in one.warnings if text.startswith(opening)]
        if len(kept) < FEWEST_TRIALS or len(said) <= MOST_TRIALS * len(kept):
            continue
        sentences.append(f"{said[0]} So it was in {len(said)} of the {len(kept)} trials.")
        kept = [
            one.model_copy(
                update={"warnings": [w for w in one.warnings if not w.startswith(opening)]}
            )
            for one in kept
        ]
    return kept, sentences


def run_warnings(
    results: Sequence[Result],
    environment: Mapping[str, Any],
    conditions: Mapping[str, Any] | None = None,
) -> list[str]:
    """Sentences about the run, most useful first.

    Virtual machine, governor, turbo and SMT come from the environment's own advice, so that
    `bench` and `doctor` say the same; what is unknown is passed over.

    Args:
        results: every estimated trial of the run, with its warnings.
        environment: fields of `Environment`, as stored; missing fields are unknown.
        conditions: under which the run began, as stored (`joulemark.measure.conditions`).
    """
    known: dict[str, Any] = {
        field.name: environment.get(field.name) for field in fields(Environment)
    }
    known["reasons"] = known["reasons"] or {}
    disturbed = sum(
        any(text.startswith(f"{DoubtKind.FOREIGN_CPU.value}: ") for text in result.warnings)
        for result in results
    )
    sentences = []
    if results and disturbed > MANY_TRIALS * len(results):
        sentences.append(
            f"Other programs ran during {disturbed} of {len(results)} trials: this run's figures "
            "may all be too high; close them and repeat the run."
        )
    not_held = (conditions or {}).get("cpu_not_held")
    if not_held:
        sentences.append(
            f"CPU {(conditions or {}).get('cpu')} was not this run's alone: {not_held}. Its "
            "figures are less precise for it; repeat when no other run uses that CPU."
        )
    return sentences + advice(Environment(**known))
