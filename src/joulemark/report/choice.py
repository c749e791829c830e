# SPDX-License-Identifier: Apache-2.0
"""The choice of a MAC in words: the winner, the candidates, the reasons, and the call to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from joulemark.analyse.choice import Accepted, Candidate, Choice, Order, Requirements
from joulemark.analyse.load import LoadCost, OfferedLoad, load_cost
from joulemark.catalogue import AlgorithmFacts
from joulemark.records import ImplementationFacts
from joulemark.report import JsonObject
from joulemark.report.load import ONE_CORE, cost_json, load_basis
from joulemark.report.style import OWN_PROVIDER, is_known
from joulemark.report.words import joules_text, level, relative_text, seconds_text, variant_of
from joulemark.units import format_bytes

CHOICE_VERSION: Final = 2
"""Version of the JSON that `choose` prints."""
_OWN: Final = 3
"""Most implementations of the user's before the others."""
HEADINGS: Final = ("algorithm", "variant", "batch", "a message", "times", "tag", "run")


def requirements_text(requirements: Requirements) -> str:
    """The requirements, as in "messages of 64 B, 100 sessions, status current"."""
    words = [f"messages of {format_bytes(requirements.size_bytes)}"]
    if requirements.sessions > 1:
        words.append(f"{requirements.sessions} sessions")
    if requirements.security_bits:
        words.append(f"{requirements.security_bits} bits of security or more")
    if requirements.approved is not None:
        words.append(f"approved by {requirements.approved.value.upper()}")
    if requirements.tag_bits:
        words.append(f"tags of {requirements.tag_bits} bits or more")
    if requirements.status is not Accepted.ANY:
        legacy = " or legacy" if requirements.status is Accepted.LEGACY else ""
        words.append(f"status current{legacy}")
    return ", ".join(words)


def headline(choice: Choice, requirements: Requirements) -> str:
    """Which implementation to use, and what a message costs with it."""
    best = choice.ranking[0]
    at_once = f" in batches of {best.result.batch}" if best.result.batch > 1 else ""
    among = f" in {requirements.sessions} sessions" if best.in_sessions else ""
    cost = _cost_text(best, requirements)
    return f"use {best.result.implementation}{at_once}: {cost} a message{among}"


def load_of_choice(choice: Choice, load: OfferedLoad) -> LoadCost | None:
    """What a load takes with the winner; None if its time was not measured."""
    best, alone = choice.ranking[0].result, choice.one_by_one
    if best.seconds_per_message is None:
        return None
    one_by_one = None if alone is None or best.batch == 1 else alone.result.seconds_per_message
    return load_cost(load, best.seconds_per_message, best.joules_per_message, one_by_one=one_by_one)


def basis_of_choice(choice: Choice, load: OfferedLoad) -> Iterator[str]:
    """Sentences on what the winner's cost rests on."""
    best = choice.ranking[0]
    where = "sessions" if best.in_sessions else "run"
    evidence = best.result.seconds_per_message
    word = "measured" if evidence is None else evidence.evidence.value
    times = f"{where} {best.run}, {word} on this machine, {ONE_CORE}"
    yield from load_basis(load, times, metered=best.result.joules_per_message is not None)


def shown_candidates(choice: Choice, most: int | None) -> list[Candidate]:
    """The user's own code, then the cheapest of each algorithm; without `most` all candidates.

    Of the user's code the cheapest `_OWN` come first, so that the winner stays in sight.
    """
    if most is None:
        return sorted(choice.ranking, key=lambda candidate: is_known(candidate.result.provider))
    own: dict[str, Candidate] = {}
    for candidate in choice.ranking:
        if not is_known(candidate.result.provider):
            own.setdefault(candidate.result.implementation, candidate)
    first = list(own.values())[:_OWN]
    return [*first, *(each for each in choice.best_of_each if each not in first)][:most]


def candidate_rows(
    candidates: Sequence[Candidate],
    first: Candidate,
    facts: Mapping[str, AlgorithmFacts],
    requirements: Requirements,
) -> Iterator[tuple[str, ...]]:
    """Cells under HEADINGS, a row for each candidate; `times` is over the cost of `first`."""
    for candidate in candidates:
        tied = candidate is not first and level(candidate.cost, first.cost)
        yield (
            candidate.result.algorithm,
            variant_of(candidate.result.implementation),
            str(candidate.result.batch),
            _cost_text(candidate, requirements),
            relative_text(candidate.cost.median / first.cost.median, tied=tied),
            f"{8 * facts[candidate.result.algorithm].output_bytes} bits",
            f"sessions {candidate.run}" if candidate.in_sessions else str(candidate.run),
        )


def reasons(choice: Choice) -> Iterator[tuple[str, str]]:
    """Each reason why algorithms are not in the ranking, with the algorithms."""
    for fallen_out in choice.fallen_out:
        yield fallen_out.reason, ", ".join(fallen_out.algorithms)
    if choice.not_measured:
        yield "not measured at this length", ", ".join(choice.not_measured)


def call_lines(
    choice: Choice, facts: ImplementationFacts, algorithm: AlgorithmFacts
) -> Iterator[tuple[str, str]]:
    """Each language in which the winner can be called, with the line of code for it.

    Args:
        choice: a choice with a winner.
        facts: what the winner says of itself.
        algorithm: the winner's. An algorithm with nonces is not in the library for C.
    """
    best = choice.ranking[0]
    result = best.result
    if facts.provider != OWN_PROVIDER:
        yield facts.provider, facts.note or f"see joulemark show {result.implementation}"
        return
    if algorithm.nonce_bytes:
        call = f'Key("{result.algorithm}", secret).tag(message, nonce=nonce)'
        yield "Python", f"joulemark.mac.{call}"
        return
    engine = choice.library_choice
    if engine and level(engine.cost, best.cost):
        find = f'jm_mac_find("{result.algorithm}")'
        call = f'Key("{result.algorithm}", secret).tag(message)'
        if facts.constant_time is False:
            find = f'jm_mac_find_variable_time("{result.algorithm}", NULL)'
            call = f'Key("{result.algorithm}", secret, variable_time=True).tag(message)'
        yield "Python", f"joulemark.mac.{call if result.batch == 1 else 'tag_many(keys, messages)'}"
    else:
        variant = variant_of(result.implementation)
        function = "variable_time" if facts.constant_time is False else "variant"
        find = f'jm_mac_find_{function}("{result.algorithm}", "{variant}")'
    arguments = f"messages, {result.batch}" if result.batch > 1 else "key, message, bytes, tag"
    function = "jm_mac_tag_batch" if result.batch > 1 else "jm_mac_tag"
    yield "C", f"{function}({find}, {arguments})"


def as_json(
    choice: Choice,
    facts: Mapping[str, AlgorithmFacts],
    requirements: Requirements,
    calls: Sequence[tuple[str, str]],
    load: OfferedLoad | None = None,
) -> JsonObject:
    """The choice for programs: the whole ranking, and the reasons with their algorithms."""
    figure = "joules_per_message" if requirements.order is Order.ENERGY else "seconds_per_message"
    return {
        "schema_version": CHOICE_VERSION,
        "requirements": asdict(requirements),
        "ranking": [
            {
                "implementation": candidate.result.implementation,
                "provider": candidate.result.provider,
                "batch": candidate.result.batch,
                "key_setup": candidate.result.key_setup,
                figure: candidate.cost.model_dump(mode="json"),
                "tag_bits": 8 * facts[candidate.result.algorithm].output_bytes,
                "status": facts[candidate.result.algorithm].status,
                "run": None if candidate.in_sessions else candidate.run,
                "sessions_point": candidate.run if candidate.in_sessions else None,
            }
            for candidate in choice.ranking
        ],
        "call": dict(calls),
        "load": None if load is None else _load_json(choice, load),
        "fallen_out": [asdict(fallen_out) for fallen_out in choice.fallen_out],
        "not_measured": list(choice.not_measured),
    }


def _cost_text(candidate: Candidate, requirements: Requirements) -> str:
    form = joules_text if requirements.order is Order.ENERGY else seconds_text
    return form(candidate.cost)


def _load_json(choice: Choice, load: OfferedLoad) -> JsonObject:
    """What was stated, and the cost of the load for each candidate, in the order of the ranking."""
    costs: list[JsonObject | None] = []
    for candidate in choice.ranking:
        seconds = candidate.result.seconds_per_message
        joules = candidate.result.joules_per_message
        costs.append(None if seconds is None else cost_json(load_cost(load, seconds, joules)))
    if (first := load_of_choice(choice, load)) is not None:
        costs[0] = cost_json(first)
    return {**asdict(load), "costs": costs}
