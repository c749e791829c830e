# SPDX-License-Identifier: Apache-2.0
"""A sheet as text: lines with styles for a terminal, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from joulemark.foreign import folded_text, visible
from joulemark.report import Cell, Facts, Notes, Sheet, Table, words_in_headings

# Sheets in a terminal: lines as long as their text, columns as wide as their widest cell.
#
# Signs from outside that would steer a terminal are shown as codes. No line is wider than the
# terminal but for a word that is longer, which can be copied.

StyledLine = tuple[tuple[str, str], ...]
"""Texts side by side, each with its style: "bold", "italic", "green", "red", or nothing."""
RULE: Final = "─"
"""Sign of the line below headings; an output that lacks it has another in its place."""
_GAP: Final = "  "
_NARROW_GAP: Final = " "
"""Between columns that are too wide for the terminal without their indent."""
_NARROWEST: Final = 10
"""Signs. Where the other columns leave less room, lines are longer than the terminal."""


def sheet_lines(sheet: Sheet, width: int) -> Iterator[StyledLine]:
    """The parts of a sheet, each with an empty line behind it."""
    for part in sheet.parts:
        if isinstance(part, Table):
            yield from _table_lines(part, width)
            yield from _paragraphs(part.notes, width)
        elif isinstance(part, Facts):
            yield from _facts(part.title, part.rows, width)
        elif isinstance(part, Notes) and part.listed:
            yield from _facts(part.title, [("-", text) for text in part.sentences], width)
        elif isinstance(part, Notes):
            yield from _paragraphs(part.sentences, width, "bold" if part.warning else "")


def line_width(widths: Sequence[int], *, indent: int) -> int:
    """Signs in a line of columns of these widths, with the gaps between them."""
    return indent + sum(widths) + len(_GAP) * (len(widths) - 1)


def aligned(
    rows: Sequence[Sequence[str]],
    room: int | None,
    *,
    indent: int,
    right: Collection[int] = (),
    prose: Sequence[int] = (),
    evenly: bool = False,
) -> list[list[str]]:
    """The lines of each row of cells, each column as wide as its widest cell.

    Args:
        rows: cells; a row may be shorter than the first.
        room: signs in a line; None: as many as there are.
        indent: spaces before the first column, as far as there is room.
        right: columns whose cells stand at the right edge (numbers).
        prose: columns of words. Where the room is too narrow their cells are folded between words:
            those of the first column named here as far as they must be, then the next.
        evenly: whether the widest of these columns is folded first, whatever their order.
    """
    if not rows:
        return []
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]
    gap = _GAP
    if room is not None:
        least = {
            place: min(widths[place], max(_NARROWEST, *map(_longest_word, columns[place])))
            for place in prose
        }
        excess = line_width(widths, indent=indent) - room
        while excess > 0 and (wide := [place for place in prose if widths[place] > least[place]]):
            widest = max(wide, key=widths.__getitem__) if evenly else wide[0]
            widths[widest] -= 1
            excess -= 1
        if excess > indent:
            gap = _NARROW_GAP
            excess -= (len(_GAP) - len(gap)) * (len(widths) - 1)
        indent = max(indent - max(excess, 0), 0)
    shown = []
    for row in rows:
        folded = [
            folded_text(cell, width) if place in prose else [cell]
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        shown.append(
            [
                (" " * indent + gap.join(_placed(line, widths, right))).rstrip()
                for line in zip_longest(*folded, fillvalue="")
            ]
        )
    return shown


def text_of(line: StyledLine) -> str:
    """The line without its styles."""
    return "".join(text for text, _ in line)


def _longest_word(cell: str) -> int:
    """Signs of the longest word, with the blanks before the first."""
    blanks = len(cell) - len(cell.lstrip())
    return max((blanks + len(word) for word in cell.split()), default=0)


def _placed(line: Sequence[str], widths: Sequence[int], right: Collection[int]) -> Iterator[str]:
    for place, (cell, width) in enumerate(zip(line, widths, strict=False)):
        yield cell.rjust(width) if place in right else cell.ljust(width)


def _paragraphs(sentences: Sequence[str], width: int, style: str = "") -> Iterator[StyledLine]:
    for sentence in sentences:
        indented = visible(sentence) if style else f" {visible(sentence)}"
        yield from (((line, style),) for line in folded_text(indented, width))
    if sentences:
        yield ()


def _facts(title: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[StyledLine]:
    if not rows:
        return
    yield ((title, "bold"),)
    longest = max(len(name) for name, _ in rows)
    for name, text in rows:
        told = f" {name.ljust(longest)} {visible(text)}"
        yield from (((line, ""),) for line in folded_text(told, width, rest=" " * (longest + 2)))
    yield ()


def _table_lines(table: Table, width: int) -> Iterator[StyledLine]:
    """The table. A row whose first cell is strong begins a section.

    Without words in its headings it has neither these nor a rule.
    """
    table = words_in_headings(table)
    headings = [
        [*heading.text.splitlines(), *filter(None, [heading.evidence])]
        for heading in table.headings
    ]
    height = max(map(len, headings), default=0)
    heads = [[""] * (height - len(lines)) + lines for lines in headings]
    worded = [bool(heading.evidence) for heading in table.headings]
    body = [
        [visible(_text(cell, worded=word)) for cell, word in zip(row, worded, strict=False)]
        for row in table.rows
    ]
    rows = [*([lines[place] for lines in heads] for place in range(height)), *body]
    shown = aligned(
        rows,
        width - 1,
        indent=1,
        right=[place for place, heading in enumerate(table.headings) if heading.number],
        prose=[place for place, heading in enumerate(table.headings) if heading.prose],
        evenly=True,
    )
    across = max((len(line) for lines in shown for line in lines), default=1)
    yield from (((line, "bold"),) for line in folded_text(visible(table.title), across + 1))
    if height:
        yield ()
        yield from (((line, "bold"),) for lines in shown[:height] for line in lines)
        yield ((f" {RULE * (across - 1)}", ""),)
    for place, (row, lines) in enumerate(zip(table.rows, shown[height:], strict=True)):
        if row[0].strong and place:
            yield ()
        yield from (((line, "bold" if row[0].strong else ""),) for line in lines)
    if height:
        yield ()


def _text(cell: Cell, *, worded: bool) -> str:
    evidence = "" if worded else cell.evidence
    return " ".join(filter(None, (cell.text, cell.interval, evidence)))


# Sheets as Markdown that GitHub, GitLab and a mail reader show well.

_ESCAPED: Final = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]|<>~&$"})
"""Signs with a meaning in GitHub's Markdown anywhere in a line, each behind a backslash."""
_SPECIAL_AT_START: Final = re.compile(r"^([-+#]|\d+[.)])")
_NO_MENTION: Final = "@<!-- -->"
"""An `@` that notifies nobody; a backslash would not help."""


def markdown(sheet: Sheet) -> str:
    """The document. Charts and closed facts are left out."""
    return "\n\n".join(_blocks(sheet, 1)) + "\n"


def plain(text: str) -> str:
    """The text escaped so that it shows as it is, on one line."""
    return _SPECIAL_AT_START.sub(_escaped_start, _within(text))


def _within(text: str) -> str:
    """The text escaped for a place that is not the start of a line."""
    return " ".join(text.split()).translate(_ESCAPED).replace("@", _NO_MENTION)


def _escaped_start(start: re.Match[str]) -> str:
    return f"{start[0][:-1]}\\{start[0][-1]}"


def _blocks(sheet: Sheet, level: int) -> Iterator[str]:
    """What stands between empty lines."""
    yield from _titled(sheet.title, level)
    if sheet.lead:
        yield "\n".join(map(plain, sheet.lead.splitlines()))
    for part in sheet.parts:
        if isinstance(part, Sheet):
            yield from _blocks(part, level + 1)
        elif isinstance(part, Table):
            yield from _titled(part.title, level + 1)
            if part.caption:
                yield plain(part.caption)
            if part.rows:
                yield "\n".join(_table(part))
            yield from _list(map(plain, part.notes))
        elif isinstance(part, Notes):
            yield from _notes(part, level + 1)
        elif isinstance(part, Facts) and part.rows and not part.closed:
            yield from _titled(part.title, level + 1)
            yield from _list(f"**{_within(name)}**: {_within(text)}" for name, text in part.rows)


def _titled(title: str, level: int) -> Iterator[str]:
    if title:
        yield f"{'#' * level} {_within(title)}"


def _notes(notes: Notes, level: int) -> Iterator[str]:
    sentences = [plain(sentence) for sentence in notes.sentences]
    if notes.warning:
        sentences = [f"**{sentence}**" for sentence in sentences]
    if sentences:
        yield from _titled(notes.title, level)
        yield from _list(sentences) if notes.listed else sentences


def _list(items: Iterable[str]) -> Iterator[str]:
    lines = "\n".join(f"- {item}" for item in items)
    if lines:
        yield lines


def _table(table: Table) -> Iterator[str]:
    yield _line([_within(heading.text) for heading in table.headings])
    yield _line(["---:" if heading.number else "---" for heading in table.headings])
    for row in table.rows:
        cells = [*row, *[Cell("")] * (len(table.headings) - len(row))]
        pairs = zip(cells, table.headings, strict=True)
        yield _line([_cell(cell, own=heading.number) for cell, heading in pairs])


def _cell(cell: Cell, *, own: bool) -> str:
    text = cell.text if own else _within(cell.text)
    text = f"{cell.tone.value} {text}" if cell.tone else text
    shown = f"**{text}**" if cell.strong else text
    return " ".join(filter(None, (shown, cell.interval, cell.evidence, _within(cell.doubts))))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
