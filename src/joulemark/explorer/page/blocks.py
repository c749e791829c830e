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
    """Of all its figures, where they have one."""


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
    """What the column is sorted by, in place of the text."""


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
    """What stands in place of a table without rows."""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Chart(Block):
    """A picture."""

    kind: ClassVar[str] = "chart"
    title: str
    caption: str
    spec: Mapping[str, Any] | None
    """Vega-Lite, with a parameter `palette`; None: there is nothing to draw."""
    absent: str = ""
    """Why nothing can be drawn."""


@dataclass(frozen=True, slots=True)
class Facts(Block):
    """Names and values."""

    kind: ClassVar[str] = "facts"
    title: str
    rows: Sequence[tuple[str, str]]
    closed: bool = False
    """Whether they are shown only when asked for."""


@dataclass(frozen=True, slots=True)
class Notes(Block):
    """Sentences."""

    kind: ClassVar[str] = "notes"
    title: str
    sentences: Sequence[str]
    warning: bool = False
    links: Sequence[tuple[str, Address]] = ()
    """Behind the sentences."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One field of a form, in which something is picked."""

    kind: ClassVar[str] = "choice"
    name: str
    label: str
    options: Sequence[tuple[str, str]]
    """Value and text."""
    chosen: Sequence[str] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a form, in which something is written."""

    kind: ClassVar[str] = "entry"
    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Form(Block):
    """Choices that lead to another address of the same server; files have none."""

    kind: ClassVar[str] = "form"
    title: str
    action: Address
    fields: Sequence[Choice | Entry]
    button: str = "Show"


class Rows:
    """Rows that are made when somebody wants them: a page to look at needs their number alone.

    Args:
        count: how many there are.
        make: makes them.
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
    """One view."""

    address: Address
    title: str
    blocks: Sequence[Block]
    lead: str = ""
    above: Sequence[tuple[str, Address]] = ()
    """Pages that this one belongs to, the nearest last."""
    data: Rows = field(default_factory=lambda: Rows(0, tuple))
    """Rows behind chart and tables, for download: SI units, a field for each column."""
    columns: Sequence[str] = ()
    """Of `data`, in order."""

    @property
    def chart(self) -> Chart | None:
        """The picture of the page, where there is one to draw."""
        for block in self.blocks:
            if isinstance(block, Chart) and block.spec is not None:
                return block
        return None
