# SPDX-License-Identifier: Apache-2.0
"""Results made visible: charts, one self-contained page, terminal tables, exports.

Everything here reads a `ResultSet` and computes no statistics.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from joulemark.errors import JoulemarkError
from joulemark.user_folders import is_database, write_whole

# What is shown, as plain values: a sheet of facts, tables, charts and notes.
#
# Whoever has figures makes a sheet; pages, Markdown and the terminal draw it. Nothing here draws.

JsonObject = dict[str, object]
"""An object of JSON, or a row of a data file: it is written, and not read back."""
NONE: Final = "-"
"""Text in place of a figure that is missing."""


@dataclass(frozen=True, slots=True)
class Address:
    """A view of the explorer and what is chosen in it."""

    path: tuple[str, ...] = ()
    """Segments; without any it is the first page."""
    query: tuple[tuple[str, str], ...] = ()
    """Names and values, in the order of the link; a name may come several times."""

    @classmethod
    def of(cls, *path: object, **query: object) -> Address:
        """The address of these segments and values; a value that is None or empty is left out."""
        pairs: list[tuple[str, str]] = []
        for name, value in query.items():
            each = value if isinstance(value, list | tuple) else [value]
            pairs += [(name, str(wanted)) for wanted in each if wanted is not None and wanted != ""]
        return cls(tuple(map(str, path)), tuple(pairs))


@dataclass(frozen=True, slots=True)
class Heading:
    """One column."""

    text: str
    number: bool = False
    """Whether its cells are figures. They stand to the right, and their text is our own."""
    evidence: str = ""
    """Evidence word that all its figures share; empty if there is none."""
    minor: bool = False
    """Whether it is left out on a narrow screen, or among many columns, until all are asked for."""
    prose: bool = False
    """Whether its cells have words enough to be broken into lines."""
    apart: bool = False
    """Whether a page shows its cells in a line below the row."""


class Tone(Enum):
    """How a verdict ended. The value is its sign: colour is never the only difference."""

    HOLDS = "\N{CHECK MARK}"
    FAILS = "\N{BALLOT X}"
    FASTER = "\N{BLACK UP-POINTING TRIANGLE}"
    SLOWER = "\N{BLACK DOWN-POINTING TRIANGLE}"
    LEVEL = "\N{ALMOST EQUAL TO}"
    DOUBTFUL = "!"
    OPEN = "\N{WHITE CIRCLE}"


class Cell(NamedTuple):
    """One cell of a table, of which a page has ten thousands."""

    text: str
    interval: str = ""
    evidence: str = ""
    """Its evidence word, which is shown where the heading has none."""
    link: Address | None = None
    small: str = ""
    """A second line."""
    doubts: str = ""
    """Causes of doubt, in another line."""
    key: float | str | None = None
    """Value by which the column is sorted; None: by the text."""
    reason: str = ""
    """Why there is no figure."""
    strong: bool = False
    tone: Tone | None = None
    """Of a cell that is a verdict: pages show sign and colour, Markdown the sign."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sheet; `kind` names the macro that draws it on a page."""

    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Table(Part):
    """Rows under headings. A row may be shorter than the others; the rest of it is empty."""

    kind: ClassVar[str] = "table"
    title: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    empty: str = "There is none."
    """The sentence in place of a table without rows."""
    notes: Sequence[str] = ()
    named: int = 0
    """Place of the column that names the row."""
    first: int = 0
    """Rows that a page shows until the reader opens the others; 0: all."""

    def texts(self) -> list[list[str]]:
        """The rows as texts alone."""
        return [[cell.text for cell in row] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Chart(Part):
    """A picture."""

    kind: ClassVar[str] = "chart"
    title: str
    caption: str
    spec: Mapping[str, Any] | None
    """Specification in Vega-Lite, with a parameter `palette`; None: there is nothing to draw."""
    absent: str = ""
    """Why nothing can be drawn."""
    name: str = ""
    """Id, of letters, digits and underscores, where a page has several."""


@dataclass(frozen=True, slots=True)
class Facts(Part):
    """Names and values."""

    kind: ClassVar[str] = "facts"
    title: str
    rows: Sequence[tuple[str, str]]
    closed: bool = False
    """Whether the reader has to open the list."""


@dataclass(frozen=True, slots=True)
class Notes(Part):
    """Sentences."""

    kind: ClassVar[str] = "notes"
    title: str
    sentences: Sequence[str]
    warning: bool = False
    listed: bool = True
    """Whether each sentence is an item of a list; else it is a paragraph."""
    links: Sequence[tuple[str, Address]] = ()
    """Text and address of links that follow the sentences."""


@dataclass(frozen=True, slots=True)
class Sheet(Part):
    """Parts under a title, in the order in which they are read."""

    kind: ClassVar[str] = "sheet"
    title: str
    parts: Sequence[Part]
    lead: str = ""
    """Sentences under the title, in one line or several."""

    @property
    def chart(self) -> Chart | None:
        """The first chart that can be drawn."""
        charts = (part for part in self.parts if isinstance(part, Chart))
        return next((chart for chart in charts if chart.spec is not None), None)


def text_table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    numbers: Collection[int] = (),
    notes: Sequence[str] = (),
) -> Table:
    """A table whose cells are texts alone."""
    return Table(
        title,
        [Heading(text, number=place in numbers) for place, text in enumerate(headings)],
        [[Cell(text) for text in row] for row in rows],
        caption,
        notes=notes,
    )


def interval_cell(text: str, evidence: str, key: float) -> Cell:
    """The cell of a text such as "68.9 ns [60, 78]", whose interval is shown apart."""
    figure, bracket, bounds = text.partition(" [")
    return Cell(figure, f"[{bounds}" if bracket else "", evidence, key=key)


def shared_evidence(cells: Sequence[Cell]) -> str:
    """The evidence word that all figures of a column have; empty if they have several."""
    words = {cell.evidence for cell in cells} - {""}
    return words.pop() if len(words) == 1 else ""


def words_in_headings(table: Table) -> Table:
    """The table with the evidence words that all cells of a column share in its headings.

    Where a column has figures of several kinds, each cell keeps its word.
    """
    none = Cell("")
    columns = zip_longest(*table.rows, [none] * len(table.headings), fillvalue=none)
    headings = [
        replace(heading, evidence=heading.evidence or shared_evidence(column))
        for heading, column in zip(table.headings, columns, strict=True)
    ]
    return replace(table, headings=headings)


# A report file, written whole or not at all.

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space or choose another folder",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another folder",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EACCES: "permission is denied; choose a folder that you may write to",
    errno.EPERM: "permission is denied; choose a folder that you may write to",
    errno.ENOENT: "its folder does not exist; create it first",
    errno.ENOTDIR: "its folder is not a folder; choose another path",
    errno.EISDIR: "it is a folder; give the name of a file in it",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}


class ReportError(JoulemarkError):
    """A report, chart or export cannot be made or written."""


def write_atomically(path: Path, data: bytes) -> None:
    """Writes `data` to `path` as `write_whole` does, with a sentence for each error.

    A store is not replaced.
    """
    if is_database(path):
        raise ReportError(f"{path} holds a store of runs and is not replaced; name another file.")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        write_whole(path, data)
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise ReportError(f"{path} cannot be written: {remedy}.") from error
