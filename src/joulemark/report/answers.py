# SPDX-License-Identifier: Apache-2.0
"""The answer of a run: the fastest of ours and of each other provider, and what is doubtful."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.analyse.machine_load import SO_IN
from joulemark.records import FailureKind
from joulemark.records.figures import Doubt, DoubtKind
from joulemark.records.trial import HOST
from joulemark.report.columns import few
from joulemark.report.style import OWN_PROVIDER, is_known
from joulemark.report.words import Group, algorithms, cause_of, duration, groups, level
from joulemark.units import format_bytes

SCREEN_RESULTS = 20
"""Up to so many results the whole table fits a screen."""
_SHORT_BYTES, _MIDDLE_BYTES = 64, 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """One algorithm at one workload and length."""

    algorithm: str
    length_text: str
    ours: Result | None
    """The fastest of ours."""
    libraries: Mapping[str, Result]
    """Side but ours (`side_of`) -> the fastest of it, the fastest side first."""

    @property
    def best(self) -> Result | None:
        """The fastest of all providers but ours."""
        return next(iter(self.libraries.values()), None)

    @property
    def yours(self) -> Mapping[str, Result]:
        """The sides that are the user's own code."""
        return {
            name: result for name, result in self.libraries.items() if not is_known(result.provider)
        }

    @property
    def factor(self) -> float | None:
        """Time of the fastest library over that of ours; None without one of them."""
        ours, best = self._times()
        return best.median / ours.median if ours and best and ours.median > 0 else None

    @property
    def factor_bounds(self) -> tuple[float, float] | None:
        """The least and the greatest factor that the intervals of both medians allow."""
        ours, best = self._times()
        if ours is None or best is None or ours.low <= 0:
            return None
        return best.low / ours.high, best.high / ours.low

    @property
    def tied(self) -> bool:
        """Whether both are level, so that neither is the faster."""
        ours, best = self._times()
        return bool(ours and best and level(ours, best))

    @property
    def doubtful(self) -> bool:
        """Whether one of the two compared figures carries a doubt that the others lack."""
        return any(result.warnings for result in (self.ours, self.best) if result)

    def _times(self) -> tuple[Figure | None, Figure | None]:
        best = self.best
        return duration(self.ours) if self.ours else None, duration(best) if best else None


@dataclass(frozen=True, slots=True)
class Block:
    """Answers that stand together under one heading."""

    heading: str
    """The length that the answers share, or the algorithm if there is only one."""
    workload: str
    rows: tuple[tuple[str, Answer], ...]
    """Each answer behind its label: the algorithm, or the length if there is only one algorithm."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often ours is faster than the fastest library, in all lengths and workloads of a run."""

    faster: int = 0
    tied: int = 0
    slower: int = 0

    @property
    def total(self) -> int:
        """Comparisons of ours with the fastest library."""
        return self.faster + self.tied + self.slower


def has_answer(results: ResultSet) -> bool:
    """Whether the short answer is enough: it is shorter than the table and leaves nothing out.

    The answer compares times with those of other providers. Joules of a meter, simulated targets,
    and times that were obtained in different ways need the table; modelled joules are times too.
    """
    every = results.results
    times = [result.seconds_per_message for result in every]
    return (
        len(every) > SCREEN_RESULTS
        and len({result.provider for result in every}) > 1
        and len({time.evidence for time in times if time}) == 1
        and not any(result.target != HOST or result.energy for result in every)
    )


def blocks(results: ResultSet, lengths: int) -> list[Block]:
    """A block for each workload and length; with one algorithm, one for each workload.

    Args:
        results: of a run.
        lengths: how many of each workload are shown, at most; of a single algorithm all are.
    """
    by_workload: dict[str, dict[int, list[Answer]]] = {}
    for group in groups(results):
        if duration(group.results[0]) is not None:
            sizes = by_workload.setdefault(group.workload, {})
            sizes.setdefault(group.size_bytes, []).append(_answer(group))
    alone = len(algorithms(results.results)) == 1
    shown = []
    for workload, answers in by_workload.items():
        if alone:
            rows = [(a.length_text, a) for size in sorted(answers) for a in answers[size]]
            shown.append(Block(rows[0][1].algorithm, workload, tuple(rows)))
            continue
        for size in _chosen(answers, lengths):
            named = tuple((answer.algorithm, answer) for answer in answers[size])
            shown.append(Block(answers[size][0].length_text, workload, named))
    return shown


def compared(results: ResultSet) -> list[Answer]:
    """The answers in which ours and a library have a time."""
    return [answer for group in groups(results) if (answer := _answer(group)).factor is not None]


def tally(results: ResultSet) -> Tally:
    """How ours stands against the fastest library, wherever both have a time."""
    answers = compared(results)
    tied = sum(answer.tied for answer in answers)
    faster = sum(not answer.tied and (answer.factor or 0) > 1 for answer in answers)
    return Tally(faster, tied, len(answers) - tied - faster)


def side_of(result: Result) -> str:
    """The name of those whose code it is: the provider; of added code the variant alone."""
    own = result.provider.removesuffix(f"-{result.algorithm}")
    return result.provider if is_known(result.provider) or is_known(own) else own


def opponents(results: ResultSet) -> list[str]:
    """The sides that ours is compared with somewhere in a run, in alphabetical order."""
    answers = (_answer(group) for group in groups(results))
    return sorted({name for answer in answers if answer.ours for name in answer.libraries})


def missing_libraries(results: ResultSet) -> list[str]:
    """Libraries that Joulemark can measure and that the run's machine did not have."""
    measured = {result.provider for result in results.results}
    named = {
        failure.implementation.removeprefix("*/")
        for failure in results.failures
        if failure.implementation.startswith("*/")
    }
    return sorted(name for name in named - measured if is_known(name))


def missing_words(results: ResultSet) -> str:
    """The missing libraries as the end of a sentence; empty where none is missing."""
    missing = missing_libraries(results)
    return f"; not installed: {', '.join(missing)}" if missing else ""


def rival(results: ResultSet, which: str) -> str:
    """The other side of the comparison: the best library, a plugin, or the best of both, in words.

    Args:
        results: of a run.
        which: a superlative, such as "fastest".
    """
    others = {side_of(result) for result in results.results} - {OWN_PROVIDER}
    if all(map(is_known, others)):
        return f"the {which} library measured"
    return f"plugin {min(others)}" if len(others) == 1 else f"the {which} other measured"


def _answer(group: Group) -> Answer:
    first: dict[str, Result] = {}
    for result in group.results:  # the fastest first
        if duration(result) is not None:
            first.setdefault(side_of(result), result)
    ours = first.pop(OWN_PROVIDER, None)
    return Answer(group.algorithm, group.length_text, ours, first)


def _chosen(sizes: Iterable[int], count: int) -> Sequence[int]:
    """At most `count` lengths: 64 B, the longest and 1 KiB before others, then the shortest."""
    known = sorted(sizes)
    preferred = [_SHORT_BYTES, known[-1], _MIDDLE_BYTES]
    order = dict.fromkeys([*(size for size in preferred if size in known), *known])
    return sorted([*order][:count])


# Doubts about a whole run, and implementations without a figure, each in one line.

_ENDS = (": ", "; ", ". ", " (")
"""Signs that end the first clause of a sentence."""
_ABSENT = {FailureKind.UNAVAILABLE, FailureKind.REFUSED}
"""Failures that are only counted: nothing is wrong with the implementation."""


def run_doubts(results: ResultSet) -> Iterator[str]:
    """One line for each cause of doubt about the whole run: the first clause of its sentence.

    The whole sentence, with what to do, stands below the long table and on the page.
    """
    lines: dict[DoubtKind | Doubt, str] = {}
    for sentence in results.warnings:
        text, shared, trials = sentence.partition(SO_IN)
        doubt = Doubt.from_sentence(text)
        which = f"Doubt in {trials.rstrip('.')}" if shared else "Doubt"
        lines.setdefault(cause_of(doubt), f"{which}: {_first_clause(doubt.text)}")
    yield from lines.values()


def slow_medians(results: ResultSet) -> Iterator[str]:
    """One line on how far medians lie above the fastest sample, if some trials have that doubt.

    If so many have it that it is a doubt about the run, `run_doubts` says it instead.
    """
    ratios = [
        figure.median / figure.minimum
        for result in results.results
        if any(doubt.kind is DoubtKind.SLOW_MEDIAN for doubt in result.warnings)
        and (figure := result.seconds_per_message)
        and figure.minimum > 0
    ]
    if ratios:
        yield (
            f"In {len(ratios)} of {len(results.results)} trials the median is up to "
            f"{max(ratios):.1f} times the fastest sample: a quiet machine gives lower times"
        )


def _first_clause(sentence: str) -> str:
    ends = [place for mark in _ENDS if (place := sentence.find(mark)) > 0]
    return sentence[: min(ends, default=len(sentence))].rstrip(".")


def without_figure(results: ResultSet) -> Iterator[str]:
    """Names the implementations that failed, and counts the absent ones."""
    failed = [
        f"{failure.implementation}{_at(failure.size_bytes)} ({failure.kind.value})"
        for failure in results.failures
        if failure.kind not in _ABSENT
    ]
    if failed:
        yield f"Without a figure: {few(failed)}"
    counted = Counter(failure.kind.value for failure in results.failures if failure.kind in _ABSENT)
    if counted:
        text = ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))
        yield f"Not measured: {text}"


def _at(size_bytes: int | None) -> str:
    return "" if size_bytes is None else f" at {format_bytes(size_bytes)}"
