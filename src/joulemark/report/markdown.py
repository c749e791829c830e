# SPDX-License-Identifier: Apache-2.0
"""Sheets as Markdown that GitHub, GitLab and a mail reader show well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from joulemark.report.sheet import Cell, Facts, Notes, Sheet, Table

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
    shown = f"**{text}**" if cell.strong else text
    return " ".join(filter(None, (shown, cell.interval, cell.evidence, _within(cell.doubts))))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
