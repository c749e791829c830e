# SPDX-License-Identifier: Apache-2.0
"""What the process that measures and its workers say to each other, each message as a type.

Here is what every worker is asked. Other requests stand apart, so that a worker imports them when
they come: those about runs of an implementation in `runs`, about energy in `energy`.

`lines` writes messages, and reads requests, which come from us and are taken as they are. `answers`
reads answers, which come from a process that runs foreign code, and holds each to its type here. A
worker imports no pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar

from joulemark.records.implementation import LibraryFile

__all__ = [
    "Count",
    "OpenSource",
    "Opened",
    "Refusal",
    "RefusalKind",
    "Request",
    "Sentence",
    "TableEntry",
    "within",
]

A = TypeVar("A")


class _Bounds(NamedTuple):
    """Constraints of a value, in pydantic's words; only the reader of answers asks for them."""

    constraints: tuple[tuple[str, float], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the value with the constraints."""
        return {**handler(source), **dict(self.constraints)}


def within(**constraints: float) -> _Bounds:
    """Bounds for an annotation: `ge`, `gt`, `le`, `min_length`, `max_length`."""
    return _Bounds(tuple(constraints.items()))


_LONGEST_KEY: Final = 1 << 16
"""No MAC has a key of a terabyte; what a plugin's table says of itself is held to this."""
Name = Annotated[str, within(min_length=1, max_length=64)]
"""Fits on a line of a table."""
Sentence = Annotated[str, within(max_length=2000)]
Count = Annotated[int, within(ge=0, le=2**63 - 1)]
Small = Annotated[int, within(ge=0, le=_LONGEST_KEY)]
Length = Annotated[int, within(ge=1, le=_LONGEST_KEY)]


class RefusalKind(StrEnum):
    """Why a worker does not carry a request out; it lives on."""

    REQUEST = "request"
    """It cannot."""
    MESSAGE_LENGTH = "message length"
    """The implementation does not take messages of that length."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Answers any request."""

    error: str
    """One sentence."""
    kind: RefusalKind = RefusalKind.REQUEST


@dataclass(frozen=True, slots=True)
class TableEntry:
    """An implementation as its source's table has it; see `kernels/include/joulemark/kernel.h`."""

    algorithm: Name
    variant: Name
    note: Sentence | None
    kind: str
    cpu_features: tuple[str, ...]
    missing_features: tuple[str, ...]
    lanes: Annotated[int, within(ge=1, le=4096)]
    constant_time: bool
    block_bytes: Length
    output_bytes: Length
    key_bytes_min: Small
    key_bytes_max: Count | None
    key_bytes: Small
    batch_calls: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """What a source says of itself."""

    provider: Sentence
    library_version: Sentence
    compiler: Sentence
    flags: Sentence
    implementations: tuple[TableEntry, ...]
    library_files: tuple[LibraryFile, ...] = ()
    """Files of an outside library, if they were asked for."""


class Request(Generic[A]):
    """A request that is answered by an `A`, or by a `Refusal`."""


@dataclass(frozen=True)
class OpenSource(Request[Opened]):
    """Loads the source; comes before all requests that name an implementation."""

    files: bool = False
