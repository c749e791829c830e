# SPDX-License-Identifier: Apache-2.0
"""The end of a run on one screen: who is the fastest, by how much, and what is doubtful.

Lines are as long as their text and no longer, columns leave before a line would wrap, and signs say
what colours say: nothing is lost in a file or behind a pipe.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from joulemark.analyse.results import Result, ResultSet
from joulemark.foreign.text import visible
from joulemark.report.answers import Answer, Block, blocks, rival, tally
from joulemark.report.figures import TIED, format_number, relative_text
from joulemark.report.terminal.screen_notes import run_doubts, slow_medians, without_figure
from joulemark.report.workload import duration, shown_name

__all__ = ["Screen"]

LINES = 42
"""Where no terminal says how many it has: three lengths of ten algorithms, and what is doubtful."""
_LENGTHS = 3
_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_GAP = " "
_NONE = "-"
_BEST, _DOUBTFUL = "*", "!"


@dataclass(frozen=True, slots=True)
class Screen:
    """What `joulemark bench` ends with, for a terminal of any width."""

    results: ResultSet
    more: str
    """The command that shows everything."""
    below: int = 0
    """Lines that the caller prints below, on the same terminal."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        limit = console.height - self.below if console.is_terminal else LINES
        yield from self.lines(options.max_width, min(limit, LINES))

    def lines(self, width: int, limit: int = LINES) -> list[Text]:
        """The screen with as many lengths, up to three, as `limit` lines hold; at least one.

        Args:
            width: signs in a line.
            limit: most lines.
        """
        for lengths in range(_LENGTHS, 0, -1):
            found = self._lines(blocks(self.results, lengths), width)
            if len(found) <= limit:
                break
        return found

    def _lines(self, shown: Sequence[Block], width: int) -> list[Text]:
        return [
            *_wrapped(_title(shown), width, "bold"),
            *_wrapped(_sentence(self.results), width),
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
            yield f"{_DOUBTFUL} ours or {other} has a doubt that the others lack"
        if hidden := _columns(shown, width).hidden:
            yield f"Not shown for want of width: {', '.join(hidden)}"
        yield from run_doubts(self.results)
        yield from slow_medians(self.results)
        yield from without_figure(self.results)


def _title(shown: Sequence[Block]) -> str:
    kinds = {
        figure.evidence.value
        for block in shown
        for _, answer in block.rows
        for member in _members(answer)
        if (figure := duration(member))
    }
    workloads = {block.workload for block in shown}
    where = f"; {workloads.pop()}" if len(workloads) == 1 else ""
    return f"Time per message, {', '.join(sorted(kinds))}: medians{where}"


def _sentence(results: ResultSet) -> str:
    found = tally(results)
    if not found.total:
        return ""
    return (
        f"Ours against {rival(results, 'best')}: faster in {found.faster}, "
        f"slower in {found.slower}, not told apart in {found.tied}"
    )


@dataclass(frozen=True, slots=True)
class _Columns:
    """What a width has room for."""

    libraries: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    """Libraries that had to leave."""
    named: bool = False
    """Whether the names of our fastest implementations are shown."""


def _table(shown: Sequence[Block], width: int) -> Iterator[Text]:
    columns = _columns(shown, width)
    several = len({block.workload for block in shown}) > 1
    widths = _widths(shown, columns)
    for block in shown:
        if several:
            yield Text(visible(block.workload), style="italic", no_wrap=True, overflow="ignore")
        yield _line([Text(cell, style="bold") for cell in _headings(block, columns)], widths)
        for label, answer in block.rows:
            yield _line(_row(label, answer, columns, _unit(block)[1]), widths)


def _headings(block: Block, columns: _Columns) -> list[str]:
    names = ["ours is"] if columns.named else []
    return [f"{block.heading}, {_unit(block)[0]}", "ours", "factor", *columns.libraries, *names, ""]


def _row(label: str, answer: Answer, columns: _Columns, scale: float) -> list[Text]:
    factor = answer.factor
    style = "" if factor is None or answer.tied else "green" if factor > 1 else "red"
    cells = [
        Text(label),
        Text(_time(answer.ours, scale), style="bold"),
        Text(relative_text(factor, tied=answer.tied), style=style),
    ]
    for name in columns.libraries:
        found = answer.libraries.get(name)
        best = found is not None and found is answer.best
        mark = _BEST if best else " "
        cells.append(Text(f"{_time(found, scale)}{mark}", style="bold" if best else ""))
    if columns.named:
        cells.append(Text(shown_name(answer.ours) if answer.ours else _NONE))
    return [*cells, Text(_DOUBTFUL if answer.doubtful else "")]


def _time(result: Result | None, scale: float) -> str:
    figure = duration(result) if result else None
    return format_number(figure.median / scale) if figure else _NONE


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    """Cells in their columns, the first to the left; no blanks at the end."""
    line = Text(no_wrap=True, overflow="ignore")
    line.append(visible(cells[0].plain).ljust(widths[0]), style=cells[0].style)
    for cell, width in zip(cells[1:], widths[1:], strict=True):
        line.append(_GAP)
        line.append(visible(cell.plain).rjust(width), style=cell.style)
    line.rstrip()
    return line


def _widths(shown: Sequence[Block], columns: _Columns) -> list[int]:
    rows = [
        [visible(cell) for cell in row]
        for block in shown
        for row in (
            _headings(block, columns),
            *(
                [cell.plain for cell in _row(label, answer, columns, _unit(block)[1])]
                for label, answer in block.rows
            ),
        )
    ]
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _columns(shown: Sequence[Block], width: int) -> _Columns:
    """First the names leave, then libraries; the most often fastest of these stays longest."""
    libraries = _libraries(shown)
    tried = [_Columns(tuple(libraries), named=True)]
    tried += [
        _Columns(tuple(libraries[:count]), tuple(libraries[count:]))
        for count in range(len(libraries), -1, -1)
    ]
    return next((columns for columns in tried if _needed(shown, columns) <= width), tried[-1])


def _needed(shown: Sequence[Block], columns: _Columns) -> int:
    widths = _widths(shown, columns)
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _libraries(shown: Sequence[Block]) -> list[str]:
    """Providers but ours: first the one that is the fastest most often, then by name."""
    wins: Counter[str] = Counter()
    for block in shown:
        for _, answer in block.rows:
            wins.update(dict.fromkeys(answer.libraries, 0))
            if answer.best:
                wins[answer.best.provider] += 1
    return sorted(wins, key=lambda name: (-wins[name], name))


def _members(answer: Answer) -> list[Result]:
    return [result for result in (answer.ours, *answer.libraries.values()) if result]


def _unit(block: Block) -> tuple[str, float]:
    """The unit of a block, that of its shortest time, and its seconds."""
    times = [
        figure.median
        for _, answer in block.rows
        for member in _members(answer)
        if (figure := duration(member))
    ]
    shortest = min(times)
    return next((unit for unit in _UNITS if shortest >= unit[1]), _UNITS[-1])


def _last(more: str, width: int) -> list[Text]:
    """The command in one piece, so that it can be copied."""
    words = "All implementations, lengths and doubts:"
    whole = f"{words} {visible(more)}"
    lines = [whole] if len(whole) <= width else [words, f"  {visible(more)}"]
    return [Text(line, no_wrap=True, overflow="ignore") for line in lines]


def _wrapped(text: str, width: int, style: str = "") -> list[Text]:
    """Lines of whole words; a long name is never broken."""
    lines = textwrap.wrap(
        visible(text), width, subsequent_indent="  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [Text(line, style=style, no_wrap=True, overflow="ignore") for line in lines]
