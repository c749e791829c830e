# SPDX-License-Identifier: Apache-2.0
"""Warnings about a run as a whole, and the doubts that its trials share.

What can be doubtful about one trial is listed in `joulemark.analyse.doubts`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from joulemark.environment.facts import Environment, advice
from joulemark.records.figures import Doubt, DoubtKind
from joulemark.records.trial import Trial

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
"""Kinds of doubt that are about the machine when most trials carry them."""
MOST_TRIALS: Final = 0.5
"""Share of trials above which a doubt of such a kind is told once, as a warning of the run."""
SO_IN: Final = " So it was in "
"""Begins the end of such a warning, which says in how many trials the doubt was found."""
FEWEST_TRIALS: Final = 4
"""Fewest trials of which doubts are gathered into one warning."""


def common_to_the_run(
    doubts: Mapping[Trial, Sequence[Doubt]],
) -> tuple[dict[Trial, list[Doubt]], list[str]]:
    """Moves doubts that are about the machine from the trials to the run.

    A core clock that moves, or a program that runs beside the run, disturbs every trial alike. If
    each of hundreds of trials told it, it would hide the warnings that concern one trial.

    Args:
        doubts: of every estimated trial of the run.

    Returns:
        The doubts without the common ones, and a sentence for each kind that was common.
    """
    remaining = {trial: list(of_trial) for trial, of_trial in doubts.items()}
    sentences = []
    for kind in COMMON_KINDS:
        alike = [
            doubt for of_trial in remaining.values() for doubt in of_trial if doubt.kind is kind
        ]
        if len(remaining) < FEWEST_TRIALS or len(alike) <= MOST_TRIALS * len(remaining):
            continue
        first = alike[0].sentence
        sentences.append(f"{first}{SO_IN}{len(alike)} of the {len(remaining)} trials.")
        remaining = {
            trial: [doubt for doubt in of_trial if doubt.kind is not kind]
            for trial, of_trial in remaining.items()
        }
    return remaining, sentences


def run_warnings(
    doubts: Collection[Sequence[Doubt]],
    environment: Mapping[str, Any],
    conditions: Mapping[str, Any] | None = None,
) -> list[str]:
    """Sentences about the run, most useful first.

    Sentences on virtual machine, governor, turbo and SMT are the environment's advice, so that
    `bench` and `doctor` say the same; unknown facts are passed over.

    Args:
        doubts: of every estimated trial of the run.
        environment: fields of `Environment`, as stored; missing fields are unknown.
        conditions: under which the run began, as stored (`joulemark.measure.run_plan`).
    """
    known: dict[str, Any] = {f.name: environment.get(f.name) for f in fields(Environment)}
    known["reasons"] = known["reasons"] or {}
    disturbed = sum(
        any(doubt.kind is DoubtKind.FOREIGN_CPU for doubt in of_trial) for of_trial in doubts
    )
    sentences = []
    if doubts and disturbed > MANY_TRIALS * len(doubts):
        sentences.append(
            f"Other programs ran during {disturbed} of {len(doubts)} trials: this run's figures "
            "may all be too high; close them and repeat the run."
        )
    held = conditions or {}
    if not_held := held.get("cpu_not_held"):
        sentences.append(
            f"CPU {held.get('cpu')} was not this run's alone: {not_held}. Its "
            "figures are less precise for it; repeat when no other run uses that CPU."
        )
    return sentences + advice(Environment(**known))
