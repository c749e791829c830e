# SPDX-License-Identifier: Apache-2.0
"""The views, one file each: from kept estimates to a page's blocks, without any HTML.

Here is what a page has beside its sheet: addresses, forms, data; and the picks of an address.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol
from urllib.parse import quote, urlencode

from joulemark.errors import UsageError
from joulemark.explorer.estimates import LineQuantity, quantity_named
from joulemark.report import Address, Part, Sheet
from joulemark.units import parse_size

# Addresses of views: a value that becomes a link of the server or the name of a file.

_NAME: Final = re.compile(r"[a-z0-9+_][a-z0-9.+_-]{0,99}")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9.+_-]+")
_LONGEST_WORDS: Final = 80
_DIGITS: Final = 8
_FOLDERS: Final = {"compare"}
"""Views without a page for an address that chooses nothing: a folder may have their name."""


class Addressing(Protocol):
    """Makes the links of a page."""

    def link(self, address: Address) -> str | None:
        """The link to a view; None if there is no page of it."""

    def data(self, address: Address, suffix: str) -> str | None:
        """The link to a view's data (`csv`, `json`) or picture (`svg`, `png`); None: no file."""

    def asset(self, name: str) -> str:
        """The link to a style sheet or script."""


class ServerAddressing:
    """Makes links that are absolute paths on the server of the page."""

    def link(self, address: Address) -> str:
        """As `Addressing`."""
        return self._path(address, "")

    def data(self, address: Address, suffix: str) -> str:
        """As `Addressing`."""
        return self._path(address, f".{suffix}")

    def asset(self, name: str) -> str:
        """As `Addressing`."""
        return f"/assets/{name}"

    @staticmethod
    def _path(address: Address, ending: str) -> str:
        # A segment of dots alone would be taken for a folder.
        segments = [
            quote(part, safe="").replace(".", "%2E") if set(part) == {"."} else quote(part, safe="")
            for part in address.path
        ]
        if ending and not segments:
            segments = ["index"]
        query = f"?{urlencode(address.query)}" if address.query else ""
        return f"/{'/'.join(segments)}{ending}{query}"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a published page: a whole file, or a part of the file of another page."""

    stem: str
    """Path of the file without its ending."""
    part: str = ""
    """Id of the part in the file; empty: the page that the file is named for."""

    @property
    def link(self) -> str:
        """The link from the folder that is published."""
        return f"{self.stem}.html{f'#{self.part}' if self.part else ''}"


class FileAddressing:
    """Makes links that are relative paths from one file to another."""

    def __init__(self, places: Mapping[Address, Place], here: str) -> None:
        self._places = places
        self._up = "../" * here.count("/")

    def link(self, address: Address) -> str | None:
        """As `Addressing`."""
        place = self._places.get(address)
        return None if place is None else f"{self._up}{place.link}"

    def data(self, address: Address, suffix: str) -> str | None:  # noqa: ARG002 - as `Addressing`
        """As `Addressing`; a published page has its data in it, and the browser makes pictures."""
        return None

    def asset(self, name: str) -> str:
        """As `Addressing`."""
        return f"{self._up}assets/{name}"


def place_of(address: Address) -> Place:
    """Where the page of a view is published, in letters that every web server serves.

    The pages of an algorithm stand in its file, those of a run in the run's, budgets in the file of
    their node: a file for each page would be a thousand files for one run. A name from which other
    letters were taken ends in a digest, which keeps names apart.
    """
    first, *names = address.path or ("index",)
    chosen = dict(address.query)
    if first == "runs" and len(names) == 2:
        return Place(f"runs/{_safe(names[0])}", _safe(names[1]))
    if first == "targets" and "algorithm" in chosen:
        return Place(f"algorithms/{_safe(chosen['algorithm'])}", "targets")
    if first == "history" and "implementation" in chosen:
        algorithm, _, variant = chosen["implementation"].partition("/")
        words = [variant or algorithm, *filter(None, [chosen.get("machine")])]
        return Place(f"algorithms/{_safe(algorithm)}", f"history--{_safe('--'.join(words))}")
    if first == "budget" and {"protocol", "node"} <= chosen.keys():
        return Place(f"budget/{_safe(chosen['node'])}", _safe(chosen["protocol"]))
    return Place(_file_stem(address))


def gathered(place: Place) -> Place:
    """The place of a page where algorithms are so many that those of one first word share a file.

    Example:
        >>> gathered(Place("algorithms/hmac-sha256", "targets")).link
        'algorithms/hmac.html#hmac-sha256--targets'
    """
    folder, _, name = place.stem.partition("/")
    if folder != "algorithms" or not name:
        return place
    word = name.partition("-")[0]
    return Place(f"{folder}/{word}", "--".join(filter(None, [name, place.part])))


def _file_stem(address: Address) -> str:
    """Path of a view's file without its ending."""
    *folders, last = address.path or ("index",)
    values = [value for _, value in address.query]
    if values and last in _FOLDERS:
        folders, words = [*folders, last], "--".join(values)
    else:
        words = "--".join([last, *values])
    return "/".join([*map(_safe, folders), _safe(words)])


def _safe(text: str) -> str:
    plain = text.replace("/", "--")
    # Only small letters are kept: some file systems do not tell capitals from them.
    if _NAME.fullmatch(plain):
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    words = _NOT_IN_NAMES.sub("-", text.lower()).strip(".-")
    return f"{words[:_LONGEST_WORDS] or 'name'}-{digest}"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """A field of a form with a list of options."""

    kind: ClassVar[str] = "choice"
    name: str
    label: str
    options: Sequence[tuple[str, str]]
    """Value and text."""
    chosen: Sequence[str] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class FormEntry:
    """A field of a form for text."""

    kind: ClassVar[str] = "entry"
    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Form(Part):
    """Fields that lead to another address of the same server; published pages leave it out."""

    kind: ClassVar[str] = "form"
    title: str
    action: Address
    fields: Sequence[FormChoice | FormEntry]
    button: str = "Show"


class Rows:
    """Rows that are made when they are downloaded: the page itself needs only their number."""

    def __init__(self, count: int, make: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._make())


@dataclass(frozen=True, slots=True)
class Page(Sheet):
    """A view: a sheet with its address and the data behind it."""

    address: Address = field(default_factory=Address, kw_only=True)
    above: Sequence[tuple[str, Address]] = ()
    """Pages that this one belongs to, the nearest last."""
    data: Rows = field(default_factory=lambda: Rows(0, tuple))
    """Rows behind chart and tables, for download: SI units, a field for each column."""
    columns: Sequence[str] = ()
    """Columns of `data`, in order."""


# The picks of an address: algorithms, implementations, lengths, machines, runs, a quantity.
#
# Addresses come from anybody, so every value is checked here and becomes a typed one, or is refused
# in a sentence that names it.

Query = Mapping[str, Sequence[str]]
"""Name -> values, as in an address."""
_MOST_VALUES: Final = 50
"""Most values of one name."""
_LARGEST: Final = 2**31
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class Picks:
    """What a view shows; an empty tuple means all."""

    quantity: LineQuantity
    algorithms: tuple[str, ...] = ()
    implementations: tuple[str, ...] = ()
    sizes_bytes: tuple[int, ...] = ()
    machines: tuple[str, ...] = ()
    runs: tuple[int, ...] = ()

    @classmethod
    def of(cls, query: Query) -> Picks:
        """The picks of an address."""
        return cls(
            quantity_named(one_of(query, "quantity")),
            _texts(query, "algorithm"),
            _texts(query, "implementation"),
            tuple(parse_size(text) for text in _texts(query, "length")),
            _texts(query, "machine"),
            tuple(whole(text, "run") for text in _texts(query, "run")),
        )


def one_of(query: Query, name: str) -> str | None:
    """The only value of a name; None without one."""
    values = _texts(query, name)
    if len(values) > 1:
        raise UsageError(f"{name}: give one value, not {len(values)}")
    return values[0] if values else None


def whole(text: str, name: str) -> int:
    """The number of a run or of a page."""
    if not (text.isascii() and text.isdecimal() and len(text) < len(str(_LARGEST))):
        raise UsageError(f"{name}: give a whole number such as 1")
    return int(text)


def _texts(query: Query, name: str) -> tuple[str, ...]:
    values = tuple(dict.fromkeys(text for text in query.get(name, ()) if text))
    if len(values) > _MOST_VALUES:
        raise UsageError(f"{name}: give {_MOST_VALUES} values at most")
    if any(len(text) > _LONGEST for text in values):
        raise UsageError(f"{name}: a value may have {_LONGEST} signs at most")
    return values
