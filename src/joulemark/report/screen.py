# SPDX-License-Identifier: Apache-2.0
"""The end of a run on one screen: who is the fastest, by how much, and what is doubtful.

Lines are as long as their text and no longer, columns leave before a line would wrap, and signs say
what colours say: nothing is lost in a file or behind a pipe.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.foreign import visible
from joulemark.report import NONE
from joulemark.report.answers import (
    Answer,
    Block,
    blocks,
    compared,
    missing_words,
    opponents,
    rival,
    run_doubts,
    side_of,
    slow_medians,
    tally,
    without_figure,
)
from joulemark.report.circumstances import section
from joulemark.report.draw import StyledLine
from joulemark.report.style import is_known
from joulemark.report.words import TIED, duration, format_number, level, relative_text, shown_name

LINES = 42
"""Most lines, also without a terminal: three lengths of ten algorithms, and the doubts."""
_LENGTHS = 3
_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_JOULE_UNITS = (("J", 1.0), ("mJ", 1e-3), ("µJ", 1e-6), ("nJ", 1e-9))
_GAP = " "
_BEST, _DOUBTFUL = "*", "!"
_FIRST_LIBRARY = "openssl"
"""The library that everybody knows stands beside ours, whatever its speed."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The end of `joulemark bench`, for a terminal of any width."""

    results: ResultSet
    more: str
    """The command that shows everything."""

    def lines(self, width: int, limit: int = LINES) -> list[StyledLine]:
        """The screen with as many lengths, up to three, as `limit` lines hold; at least one."""
        for lengths in range(_LENGTHS, 0, -1):
            lines = self._lines(blocks(self.results, lengths), width)
            if len(lines) <= limit:
                break
        return lines

    def _lines(self, shown: Sequence[Block], width: int) -> list[StyledLine]:
        return [
            *_wrapped(_own_sentence(self.results), width, "bold"),
            *_wrapped(_sentence(self.results), width, "bold"),
            *_wrapped(f"{_title(shown)}{_core_of(self.results)}", width),
            *_table(shown, width),
            *(line for note in self._notes(shown, width) for line in _wrapped(note, width)),
            *_last(self.more, width),
        ]

    def _notes(self, shown: Sequence[Block], width: int) -> Iterator[str]:
        answers = [answer for block in shown for _, answer in block.rows]
        other = rival(self.results, "fastest")
        if any(answer.factor is not None for answer in answers):
            yield f"factor: time of {other} ({_BEST}) over ours; {TIED} not told apart"
        if any(answer.doubtful for answer in answers):
            yield f"{_DOUBTFUL} ours or {other} is less certain than the others"
        if _columns(shown, width).joules:
            yield (
                "modelled: energy of a message of ours, its time at the "
                f"{self.results.context['modelled_watts']:g} W that you stated"
            )
        if hidden := _columns(shown, width).hidden:
            yield f"Not shown for want of width: {', '.join(hidden)}"
        yield from run_doubts(self.results)
        yield from slow_medians(self.results)
        yield from without_figure(self.results)


def _title(shown: Sequence[Block]) -> str:
    kinds = {figure.evidence.value for block in shown for figure in _durations(block)}
    workloads = {block.workload for block in shown}
    where = f"; {workloads.pop()}" if len(workloads) == 1 else ""
    return f"Time per message, {', '.join(sorted(kinds))}: medians{where}"


def _core_of(results: ResultSet) -> str:
    """The kind of core that was measured, on a machine with several; empty on others."""
    conditions = section(results, "run").get("conditions") or {}
    kind = conditions.get("core_kind")
    return f"; CPU {conditions.get('cpu')} ({kind})" if kind else ""


def _own_sentence(results: ResultSet) -> str:
    """How the user's own code stands against ours; empty where `_one_comparison` says it."""
    answers = [answer for answer in compared(results) if answer.yours]
    if len(answers) == 1 and [*answers[0].yours.values()] == [answers[0].best]:
        return ""
    counts: dict[str, Counter[str]] = {}
    for answer in answers:
        ours = duration(answer.ours) if answer.ours else None
        for name, result in answer.yours.items():
            if ours and (yours := duration(result)):
                word = "faster" if yours.median < ours.median else "slower"
                words = "not told apart" if level(yours, ours) else word
                counts.setdefault(name, Counter())[words] += 1
    each = [
        f"{name} {', '.join(f'{words} in {count}' for words, count in found.most_common())}"
        for name, found in counts.items()
    ]
    return f"Yours against ours: {'; '.join(each)}" if each else ""


def _sentence(results: ResultSet) -> str:
    answers = compared(results)
    if not answers:
        return ""
    if len(answers) == 1:
        return _one_comparison(answers[0], results)
    score = tally(results)
    others = opponents(results)
    plugin = "plugin " if len(others) == 1 and not is_known(others[0]) else ""
    against = f"the fastest of {', '.join(others)}" if len(others) > 1 else plugin + others[0]
    return (
        f"Ours against {against}: faster in {score.faster}, slower in {score.slower}, "
        f"not told apart in {score.tied}{missing_words(results)}"
    )


def _one_comparison(answer: Answer, results: ResultSet) -> str:
    """The answer of a run with one comparison, as in "hmac-sha256 of 64 B: ours 1.28 times ...".

    The ends of the interval are those of both medians at their worst, which is wider than 95 %.
    """
    best, factor, bounds = answer.best, answer.factor, answer.factor_bounds
    if best is None or factor is None or bounds is None:
        return ""
    other = rival(results, "fastest")
    whom = other if other.endswith(f" {side_of(best)}") else f"{side_of(best)}, {other}"
    what = f"{answer.algorithm} of {answer.length_text}: ours "
    if answer.tied:
        return f"{what}is not told apart from {whom}{missing_words(results)}"
    faster = factor > 1
    ratio, low, high = (factor, *bounds) if faster else (1 / factor, 1 / bounds[1], 1 / bounds[0])
    size = f"{ratio:.2f} times [{low:.2f}, {high:.2f}]"
    how = f"is {size} as fast as" if faster else f"takes {size} as long as"
    return f"{what}{how} {whom}{missing_words(results)}"


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns that a width has room for."""

    yours: tuple[str, ...]
    """The user's own code, which stands first."""
    libraries: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    """Own code and libraries that had to leave."""
    named: bool = False
    """Whether the names of our fastest implementations are shown."""
    joules: bool = False
    """Whether the energy of ours is shown, modelled by a power that the user stated."""


def _table(shown: Sequence[Block], width: int) -> Iterator[StyledLine]:
    columns = _columns(shown, width)
    several = len({block.workload for block in shown}) > 1
    lines = [_cells(block, columns) for block in shown]
    widths = _widths(lines)
    for block, rows in zip(shown, lines, strict=True):
        if several:
            yield ((visible(block.workload), "italic"),)
        for row in rows:
            yield _line(row, widths)


def _cells(block: Block, columns: _Columns) -> list[StyledLine]:
    """The headings of a block and its rows."""
    unit, scale = _unit(block)
    names = ["ours is"] if columns.named else []
    joules, scale_joules = _joules_unit(block)
    modelled = [f"modelled {joules}"] if columns.joules else []
    head = (f"{block.heading}, {unit}", *columns.yours)
    headings = [*head, "ours", *modelled, "factor", *columns.libraries, *names, ""]
    rows = [_row(label, answer, columns, scale, scale_joules) for label, answer in block.rows]
    return [tuple((heading, "bold") for heading in headings), *rows]


def _row(
    label: str, answer: Answer, columns: _Columns, scale: float, scale_joules: float
) -> StyledLine:
    factor = answer.factor
    style = "" if factor is None or answer.tied else "green" if factor > 1 else "red"
    cells = [
        (label, ""),
        *(_side(name, answer, scale) for name in columns.yours),
        (_time(answer.ours, scale), "bold"),
        *([(_joules(answer.ours, scale_joules), "")] if columns.joules else []),
        (relative_text(factor, tied=answer.tied), style),
        *(_side(name, answer, scale) for name in columns.libraries),
    ]
    if columns.named:
        cells.append((shown_name(answer.ours) if answer.ours else NONE, ""))
    return (*cells, (_DOUBTFUL if answer.doubtful else "", ""))


def _side(name: str, answer: Answer, scale: float) -> tuple[str, str]:
    """The time of one side, with a mark if it is the fastest but ours, and its style."""
    result = answer.libraries.get(name)
    best = result is not None and result is answer.best
    return f"{_time(result, scale)}{_BEST if best else ' '}", "bold" if best else ""


def _time(result: Result | None, scale: float) -> str:
    figure = duration(result) if result else None
    return format_number(figure.median / scale) if figure else NONE


def _joules(result: Result | None, scale: float) -> str:
    figure = result.modelled_joules_per_message if result else None
    return format_number(figure.median / scale) if figure else NONE


def _line(cells: StyledLine, widths: Sequence[int]) -> StyledLine:
    """Cells in their columns, the first to the left; no blanks at the end."""
    placed = [
        (f"{_GAP}{visible(text).rjust(width)}" if place else visible(text).ljust(width), style)
        for place, ((text, style), width) in enumerate(zip(cells, widths, strict=True))
    ]
    while placed and not placed[-1][0].strip():
        placed.pop()
    text, style = placed.pop()
    return (*placed, (text.rstrip(), style))


def _widths(blocks_shown: Sequence[Sequence[StyledLine]]) -> list[int]:
    rows = [[len(visible(text)) for text, _ in row] for block in blocks_shown for row in block]
    return [max(column) for column in zip(*rows, strict=True)]


def _columns(shown: Sequence[Block], width: int) -> _Columns:
    """First the names leave, then the slowest libraries, OpenSSL and the user's own code last."""
    yours, libraries = _sides(shown)
    joules = any(_joules_of(block) for block in shown)
    sides = (*yours, *libraries)

    def kept(count: int, *, named: bool = False) -> _Columns:
        """The first sides."""
        return _Columns(
            sides[:count][: len(yours)],
            sides[len(yours) : count],
            sides[count:],
            named=named,
            joules=joules,
        )

    tried = [kept(len(sides), named=True), *map(kept, range(len(sides), -1, -1))]
    return next((columns for columns in tried if _needed(shown, columns) <= width), tried[-1])


def _needed(shown: Sequence[Block], columns: _Columns) -> int:
    widths = _widths([_cells(block, columns) for block in shown])
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _sides(shown: Sequence[Block]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The user's own code, then the libraries: OpenSSL, and the others, the fastest first.

    A side's speed is the mean of its times in each row over the fastest side there, as logarithms.
    """
    behind: dict[str, list[float]] = {}
    own: set[str] = set()
    for block in shown:
        for _, answer in block.rows:
            found = {name: duration(result) for name, result in answer.libraries.items()}
            medians = {name: figure.median for name, figure in found.items() if figure}
            fastest = min(medians.values(), default=0.0)
            own.update(answer.yours)
            for name, median in medians.items():
                ratio = median / fastest if fastest > 0 else 1.0
                behind.setdefault(name, []).append(math.log(ratio))
    ranked = sorted(
        behind,
        key=lambda name: (name not in own, name != _FIRST_LIBRARY, fmean(behind[name]), name),
    )
    return tuple(ranked[: len(own)]), tuple(ranked[len(own) :])


def _durations(block: Block) -> Iterator[Figure]:
    """The figures of a block."""
    for _, answer in block.rows:
        for result in (answer.ours, *answer.libraries.values()):
            if result and (figure := duration(result)):
                yield figure


def _unit(block: Block) -> tuple[str, float]:
    """The unit of a block, that of its shortest time, and its seconds."""
    return _largest_below(min(figure.median for figure in _durations(block)), _UNITS)


def _joules_of(block: Block) -> list[float]:
    figures = (answer.ours and answer.ours.modelled_joules_per_message for _, answer in block.rows)
    return [figure.median for figure in figures if figure]


def _joules_unit(block: Block) -> tuple[str, float]:
    """The unit of a block's modelled energies, that of the smallest one, and its joules."""
    return _largest_below(min(_joules_of(block), default=0.0), _JOULE_UNITS)


def _largest_below(value: float, units: Sequence[tuple[str, float]]) -> tuple[str, float]:
    return next((unit for unit in units if value >= unit[1]), units[-1])


def _last(more: str, width: int) -> list[StyledLine]:
    """The command in one piece, so that it can be copied."""
    words = "All implementations, lengths and doubts:"
    whole = f"{words} {visible(more)}"
    lines = [whole] if len(whole) <= width else [words, f"  {visible(more)}"]
    return [((line, ""),) for line in lines]


def _wrapped(text: str, width: int, style: str = "") -> list[StyledLine]:
    """Lines of whole words; a long name is never broken."""
    lines = textwrap.wrap(
        visible(text), width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return [((line, style),) for line in lines]
