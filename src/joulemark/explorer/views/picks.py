# SPDX-License-Identifier: Apache-2.0
"""The picks of an address: algorithms, implementations, lengths, machines, runs, a quantity.

Addresses come from anybody, so every value is checked here and becomes a typed one, or is refused
in a sentence that names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates.lines import LineQuantity, quantity_named
from joulemark.units import parse_size

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
