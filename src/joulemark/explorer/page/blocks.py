# SPDX-License-Identifier: Apache-2.0
"""What a page of the explorer consists of, as plain values ready for the template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from joulemark.explorer.page.address import Address

__all__ = [
    "Block",
    "Cell",
    "Chart",
    "Choice",
    "Entry",
    "Facts",
    "Form",
    "Heading",
    "Notes",
    "Page",
    "Rows",
    "Table",
]


@dataclass(frozen=True, slots=True)
class Heading:
    """One column."""

    text: str
    number: bool = False
    """Whether its cells are numbers, which stand to the right."""
    evidence: str = ""
    """Evidence word that all its figures share; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str
    interval: str = ""
    evidence: str = ""
    link: Address | None = None
    small: str = ""
    """A second line."""
    doubts: str = ""
    """Causes of doubt, in another line."""
    key: float | str | None = None
    """Value by which the column is sorted; None: by the text."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page; `kind` names its macro in the template."""

    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Table(Block):
    """Rows under headings; the first column names the row."""

    kind: ClassVar[str] = "table"
    title: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    empty: str = "There is none."
    """The sentence in place of a table without rows."""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Chart(Block):
    """A picture."""

    kind: ClassVar[str] = "chart"
    title: str
    caption: str
    spec: Mapping[str, Any] | None
    """Specification in Vega-Lite, with a parameter `palette`; None: there is nothing to draw."""
    absent: str = ""
    """Why nothing can be drawn."""


@dataclass(frozen=True, slots=True)
class Facts(Block):
    """Names and values."""

    kind: ClassVar[str] = "facts"
    title: str
    rows: Sequence[tuple[str, str]]
    closed: bool = False
    """Whether the reader has to open the list."""


@dataclass(frozen=True, slots=True)
class Notes(Block):
    """Sentences."""

    kind: ClassVar[str] = "notes"
    title: str
    sentences: Sequence[str]
    warning: bool = False
    links: Sequence[tuple[str, Address]] = ()
    """Text and address of links that follow the sentences."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A field of a form with a list of options."""

    kind: ClassVar[str] = "choice"
    name: str
    label: str
    options: Sequence[tuple[str, str]]
    """Value and text."""
    chosen: Sequence[str] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of a form for text."""

    kind: ClassVar[str] = "entry"
    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Form(Block):
    """Fields that lead to another address of the same server; published pages leave it out."""

    kind: ClassVar[str] = "form"
    title: str
    action: Address
    fields: Sequence[Choice | Entry]
    button: str = "Show"


class Rows:
    """Rows that are made when they are downloaded: the page itself needs only their number.

    Args:
        count: number of rows.
        make: makes the rows.
    """

    def __init__(self, count: int, make: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._make())


@dataclass(frozen=True, slots=True)
class Page:
    """A view as plain values."""

    address: Address
    title: str
    blocks: Sequence[Block]
    lead: str = ""
    """Sentence under the title."""
    above: Sequence[tuple[str, Address]] = ()
    """Pages that this one belongs to, the nearest last."""
    data: Rows = field(default_factory=lambda: Rows(0, tuple))
    """Rows behind chart and tables, for download: SI units, a field for each column."""
    columns: Sequence[str] = ()
    """Columns of `data`, in order."""

    @property
    def chart(self) -> Chart | None:
        """The first chart of the page that can be drawn."""
        for block in self.blocks:
            if isinstance(block, Chart) and block.spec is not None:
                return block
        return None
