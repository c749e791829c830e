# SPDX-License-Identifier: Apache-2.0
"""Results that may stand side by side: groups of competitors, and words for their workloads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.trial import HOST, RTL, Cache, KeySetup, is_firmware, mix_title
from joulemark.report.figures import LEVEL_RATIO
from joulemark.units import format_bytes

PREFERRED_ALGORITHM = "hmac-sha256"
PREFERRED_SIZE_BYTES = 64

_WORDS_AND_NUMBER = re.compile(r"(\D*)(\d*)")
_CACHES = {Cache.HOT: "hot cache", Cache.COLD: "cold cache"}
_KEYS = {
    KeySetup.KEPT: "key kept",
    KeySetup.FRESH: "fresh key each message",
    KeySetup.DISTINCT: "distinct keys",
}


def workload_label(result: Result, *, batch: bool = True) -> str:
    """A workload without its length, as in "throughput, hot cache, key kept".

    A core in a simulator has no cache, and its key set-up is counted apart; so is that of firmware.

    Args:
        result: of the workload.
        batch: whether the batch is named.
    """
    if result.target == RTL:
        return f"{result.mode}, on {result.target}"
    if is_firmware(result.target):
        return f"on {result.target}"
    words = [str(result.mode), _CACHES[result.cache], _KEYS[result.key_setup]]
    if batch and result.batch != 1:
        words.append(f"batch of {result.batch}")
    if result.mix:
        words.append(mix_title(result.mix))
    if result.target != HOST:
        words.append(f"on {result.target}")
    return ", ".join(words)


def variant_of(implementation: str) -> str:
    """The part of an implementation's id after the algorithm, with any twin suffix."""
    return implementation.split("/", 1)[-1]


def shown_name(result: Result) -> str:
    """Variant as shown under its algorithm; `auto` with the variant for which it stands.

    The name says so where the messages of a batch are taken in single calls.
    """
    variant = variant_of(result.implementation)
    if result.chosen:
        variant = f"{variant} = {result.chosen}"
    return f"{variant}, one by one" if result.batch > 1 and result.batch_calls is False else variant


def length_text(result: Result) -> str:
    """Length of the messages of a result; of a mix, the mean."""
    return f"mean {result.size_bytes} B" if result.mix else format_bytes(result.size_bytes)


def algorithms(results: Iterable[Result]) -> list[str]:
    """Algorithms present, in alphabetical order."""
    return sorted({result.algorithm for result in results})


def workloads(results: Iterable[Result]) -> list[str]:
    """Workload labels present, the one with most results first."""
    counts = Counter(workload_label(result) for result in results)
    return sorted(counts, key=lambda label: (-counts[label], _by_numbers(label)))


def sizes(results: Iterable[Result]) -> list[int]:
    """Message lengths present, ascending, in bytes."""
    return sorted({result.size_bytes for result in results})


def default_algorithm(results: Iterable[Result]) -> str | None:
    """The algorithm with most implementations; among equals hmac-sha256, then the first name."""
    members: dict[str, set[str]] = {}
    for result in results:
        members.setdefault(result.algorithm, set()).add(result.implementation)
    if not members:
        return None
    return min(members, key=lambda name: (-len(members[name]), name != PREFERRED_ALGORITHM, name))


def default_size(results: Iterable[Result]) -> int | None:
    """64 bytes where it was asked for, else the length with most results, the shortest first."""
    counts = Counter(result.size_bytes for result in results)
    if not counts:
        return None
    if PREFERRED_SIZE_BYTES in counts:
        return PREFERRED_SIZE_BYTES
    return min(counts, key=lambda size: (-counts[size], size))


@dataclass(frozen=True, slots=True)
class Group:
    """Results of one algorithm, workload and length: the only ones that are ranked together."""

    algorithm: str
    workload: str
    size_bytes: int
    results: tuple[Result, ...]
    """Fastest first; those without a time, or clocks of a core, last, by name."""

    @property
    def length_text(self) -> str:
        """Length of the messages; of a mix, the mean."""
        return length_text(self.results[0])

    def relative(self, result: Result) -> float | None:
        """Median of a result over the fastest median; None where either has no figure."""
        fastest, own = duration(self.results[0]), duration(result)
        if fastest is None or own is None or fastest.median <= 0:
            return None
        return own.median / fastest.median

    def tied(self, result: Result) -> bool:
        """Whether a result and the fastest are level, as `level` says.

        The fastest is tied if any other result is.
        """
        fastest, own = duration(self.results[0]), duration(result)
        if fastest is None or own is None:
            return False
        if result is self.results[0]:
            return any(self.tied(other) for other in self.results[1:])
        return level(own, fastest)


def level(one: Figure, other: Figure) -> bool:
    """Whether neither is the faster: intervals overlap, or medians are within LEVEL_RATIO."""
    overlap = one.low <= other.high and other.low <= one.high
    return overlap or max(one.median, other.median) <= LEVEL_RATIO * min(one.median, other.median)


def groups(results: ResultSet) -> list[Group]:
    """Every group, by algorithm, then workload (most results first), then length."""
    order = {label: place for place, label in enumerate(workloads(results.results))}
    members: dict[tuple[str, int, int], list[Result]] = {}
    for result in results.results:
        key = (result.algorithm, order[workload_label(result)], result.size_bytes)
        members.setdefault(key, []).append(result)
    return [
        Group(key[0], workload_label(group[0]), key[2], tuple(sorted(group, key=_speed)))
        for key, group in sorted(members.items(), key=lambda item: item[0])
    ]


def only(results: ResultSet, algorithm: str) -> ResultSet:
    """The same run with one algorithm alone."""
    return results.model_copy(
        update={
            "results": [result for result in results.results if result.algorithm == algorithm],
            "failures": [
                failure
                for failure in results.failures
                if failure.implementation.split("/", 1)[0] == algorithm
            ],
            "core_reports": [
                report for report in results.core_reports if report.algorithm == algorithm
            ],
            "raw": None,
        }
    )


def duration(result: Result) -> Figure | None:
    """The figure by which the results of a group are ranked.

    It is the time, for a simulated core the clocks, on a firmware target the core cycles. A group
    has one target, so these never meet.
    """
    if is_firmware(result.target):
        return result.core_cycles_per_message
    return result.clocks_per_message if result.target == RTL else result.seconds_per_message


def _speed(result: Result) -> tuple[bool, float, str]:
    figure = duration(result)
    return (figure is None, figure.median if figure else 0.0, result.implementation)


def _by_numbers(label: str) -> list[tuple[str, int]]:
    """Key by which a batch of 16 is sorted before a batch of 128."""
    return [(words, int(part or 0)) for words, part in _WORDS_AND_NUMBER.findall(label)]
