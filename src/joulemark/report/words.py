# SPDX-License-Identifier: Apache-2.0
"""Figures and workloads in words: a median with its interval, numbered doubts, groups of rivals."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from joulemark.analyse import Figure, Repeatability, Result, ResultSet
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.figures import Doubt, DoubtKind, FigureUnit
from joulemark.records.trial import HOST, RTL, Cache, KeySetup, is_firmware, mix_title
from joulemark.units import format_bytes, format_percent, format_seconds, format_si

# Figures as text: a median, its interval, its evidence word.

EVIDENCE_MEANING = {
    "measured": "read from an instrument on the target while the code ran",
    "simulated": "counted in an exact model of the target, such as a circuit simulation",
    "modelled": "computed from measured figures or tables with a formula, not read directly",
    "published": "copied from a publication; not obtained here",
}
_DIGITS = (3, 4, 5)
_PLAIN: Final = (FigureUnit.CORE_CYCLES, FigureUnit.TSC_TICKS)
"""Units that the heading names, so that a figure is a number alone."""
_WHOLE: Final = (FigureUnit.COUNT, FigureUnit.GATES, FigureUnit.SQUARE_MICROMETRES)


def format_number(value: float, *, digits: int = 3) -> str:
    """A number without unit or exponent, as in "3.21", "1240" or "0.0042"."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded)) + 1e-12))
    text = f"{rounded:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _digits_of(figure: Figure, form: Callable[[float, int], str]) -> int:
    """The fewest digits with which the ends of the interval read differently, if they do."""
    for digits in _DIGITS:
        if figure.low == figure.high or form(figure.low, digits) != form(figure.high, digits):
            return digits
    return _DIGITS[-1]


def interval_text(figure: Figure, form: Callable[[float, int], str]) -> str:
    """Median with interval, as in "85.9 ns [85.1, 86.4]".

    A unit that all three share is written once. Digits are added, up to five, as long as the ends
    of a narrow interval would read the same.
    """
    digits = _digits_of(figure, form)
    median, low, high = (form(x, digits) for x in (figure.median, figure.low, figure.high))
    units = {text.partition(" ")[2] for text in (median, low, high)}
    if len(units) == 1:
        low, high = low.partition(" ")[0], high.partition(" ")[0]
    return f"{median} [{low}, {high}]"


def _value_text(unit: FigureUnit, value: float, *, digits: int = 3) -> str:
    """A value with its unit, as in "41.8 MHz"; clocks and areas keep all whole digits."""
    if unit in (FigureUnit.CLOCKS, FigureUnit.INSTRUCTIONS, FigureUnit.BYTES):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if unit in _PLAIN:
        return format_number(value, digits=digits)
    if unit in _WHOLE:
        number = f"{value:.0f}" if abs(value) >= 1000 else format_number(value, digits=4)
        return f"{number} {unit.value}".rstrip()
    return format_si(value, unit.value, digits=digits)


def core_figure_text(field: str, value: float | None) -> str:
    """A figure of a core's report, as in "41.81 MHz"; a dash for None."""
    unit = CORE_FIGURES[field].unit
    digits = 4 if unit is FigureUnit.HERTZ else 3
    return "-" if value is None else _value_text(unit, value, digits=digits)


def clocks_text(figure: Figure) -> str:
    """Clocks of a core: exact, so without an interval, and without decimals if they are whole."""
    return _value_text(FigureUnit.CLOCKS, figure.median)


def _with_interval(unit: FigureUnit) -> Callable[[Figure], str]:
    def form(value: float, digits: int) -> str:
        return _value_text(unit, value, digits=digits)

    return lambda figure: interval_text(figure, form)


UNIT_TEXT: Final[Mapping[FigureUnit, Callable[[Figure], str]]] = {
    unit: clocks_text if unit is FigureUnit.CLOCKS else _with_interval(unit) for unit in FigureUnit
}
"""Unit -> function that writes a figure of that unit, with its interval."""
seconds_text = UNIT_TEXT[FigureUnit.SECONDS]
joules_text = UNIT_TEXT[FigureUnit.JOULES]
watts_text = UNIT_TEXT[FigureUnit.WATTS]
joule_seconds_text = UNIT_TEXT[FigureUnit.JOULE_SECONDS]
number_text = UNIT_TEXT[FigureUnit.CORE_CYCLES]

TIED: Final = "~"
"""Sign before a ratio to the fastest if the two are not told apart."""
TIED_MEANING: Final = (
    "not told apart from the fastest: their intervals overlap, or 1 % at most lies between them"
)
LEVEL_RATIO: Final = 1.01
"""Largest ratio of medians that are level, however narrow their intervals; `compare` has the same
threshold."""


def relative_text(ratio: float | None, *, tied: bool = False) -> str:
    """A ratio to the fastest, with two decimals up to ten; a dash if it is unknown."""
    if ratio is None or not math.isfinite(ratio):
        return "-"
    return f"{TIED if tied else ''}{ratio:.{2 if ratio < 10 else 0}f}\N{MULTIPLICATION SIGN}"


def repeatability_text(repeatability: Repeatability | None) -> str:
    """How much the median moved between runs, as in "+-1.2 % of 5"; a dash if it is unknown."""
    if repeatability is None:
        return "-"
    return f"+-{format_percent(repeatability.half_range)} of {repeatability.runs}"


def minimum_text(figure: Figure) -> str:
    """Time of the fastest sample."""
    return format_seconds(figure.minimum)


def quartiles_text(figure: Figure) -> str:
    """Minimum and quartiles, as in "81 ns, 83 ns to 90 ns", with the digits of the interval."""

    def form(seconds: float, digits: int) -> str:
        return format_seconds(seconds, digits=digits)

    digits = _digits_of(figure, form)
    low, high = (form(value, digits) for value in (figure.quartile_1, figure.quartile_3))
    return f"{form(figure.minimum, digits)}, {low} to {high}"


# Numbered notes below a table: warnings of the same kind share a number, a count, an example.

_OTHER_PROGRAMS = {
    DoubtKind.INTERRUPTED,
    DoubtKind.OFF_CPU,
    DoubtKind.SHARED_CORE,
    DoubtKind.FOREIGN_CPU,
    DoubtKind.STEAL,
}
"""Another program had the CPU, or its core. Different counters see it, a quiet machine mends it."""


def cause_of(doubt: Doubt) -> DoubtKind | Doubt:
    """The cause of a doubt: doubts with one remedy have one cause.

    A doubt of no known kind is its own cause, so such doubts agree only if they read the same.
    """
    if doubt.kind is DoubtKind.OTHER:
        return doubt
    return DoubtKind.FOREIGN_CPU if doubt.kind in _OTHER_PROGRAMS else doubt.kind


@dataclass
class _Note:
    number: int
    example: str
    times: int = 0


class DoubtNumbers:
    """Collects doubts and hands out the numbers of their kinds, from 1.

    Doubts of no known kind share a number where they read the same.

    Args:
        by_cause: kinds of one cause share a number too.
    """

    def __init__(self, *, by_cause: bool = False) -> None:
        self._by_cause = by_cause
        self._notes: dict[DoubtKind | Doubt, _Note] = {}

    def numbers(self, doubts: Iterable[Doubt]) -> list[int]:
        """Numbers of the kinds of `doubts`, ascending; a cause has one number."""
        numbers: list[int] = []
        for doubt in doubts:
            together = self._by_cause or doubt.kind is DoubtKind.OTHER
            key = cause_of(doubt) if together else doubt.kind
            note = self._notes.setdefault(key, _Note(len(self._notes) + 1, doubt.sentence))
            if self._by_cause and note.number in numbers:
                continue
            note.times += 1
            numbers.append(note.number)
        return sorted(numbers)

    def legend(self) -> list[tuple[int, str]]:
        """Number and text of every kind so far, in order; the first warning stands for its kind."""
        more = " ({} trials carry this warning; this is the first.)"
        return [
            (note.number, note.example + (more.format(note.times) if note.times > 1 else ""))
            for note in self._notes.values()
        ]


# Results that may stand side by side: groups of competitors, and words for their workloads.

PREFERRED_ALGORITHM = "hmac-sha256"
PREFERRED_SIZE_BYTES = 64

_WORDS_AND_NUMBER = re.compile(r"(\D*)(\d*)")
_CACHES = {Cache.HOT: "hot cache", Cache.COLD: "cold cache"}
KEY_WORDS: Final = {
    KeySetup.KEPT: "key kept",
    KeySetup.FRESH: "fresh key each message",
    KeySetup.DISTINCT: "distinct keys",
}


def workload_label(result: Result, *, batch: bool = True) -> str:
    """A workload without its length, as in "throughput, hot cache, key kept".

    A core in a simulator has no cache, and its key set-up is counted apart; so is that of firmware.
    """
    if result.target == RTL:
        return f"{result.mode}, on {result.target}"
    if is_firmware(result.target):
        return f"on {result.target}"
    words = [str(result.mode), _CACHES[result.cache], KEY_WORDS[result.key_setup]]
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
