# SPDX-License-Identifier: Apache-2.0
"""The choice of a MAC in words: the winner, the candidates, the reasons, and the call to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Final

from joulemark.analyse.choice import Accepted, Candidate, Choice, Order, Requirements
from joulemark.analyse.load import LoadCost, OfferedLoad, load_cost
from joulemark.analyse.results import Figure
from joulemark.catalogue.algorithms import AlgorithmFacts
from joulemark.records import ImplementationFacts
from joulemark.records.figures import FigureUnit
from joulemark.report.sheet import JsonObject
from joulemark.report.style import OWN_PROVIDER
from joulemark.report.words import (
    UNIT_TEXT,
    format_number,
    interval_text,
    joules_text,
    level,
    relative_text,
    seconds_text,
    variant_of,
)
from joulemark.units import format_bytes

CHOICE_VERSION: Final = 2
"""Version of the JSON that `choose` prints."""
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


def load_text(load: OfferedLoad) -> str:
    """The load, as in "1 000 000 messages a second"."""
    rate = load.messages_per_second
    return f"{rate:,.0f}".replace(",", " ") + " messages a second"


def load_rows(choice: Choice, load: OfferedLoad) -> Iterator[tuple[str, str]]:
    """What a load takes with the winner: cores, power, money, and what the figures rest on.

    Args:
        choice: a choice with a winner.
        load: what arrives.
    """
    best = choice.ranking[0]
    seconds = best.result.seconds_per_message
    if seconds is None:
        return
    cost = load_cost(load, seconds, best.result.joules_per_message)
    alone = choice.one_by_one
    without = ""
    if best.result.batch > 1 and alone is not None and alone.result.seconds_per_message:
        cores = alone.result.seconds_per_message.median * load.messages_per_second
        without = f"; {format_number(cores, digits=2)} without batches"
    yield "cores", f"{_number(cost.cores)} of a core at work{without}"
    million = seconds_text(cost.core_seconds_per_million)
    yield "a million", f"{million} of a core"
    if cost.watts is not None:
        why = "by a meter" if best.result.joules_per_message else _stated(load.watts_per_core, "W")
        watts = UNIT_TEXT[FigureUnit.WATTS](cost.watts)
        yield "power", f"{watts}, {cost.watts.evidence.value}: {why}"
    if cost.price_per_day is not None:
        why = _stated(load.price_per_core_hour, "an hour")
        price = _number(cost.price_per_day)
        yield "price", f"{price} a day, {cost.price_per_day.evidence.value}: {why}"
    where = "sessions" if best.in_sessions else "run"
    measured = f"{where} {best.run}, {seconds.evidence.value} on this machine, times the rate"
    yield "rests on", f"{measured}: cores do not slow one another down, and caches are warm"


def _number(figure: Figure) -> str:
    return interval_text(figure, lambda value, digits: format_number(value, digits=digits))


def _stated(value: float | None, unit: str) -> str:
    return f"{value:g} {unit} for a core, as stated"


def candidate_rows(
    candidates: Sequence[Candidate], facts: Mapping[str, AlgorithmFacts], requirements: Requirements
) -> Iterator[tuple[str, ...]]:
    """Cells under HEADINGS, a row for each candidate; `times` is over the cost of the first."""
    first = candidates[0]
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
        costs.append(None if seconds is None else _cost_json(load_cost(load, seconds, joules)))
    return {**asdict(load), "costs": costs}


def _cost_json(cost: LoadCost) -> JsonObject:
    figures = {field.name: getattr(cost, field.name) for field in fields(cost)}
    return {
        name: None if figure is None else figure.model_dump(mode="json")
        for name, figure in figures.items()
    }
