# SPDX-License-Identifier: Apache-2.0
"""Warnings about a run as a whole, and the doubts that its trials share.

What can be doubtful about one trial is listed in `joulemark.analyse.doubts`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from joulemark.environment.advice import advice
from joulemark.environment.facts import Environment
from joulemark.records.doubt import Doubt, DoubtKind
from joulemark.records.trial import Trial

__all__ = ["MANY_TRIALS", "SO_IN", "common_to_the_run", "run_warnings"]

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
SO_IN: Final = " So it was in "
"""Begins the last words of such a sentence, which say in how many trials."""
FEWEST_TRIALS: Final = 4
"""Below it there is nothing to gather."""


def common_to_the_run(
    doubts: Mapping[Trial, Sequence[Doubt]],
) -> tuple[dict[Trial, list[Doubt]], list[str]]:
    """Takes what is the machine's doubt, not a trial's, from the trials to the run.

    A core clock that moves does so for every trial alike, and so does a program that runs beside
    all of them: said of hundreds of trials it would hide the warnings that concern one.

    Args:
        doubts: of every estimated trial of the run.

    Returns:
        The doubts without the common ones, and a sentence for each kind that was common.
    """
    kept = {trial: list(found) for trial, found in doubts.items()}
    sentences = []
    for kind in COMMON_KINDS:
        said = [doubt for found in kept.values() for doubt in found if doubt.kind is kind]
        if len(kept) < FEWEST_TRIALS or len(said) <= MOST_TRIALS * len(kept):
            continue
        first = said[0].sentence
        sentences.append(f"{first}{SO_IN}{len(said)} of the {len(kept)} trials.")
        kept = {
            trial: [doubt for doubt in found if doubt.kind is not kind]
            for trial, found in kept.items()
        }
    return kept, sentences


def run_warnings(
    doubts: Collection[Sequence[Doubt]],
    environment: Mapping[str, Any],
    conditions: Mapping[str, Any] | None = None,
) -> list[str]:
    """Sentences about the run, most useful first.

    Virtual machine, governor, turbo and SMT come from the environment's own advice, so that
    `bench` and `doctor` say the same; what is unknown is passed over.

    Args:
        doubts: of every estimated trial of the run.
        environment: fields of `Environment`, as stored; missing fields are unknown.
        conditions: under which the run began, as stored (`joulemark.measure.conditions`).
    """
    known: dict[str, Any] = {
        field.name: environment.get(field.name) for field in fields(Environment)
    }
    known["reasons"] = known["reasons"] or {}
    disturbed = sum(any(doubt.kind is DoubtKind.FOREIGN_CPU for doubt in found) for found in doubts)
    sentences = []
    if doubts and disturbed > MANY_TRIALS * len(doubts):
        sentences.append(
            f"Other programs ran during {disturbed} of {len(doubts)} trials: this run's figures "
            "may all be too high; close them and repeat the run."
        )
    not_held = (conditions or {}).get("cpu_not_held")
    if not_held:
        sentences.append(
            f"CPU {(conditions or {}).get('cpu')} was not this run's alone: {not_held}. Its "
            "figures are less precise for it; repeat when no other run uses that CPU."
        )
    return sentences + advice(Environment(**known))
