# SPDX-License-Identifier: Apache-2.0
"""What else the machine did during a run, seen over all its trials together.

The kernel counts CPU time in scheduler ticks of 10 ms, longer than most visits, so that one trial
alone often cannot show that another program was running. But trials are interleaved: whatever ran
during some rounds ran beside every trial. So the visits of all trials are summed, generation by
generation, and what the sum shows is said of every trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.analyse.doubts import FOREIGN_SHARE, STEAL_SHARE, tick_evidence_ns
from joulemark.analyse.visits import Visit, visits
from joulemark.records.doubt import Doubt, DoubtKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial
from joulemark.units import format_percent

__all__ = ["MachineLoad", "load_doubts", "machine_loads"]


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
    by_generation: dict[int, list[Visit]] = {}
    for trial, taken in samples.items():
        if trial.workload.cache is Cache.COLD:
            continue
        for visit in visits(taken):
            if visit.machine_busy_ns is not None and visit.machine_steal_ns is not None:
                by_generation.setdefault(visit.generation, []).append(visit)
    return [
        MachineLoad(
            first_round=min(visit.round_index for visit in made),
            last_round=max(visit.round_index for visit in made),
            wall_ns=sum(visit.wall_ns for visit in made),
            foreign_ns=sum((v.machine_busy_ns or 0) - v.thread_cpu_ns for v in made),
            steal_ns=sum(visit.machine_steal_ns or 0 for visit in made),
            visits=len(made),
        )
        for _, made in sorted(by_generation.items())
    ]


def _worst(loads: Sequence[MachineLoad], field: str, limit: float) -> tuple[float, str] | None:
    """Largest share above the limit that the ticks prove, and the rounds it was seen in."""
    seen = [
        (getattr(load, field) / load.wall_ns, load)
        for load in [*loads, *_whole(loads)]
        if load.wall_ns > 0 and getattr(load, field) >= tick_evidence_ns(load.visits)
    ]
    proved = [(share, load) for share, load in seen if share > limit]
    if not proved:
        return None
    share, load = max(proved, key=lambda pair: pair[0])
    return share, f"rounds {load.first_round} to {load.last_round}"


def _whole(loads: Sequence[MachineLoad]) -> list[MachineLoad]:
    """The run as a whole, which proves smaller shares than its parts."""
    if len(loads) < 2:
        return []
    return [
        MachineLoad(
            loads[0].first_round,
            loads[-1].last_round,
            sum(load.wall_ns for load in loads),
            sum(load.foreign_ns for load in loads),
            sum(load.steal_ns for load in loads),
            sum(load.visits for load in loads),
        )
    ]


def load_doubts(samples: Mapping[Trial, Sequence[RawSample]]) -> list[Doubt]:
    """What is doubtful about every hot-cache trial of a run because of the machine's other work."""
    loads = machine_loads(samples)
    doubts = []
    foreign = _worst(loads, "foreign_ns", FOREIGN_SHARE)
    if foreign is not None:
        doubts.append(
            Doubt(
                DoubtKind.FOREIGN_CPU,
                f"Other programs used up to {format_percent(foreign[0])} of a CPU beside this run "
                f"({foreign[1]}): they share its clock, caches and memory, and the medians may be "
                "off by more than their interval; close them and repeat.",
            )
        )
    stolen = _worst(loads, "steal_ns", STEAL_SHARE)
    if stolen is not None:
        doubts.append(
            Doubt(
                DoubtKind.STEAL,
                f"The hypervisor took up to {format_percent(stolen[0])} of a CPU from this machine "
                f"({stolen[1]}); use a dedicated machine, or repeat at a quieter hour.",
            )
        )
    return doubts
