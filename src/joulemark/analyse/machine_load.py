# SPDX-License-Identifier: Apache-2.0
"""The machine's other work during a run, seen over all trials together.

The kernel counts CPU time in scheduler ticks of 10 ms, longer than most visits, so that one trial
alone often cannot show that another program was running. But trials are interleaved: whatever ran
during some rounds ran beside every trial. So the visits of all trials are summed, generation by
generation, and what the sum shows is said of every trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.analyse.doubts import FOREIGN_SHARE, STEAL_SHARE, VisitSpan, tick_evidence_ns, visits
from joulemark.records.figures import Doubt, DoubtKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial
from joulemark.units import format_percent


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
    """One sum per generation, in order; cold-cache trials are left out (their windows have gaps).

    Args:
        samples: of a run, by trial.
    """
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
