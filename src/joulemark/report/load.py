# SPDX-License-Identifier: Apache-2.0
"""A load in words: the cores, the power and the money that messages take which arrive all day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.analyse.load import LoadCost, OfferedLoad, load_cost
from joulemark.records.figures import Evidence
from joulemark.records.trial import HOST, Cache, KeySetup, Mode
from joulemark.report import JsonObject
from joulemark.report.style import is_known
from joulemark.report.words import KEY_WORDS, format_number, interval_text, length_text, watts_text
from joulemark.stats.clustered import highest_level
from joulemark.units import format_seconds, format_si

ONE_CORE: Final = "times the rate; cores do not slow one another down, and caches are warm"
"""End of the basis of figures that one core gave while the others were idle."""
_LEVEL: Final = 0.95
"""Confidence of the intervals of times."""


def load_text(load: OfferedLoad) -> str:
    """The load, as in "1 000 000 messages a second"."""
    rate = load.messages_per_second
    return f"{rate:,.0f}".replace(",", " ") + " messages a second"


def load_sentence(cost: LoadCost) -> str:
    """The cost of a load, as in "0.05 [0.049, 0.051] of a core; 51 ms of a core per million".

    The interval is that of the cores. Figures that follow from them by an exact factor have the
    same in proportion; a measured power has an interval of its own.
    """
    cores = _number(cost.cores)
    parts = [f"{cores} of a core" if cost.cores.median < 1 else f"{cores} cores"]
    if cost.cores_one_by_one is not None:
        one_by_one = format_number(cost.cores_one_by_one.median, digits=2)
        parts[0] += f" ({one_by_one} without batches)"
    parts.append(f"{format_seconds(cost.core_seconds_per_million.median)} of a core per million")
    if cost.watts is not None:
        modelled = cost.watts.evidence is Evidence.MODELLED
        watts = format_si(cost.watts.median, "W") if modelled else watts_text(cost.watts)
        parts.append(f"{watts} {cost.watts.evidence.value}")
    if cost.price_per_day is not None:
        price = format_number(cost.price_per_day.median)
        parts.append(f"{price} a day {cost.price_per_day.evidence.value}")
    return "; ".join(parts)


def load_basis(load: OfferedLoad, times: str, *, metered: bool = False) -> Iterator[str]:
    """Sentences on what the cost rests on."""
    yield f"times: {times}"
    watts, price = load.watts_per_core, load.price_per_core_hour
    if metered:
        yield "power: joules of a message by a meter, times the rate"
    elif watts is not None:
        yield f"power: modelled from {watts:g} W more for a core that works, as stated"
    if price is not None:
        yield f"a day: modelled from a price of {price:g} for a core and an hour, as stated"


def cost_json(cost: LoadCost) -> dict[str, Any]:
    """The cost of a load for programs: the sentence, and each figure or null."""
    figures = {field.name: getattr(cost, field.name) for field in fields(cost)}
    return {
        "sentence": load_sentence(cost),
        **{
            name: None if figure is None else figure.model_dump(mode="json")
            for name, figure in figures.items()
        },
    }


def _number(figure: Figure) -> str:
    if figure.samples == 1:
        return format_number(figure.median)
    text = interval_text(figure, lambda value, digits: format_number(value, digits=digits))
    if highest_level(figure.samples) >= _LEVEL:
        return text
    return f"{text[:-1]}, range of {figure.samples} windows]"


# The load of a run: of each algorithm and length the implementation that takes least of a core.


@dataclass(frozen=True, slots=True)
class LoadOfResult:
    """What a load takes with one implementation at one length."""

    result: Result
    cost: LoadCost

    @property
    def title(self) -> str:
        """As in "cmac-aes128/engine, 64 B, batch of 64, distinct keys"."""
        result = self.result
        words = [result.implementation, length_text(result)]
        if result.batch > 1:
            words.append(f"batch of {result.batch}")
        if result.key_setup is not KeySetup.KEPT:
            words.append(KEY_WORDS[result.key_setup])
        return ", ".join(words)


def loads_of_run(results: ResultSet, load: OfferedLoad) -> list[LoadOfResult]:
    """For each algorithm, length, cache and key the user's own code first, then the cheapest.

    Only software on this machine counts that was measured with messages which do not wait for one
    another. Keys that are kept and distinct keys of a batch stand for the same server. Code without
    a call for batches takes their messages one by one, so its figure of a batch counts only where
    single messages have none.
    """
    alike: dict[tuple[str, int, str, Cache, bool], list[tuple[float, Result]]] = {}
    for result in results.results:
        time = result.seconds_per_message
        if time is None or result.mode is not Mode.THROUGHPUT or result.target != HOST:
            continue
        if result.chosen is None and "#" not in result.implementation:
            fresh = result.key_setup is KeySetup.FRESH
            key = result.algorithm, result.size_bytes, result.mix, result.cache, fresh
            alike.setdefault(key, []).append((time.median, result))
    found = []
    for group in alike.values():
        in_order = [result for _, result in sorted(group, key=lambda entry: entry[0])]
        alone = {each.implementation: each for each in reversed(in_order) if each.batch == 1}
        ranked = [
            result
            for result in in_order
            if result.batch == 1
            or result.batch_calls is not False
            or result.implementation not in alone
        ]
        own = next((result for result in ranked if not is_known(result.provider)), None)
        shown = ranked[:1] if own is None or own is ranked[0] else [own, ranked[0]]
        found += [
            LoadOfResult(result, _cost(load, result, alone.get(result.implementation)))
            for result in shown
        ]
    return found


def _cost(load: OfferedLoad, result: Result, alone: Result | None) -> LoadCost:
    assert result.seconds_per_message is not None, "a result without a time is not ranked"
    one_by_one = alone.seconds_per_message if alone is not None and result.batch > 1 else None
    return load_cost(
        load, result.seconds_per_message, result.joules_per_message, one_by_one=one_by_one
    )


def load_of_run_json(load: OfferedLoad, found: Sequence[LoadOfResult]) -> JsonObject:
    """What was stated, and the cost with each of the implementations."""
    costs = [
        {
            "implementation": entry.result.implementation,
            "size_bytes": entry.result.size_bytes,
            "mix": entry.result.mix,
            "cache": entry.result.cache,
            "key_setup": entry.result.key_setup,
            "batch": entry.result.batch,
            **cost_json(entry.cost),
        }
        for entry in found
    ]
    return {**asdict(load), "costs": costs}
