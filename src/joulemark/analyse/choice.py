# SPDX-License-Identifier: Apache-2.0
"""Which MAC to take: what was measured, ranked, and why the other algorithms fell out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from joulemark.analyse.estimate import figure
from joulemark.analyse.results import Figure, Result
from joulemark.catalogue.algorithms import Algorithm
from joulemark.records.evidence import Evidence
from joulemark.records.trial import HOST, Cache, KeySetup, Mode
from joulemark.store.sessions import SessionsPoint

__all__ = [
    "DISTURBED",
    "Accepted",
    "Candidate",
    "Choice",
    "FallenOut",
    "Order",
    "Requirements",
    "choose",
]


class Order(StrEnum):
    """What a message shall cost little of."""

    TIME = "time"
    ENERGY = "energy"


class Accepted(StrEnum):
    """Which status in the catalogue is good enough."""

    CURRENT = "current"
    LEGACY = "legacy"
    """Current or legacy."""
    ANY = "any"
    """Broken too."""


_TAKEN = {
    Accepted.CURRENT: {"current"},
    Accepted.LEGACY: {"current", "legacy"},
    Accepted.ANY: {"current", "legacy", "broken"},
}
"""What is accepted -> status in the catalogue."""
DISTURBED: Final = "no window of its sessions counts"
_OF_THE_LIBRARY = "/engine"
"""The variant that `joulemark.mac` and `jm_mac_find` take."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a MAC must do."""

    size_bytes: int
    """Of every message; 0 is the empty message."""
    sessions: int = 1
    """Keys in use at once, 1 or more. A batch may hold one message of each. Where some MAC was
    measured in so many sessions, single messages are ranked by sessions alone."""
    tag_bits: int = 0
    """The tag has as many bits, or more."""
    status: Accepted = Accepted.CURRENT
    order: Order = Order.TIME


@dataclass(frozen=True, slots=True)
class Candidate:
    """A measured way to do it."""

    run: int
    """Number of the run in the store."""
    result: Result
    cost: Figure
    """What it is ranked by: seconds or joules per message."""
    in_sessions: bool = False
    """`run` is the number of a point of sessions, and `cost` the CPU time of their threads."""


@dataclass(frozen=True, slots=True)
class FallenOut:
    """Algorithms that cannot be taken, for one reason."""

    reason: str
    algorithms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer."""

    ranking: tuple[Candidate, ...]
    """Every candidate, the cheapest first."""
    fallen_out: tuple[FallenOut, ...]
    not_measured: tuple[str, ...]
    """Algorithms of the catalogue that would do, and have no figure for this workload."""

    @property
    def taken_by_itself(self) -> Candidate | None:
        """What the library takes for the winner's algorithm and batch; None if not measured."""
        best = self.ranking[0].result
        for candidate in self.ranking:
            same = (candidate.result.algorithm, candidate.result.batch, candidate.in_sessions) == (
                best.algorithm, best.batch, self.ranking[0].in_sessions,
            )  # fmt: skip
            if same and candidate.result.implementation.endswith(_OF_THE_LIBRARY):
                return candidate
        return None

    @property
    def best_of_each(self) -> tuple[Candidate, ...]:
        """The cheapest candidate of each algorithm, the cheapest first."""
        first: dict[str, Candidate] = {}
        for candidate in self.ranking:
            first.setdefault(candidate.result.algorithm, candidate)
        return tuple(first.values())


def choose(
    measured: Iterable[tuple[int, Result]],
    facts: Mapping[str, Algorithm],
    requirements: Requirements,
    in_sessions: Iterable[tuple[int, SessionsPoint]] = (),
) -> Choice:
    """Ranks what was measured, and says why the rest fell out.

    Args:
        measured: run and result, the newest run first: of one trial the first result counts.
        facts: algorithms that there are, by id; MACs alone are looked at.
        requirements: what the MAC must do.
        in_sessions: number and point, at that length in so many sessions, the newest first.
    """
    refused = {
        name: reason
        for name, fact in facts.items()
        if fact.kind == "mac" and (reason := _refusal(fact, requirements)) is not None
    }

    def may_be_taken(algorithm: str) -> bool:
        known = algorithm in facts and facts[algorithm].kind == "mac"
        return known and algorithm not in refused

    of_sessions, disturbed = _of_sessions(in_sessions, requirements)
    found: dict[tuple[str, int], Candidate] = {
        key: of_session
        for key, of_session in of_sessions.items()
        if may_be_taken(of_session.result.algorithm)
    }
    alone_counts = not found
    for run, result in measured:
        cost = _cost(result, requirements.order)
        fits = _fits(result, requirements) and (alone_counts or result.batch > 1)
        if may_be_taken(result.algorithm) and fits and cost:
            key = result.implementation, result.batch
            found.setdefault(key, Candidate(run, result, cost))
    ranking = sorted(
        found.values(),
        key=lambda candidate: (candidate.cost.median, candidate.result.implementation),
    )
    ranked = {candidate.result.algorithm for candidate in ranking}
    for name in sorted(disturbed):
        if may_be_taken(name) and name not in ranked:
            refused[name] = DISTURBED
    return Choice(
        tuple(ranking),
        _by_reason(refused),
        tuple(
            name
            for name, algorithm in sorted(facts.items())
            if algorithm.kind == "mac" and name not in ranked and name not in refused
        ),
    )


def _of_sessions(
    points: Iterable[tuple[int, SessionsPoint]], requirements: Requirements
) -> tuple[dict[tuple[str, int], Candidate], set[str]]:
    """Candidates by implementation, and algorithms of which no window counts."""
    found: dict[tuple[str, int], Candidate] = {}
    disturbed: set[str] = set()
    if requirements.order is Order.ENERGY:
        return found, disturbed
    for number, point in points:
        name = point.facts.implementation
        if (name, 1) in found:
            continue
        costs = [
            sessions_round.window.thread_cpu_ns / 1e9 / sessions_round.window.messages
            for sessions_round in point.rounds
            if not sessions_round.troubles and sessions_round.window.messages
        ]
        if not costs:
            disturbed.add(name.partition("/")[0])
            continue
        cost = figure(costs, Evidence.MEASURED)
        found[name, 1] = Candidate(number, _as_result(point, cost), cost, in_sessions=True)
    return found, disturbed


def _as_result(point: SessionsPoint, cost: Figure) -> Result:
    """What was measured in sessions in the shape of other results: each session has its key."""
    absent = dict.fromkeys(
        ("chosen", "thread_cpu_seconds_per_message", "bytes_per_second", "tsc_ticks_per_message",
         "tsc_ticks_per_byte", "core_cycles_per_message", "core_cycles_per_byte",
         "joules_per_byte", "modelled_joules_per_byte")
    )  # fmt: skip
    values: dict[str, Any] = {
        **absent,
        "algorithm": point.facts.implementation.partition("/")[0],
        "implementation": point.facts.implementation,
        "provider": point.facts.provider,
        "target": HOST,
        "size_bytes": point.size_bytes,
        "batch": 1,
        "mode": Mode.THROUGHPUT,
        "cache": Cache.HOT,
        "key_setup": KeySetup.DISTINCT,
        "evidence": Evidence.MEASURED,
        "seconds_per_message": cost,
    }
    return Result(**values)


def _refusal(facts: Algorithm, requirements: Requirements) -> str | None:
    """Why an algorithm cannot be taken, whatever it costs; None if it can."""
    if facts.status not in _TAKEN[requirements.status]:
        return f"status {facts.status}"
    if 8 * facts.output_bytes < requirements.tag_bits:
        return f"tag of {8 * facts.output_bytes} bits"
    if facts.one_time_key:
        return "a key is for one message alone"
    return None


def _fits(result: Result, requirements: Requirements) -> bool:
    """Whether it was measured as the messages will come."""
    alone = result.batch == 1 and result.key_setup is KeySetup.KEPT
    together = (
        1 < result.batch <= requirements.sessions
        and result.key_setup is KeySetup.DISTINCT
        and bool(result.batch_calls)
    )
    return (
        result.target == HOST
        and not result.mix
        and result.size_bytes == requirements.size_bytes
        and result.mode is Mode.THROUGHPUT
        and result.cache is Cache.HOT
        and "#" not in result.implementation
        and result.chosen is None
        and (alone or together)
    )


def _cost(result: Result, order: Order) -> Figure | None:
    return result.joules_per_message if order is Order.ENERGY else result.seconds_per_message


def _by_reason(refused: Mapping[str, str]) -> tuple[FallenOut, ...]:
    reasons = sorted(set(refused.values()))
    return tuple(
        FallenOut(reason, tuple(sorted(name for name, why in refused.items() if why == reason)))
        for reason in reasons
    )
