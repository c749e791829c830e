# SPDX-License-Identifier: Apache-2.0
"""Which MAC to take: what was measured, ranked, and why the other algorithms fell out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from joulemark.analyse import Figure, Result
from joulemark.analyse.derive import session_core_seconds
from joulemark.analyse.estimate import figure, result_with
from joulemark.catalogue import AlgorithmFacts, Approval, lacking_claim
from joulemark.records.figures import Evidence
from joulemark.records.trial import HOST, Cache, KeySetup, Mode, Trial, Workload
from joulemark.store.beside_runs import SessionsPoint


class Order(StrEnum):
    """The cost by which MACs are ranked."""

    TIME = "time"
    ENERGY = "energy"


class Accepted(StrEnum):
    """Which algorithms are good enough, by their status in the catalogue."""

    CURRENT = "current"
    LEGACY = "legacy"
    """Current and legacy algorithms."""
    ANY = "any"
    """All algorithms, broken ones too."""


_STATUSES = {
    Accepted.CURRENT: {"current"},
    Accepted.LEGACY: {"current", "legacy"},
    Accepted.ANY: {"current", "legacy", "broken"},
}
"""Each choice -> the statuses in the catalogue that it accepts."""
DISTURBED: Final = "no window of its sessions counts"
_ENGINE = "/engine"
"""Ending of the implementation that `joulemark.mac` and `jm_mac_find` take."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a MAC must do."""

    size_bytes: int
    """Length of every message; 0 is the empty message."""
    sessions: int = 1
    """Keys in use at once, 1 or more. A batch may hold one message of each. Where some MAC was
    measured in so many sessions, single messages are ranked by sessions alone."""
    tag_bits: int = 0
    """Fewest bits of the tag."""
    status: Accepted = Accepted.CURRENT
    order: Order = Order.TIME
    security_bits: int = 0
    """Fewest bits of strength that the algorithm claims against forgery."""
    approved: Approval | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An implementation that was measured and does what is required."""

    run: int
    """Number of the run in the store."""
    result: Result
    cost: Figure
    """Seconds or joules per message, by which it is ranked."""
    in_sessions: bool = False
    """`run` is the number of a point of sessions, and `cost` the CPU time of their threads."""


@dataclass(frozen=True, slots=True)
class FallenOut:
    """Algorithms that cannot be taken, all for the same reason."""

    reason: str
    algorithms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates, and why other algorithms are not among them."""

    ranking: tuple[Candidate, ...]
    """Every candidate, the cheapest first."""
    fallen_out: tuple[FallenOut, ...]
    not_measured: tuple[str, ...]
    """Algorithms that meet the requirements and have no figure for this workload."""

    @property
    def library_choice(self) -> Candidate | None:
        """The library's own choice for the winner's algorithm and batch; None if not measured."""

        def kind(candidate: Candidate) -> tuple[str, int, bool]:
            return candidate.result.algorithm, candidate.result.batch, candidate.in_sessions

        engines = (c for c in self.ranking if c.result.implementation.endswith(_ENGINE))
        return next((c for c in engines if kind(c) == kind(self.ranking[0])), None)

    @property
    def one_by_one(self) -> Candidate | None:
        """The winner's algorithm without batches, at its cheapest; None if not measured."""
        algorithm = self.ranking[0].result.algorithm
        alike = (c for c in self.ranking if c.result.algorithm == algorithm)
        return next((c for c in alike if c.result.batch == 1), None)

    @property
    def best_of_each(self) -> tuple[Candidate, ...]:
        """The cheapest candidate of each algorithm, the cheapest first."""
        first: dict[str, Candidate] = {}
        for candidate in self.ranking:
            first.setdefault(candidate.result.algorithm, candidate)
        return tuple(first.values())


def choose(
    measured: Iterable[tuple[int, Result]],
    facts: Mapping[str, AlgorithmFacts],
    requirements: Requirements,
    in_sessions: Iterable[tuple[int, SessionsPoint]] = (),
) -> Choice:
    """Ranks the measured MACs, and says why the other algorithms fell out.

    Args:
        measured: run and result, the newest run first: of one trial the first result counts.
        facts: all algorithms by id; only MACs are looked at.
        requirements: what the MAC must do.
        in_sessions: number and point, at the required length and number of sessions, the newest
            first.
    """
    macs = {name: algorithm for name, algorithm in facts.items() if algorithm.kind == "mac"}
    refused = {
        name: reason
        for name, mac in macs.items()
        if (reason := _refusal(mac, requirements)) is not None
    }

    def may_be_taken(algorithm: str) -> bool:
        return algorithm in macs and algorithm not in refused

    of_sessions, disturbed = _of_sessions(in_sessions, requirements)
    candidates = {
        key: candidate
        for key, candidate in of_sessions.items()
        if may_be_taken(candidate.result.algorithm)
    }
    alone_counts = not candidates
    for run, result in measured:
        cost = _cost(result, requirements.order)
        taken = fits(result, requirements) and (alone_counts or result.batch > 1)
        if may_be_taken(result.algorithm) and taken and cost:
            key = result.implementation, result.batch
            candidates.setdefault(key, Candidate(run, result, cost))
    ranking = sorted(
        candidates.values(),
        key=lambda candidate: (candidate.cost.median, candidate.result.implementation),
    )
    ranked = {candidate.result.algorithm for candidate in ranking}
    for name in sorted(disturbed):
        if may_be_taken(name) and name not in ranked:
            refused[name] = DISTURBED
    return Choice(
        tuple(ranking),
        _by_reason(refused),
        tuple(name for name in sorted(macs) if name not in ranked and name not in refused),
    )


def _of_sessions(
    points: Iterable[tuple[int, SessionsPoint]], requirements: Requirements
) -> tuple[dict[tuple[str, int], Candidate], set[str]]:
    """Candidates by implementation and batch, and algorithms of which no window counts."""
    candidates: dict[tuple[str, int], Candidate] = {}
    disturbed: set[str] = set()
    if requirements.order is Order.ENERGY:
        return candidates, disturbed
    for number, point in points:
        name = point.facts.implementation
        if (name, 1) in candidates:
            continue
        costs = [
            seconds
            for sessions_round in point.rounds
            if not sessions_round.troubles
            and (seconds := session_core_seconds(sessions_round.window)) is not None
        ]
        if not costs:
            disturbed.add(name.partition("/")[0])
            continue
        cost = figure(costs, Evidence.MEASURED)
        candidates[name, 1] = Candidate(number, _as_result(point, cost), cost, in_sessions=True)
    return candidates, disturbed


def _as_result(point: SessionsPoint, cost: Figure) -> Result:
    """A point of sessions in the shape of other results: each session has its key."""
    workload = Workload(point.size_bytes, key_setup=KeySetup.DISTINCT)
    return result_with(
        Trial(point.facts.implementation, workload, HOST),
        point.facts,
        Evidence.MEASURED,
        {"seconds_per_message": cost},
        chosen=None,
    )


def _refusal(facts: AlgorithmFacts, requirements: Requirements) -> str | None:
    """Why an algorithm cannot be taken, whatever it costs; None if it can."""
    if facts.status not in _STATUSES[requirements.status]:
        return f"status {facts.status}"
    if 8 * facts.output_bytes < requirements.tag_bits:
        return f"tag of {8 * facts.output_bytes} bits"
    if (
        lacking := lacking_claim(facts, requirements.security_bits, requirements.approved)
    ) is not None:
        return lacking
    if facts.one_time_key:
        return "a key is for one message alone"
    return None


def fits(result: Result, requirements: Requirements) -> bool:
    """Whether a result was measured with messages as the requirements describe them."""
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
    reasons = sorted(set(refused.values()), key=_by_numbers)
    return tuple(
        FallenOut(reason, tuple(sorted(name for name, why in refused.items() if why == reason)))
        for reason in reasons
    )


def _by_numbers(reason: str) -> list[tuple[int, str]]:
    """A key that sorts "30 bits" before "102 bits"."""
    return [(int(word) if word.isdecimal() else 0, word) for word in reason.split()]
