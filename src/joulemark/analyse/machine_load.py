# SPDX-License-Identifier: Apache-2.0
"""Warnings about a run as a whole, and what else the machine did meanwhile."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from joulemark.analyse.doubts import FOREIGN_SHARE, STEAL_SHARE, VisitSpan, tick_evidence_ns, visits
from joulemark.environment.facts import Environment, advice
from joulemark.records.figures import Doubt, DoubtKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial
from joulemark.units import format_percent

# Warnings about a run as a whole, and the doubts that its trials share.
#
# What can be doubtful about one trial is listed in `joulemark.analyse.doubts`.

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
        said, of_all = _of_all([doubt.sentence for doubt in alike])
        trials = f"{len(alike)} of the {len(remaining)} trials"
        sentences.append(f"{said}{SO_IN}{trials}{of_all}.")
        remaining = {
            trial: [doubt for doubt in of_trial if doubt.kind is not kind]
            for trial, of_trial in remaining.items()
        }
    return remaining, sentences


_PERCENTAGE: Final = re.compile(r"(\d+(?:\.\d+)?) %")


def _of_all(sentences: Sequence[str]) -> tuple[str, str]:
    """The sentence that stands for all, and words on the figures of the others.

    It is the one with the highest percentage; where one has none, the first.
    """
    if len(set(sentences)) == 1:
        return sentences[0], ""
    found = [_PERCENTAGE.search(sentence) for sentence in sentences]
    shares = [float(match[1]) for match in found if match is not None]
    if len(shares) < len(sentences):
        return sentences[0], ", each with figures of its own"
    return sentences[shares.index(max(shares))], ", at worst as here"


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


# The machine's other work during a run, seen over all trials together.
#
# The kernel counts CPU time in scheduler ticks of 10 ms, longer than most visits, so that one
# trial alone often cannot show that another program was running. But trials are interleaved:
# whatever ran during some rounds ran beside every trial. So the visits of all trials are summed,
# generation by generation, and what the sum shows is said of every trial.


@dataclass(frozen=True, slots=True)
class MachineLoad:
    """Sums over the visits of one generation of worker processes."""

    first_round: int
    last_round: int
    wall_ns: int
    foreign_ns: int
    """CPU time of everything but the measuring threads; may be negative by a few ticks."""
    steal_ns: int
    visits: int


def machine_loads(samples: Mapping[Trial, Sequence[RawSample]]) -> list[MachineLoad]:
    """One sum per generation, in order; without cold-cache trials, whose windows have gaps."""
    by_generation: dict[int, list[VisitSpan]] = {}
    for trial, taken in samples.items():
        if trial.workload.cache is Cache.COLD:
            continue
        for visit in visits(taken):
            if visit.machine_busy_ns is not None and visit.machine_steal_ns is not None:
                by_generation.setdefault(visit.generation, []).append(visit)
    return [_load(members) for _, members in sorted(by_generation.items())]


def _load(members: Sequence[VisitSpan]) -> MachineLoad:
    """Sums over visits of which both counters of the machine are known."""
    return MachineLoad(
        first_round=min(visit.round_index for visit in members),
        last_round=max(visit.round_index for visit in members),
        wall_ns=sum(visit.wall_ns for visit in members),
        foreign_ns=sum((visit.machine_busy_ns or 0) - visit.thread_cpu_ns for visit in members),
        steal_ns=sum(visit.machine_steal_ns or 0 for visit in members),
        visits=len(members),
    )


def _worst(loads: Sequence[MachineLoad], field: str, limit: float) -> tuple[float, str] | None:
    """Largest share above the limit that the ticks prove, and the rounds in which it was seen."""
    proved = [
        (share, load)
        for load in [*loads, *_whole(loads)]
        if load.wall_ns > 0
        and getattr(load, field) >= tick_evidence_ns(load.visits)
        and (share := getattr(load, field) / load.wall_ns) > limit
    ]
    if not proved:
        return None
    share, load = max(proved, key=lambda pair: pair[0])
    return share, f"rounds {load.first_round} to {load.last_round}"


def _whole(loads: Sequence[MachineLoad]) -> list[MachineLoad]:
    """The run as a whole, which proves smaller shares than its parts; none for a single part."""
    if len(loads) < 2:
        return []
    sums = (
        sum(getattr(load, name) for load in loads)
        for name in ("wall_ns", "foreign_ns", "steal_ns", "visits")
    )
    return [MachineLoad(loads[0].first_round, loads[-1].last_round, *sums)]


def load_doubts(samples: Mapping[Trial, Sequence[RawSample]]) -> list[Doubt]:
    """Doubts about every hot-cache trial of a run, because of the machine's other work."""
    loads = machine_loads(samples)
    doubts = []
    if foreign := _worst(loads, "foreign_ns", FOREIGN_SHARE):
        text = (
            f"Other programs used up to {format_percent(foreign[0])} of a CPU beside this run "
            f"({foreign[1]}): they share its clock, caches and memory, and the medians may be "
            "off by more than their interval; close them and repeat."
        )
        doubts.append(Doubt(DoubtKind.FOREIGN_CPU, text))
    if stolen := _worst(loads, "steal_ns", STEAL_SHARE):
        text = (
            f"The hypervisor took up to {format_percent(stolen[0])} of a CPU from this machine "
            f"({stolen[1]}); use a dedicated machine, or repeat at a quieter hour."
        )
        doubts.append(Doubt(DoubtKind.STEAL, text))
    return doubts
