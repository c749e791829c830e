# SPDX-License-Identifier: Apache-2.0
"""Messages between the process that measures and its workers: types, and lines of JSON.

This module has the requests that every worker gets. Other requests have separate modules, which a
worker imports when they come: `run_messages` about runs of an implementation, `meter_session` about
energy.

`encode` writes all messages, and `decode_request` reads requests, which come from us and are taken
as they are. `client` reads answers, which come from a process that runs foreign code, and checks
the type of each. A worker imports no pydantic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from functools import cache
from importlib import import_module
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from joulemark.records import LibraryFile

A = TypeVar("A")


class _Bounds(NamedTuple):
    """Constraints of a value, in pydantic's words, which only the reader of answers needs."""

    constraints: tuple[tuple[str, float], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the value with the constraints."""
        return {**handler(source), **dict(self.constraints)}


def within(**constraints: float) -> _Bounds:
    """Bounds for an annotation: `ge`, `gt`, `le`, `min_length`, `max_length`."""
    return _Bounds(tuple(constraints.items()))


_LONGEST_KEY: Final = 1 << 16
"""Most bytes of a length that a plugin's table may state: no MAC has a key of a terabyte."""
Name = Annotated[str, within(min_length=1, max_length=64)]
"""A name that fits on a line of a table."""
Sentence = Annotated[str, within(max_length=2000)]
Count = Annotated[int, within(ge=0, le=2**63 - 1)]
Small = Annotated[int, within(ge=0, le=_LONGEST_KEY)]
Length = Annotated[int, within(ge=1, le=_LONGEST_KEY)]


class RefusalKind(StrEnum):
    """Why a worker that lives on does not carry a request out."""

    REQUEST = "request"
    """The request cannot be carried out."""
    MESSAGE_LENGTH = "message length"
    """The implementation does not take messages of that length."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to any request that is not carried out."""

    error: str
    """One sentence."""
    kind: RefusalKind = RefusalKind.REQUEST


@dataclass(frozen=True, slots=True)
class TableEntry:
    """An implementation in its source's table; see `kernels/include/joulemark/kernel.h`."""

    algorithm: Name
    variant: Name
    note: Sentence | None
    kind: str
    cpu_features: tuple[str, ...]
    missing_features: tuple[str, ...]
    lanes: Annotated[int, within(ge=1, le=4096)]
    constant_time: bool | None
    block_bytes: Length
    output_bytes: Length
    key_bytes_min: Small
    key_bytes_max: Count | None
    key_bytes: Small
    batch_calls: bool


@dataclass(frozen=True, slots=True)
class Lack:
    """An implementation that the library loaded now does not offer."""

    algorithm: Name
    variant: Name
    reason: Sentence


@dataclass(frozen=True, slots=True)
class Opened:
    """The statements of a source about itself."""

    provider: Sentence
    library_version: Sentence
    compiler: Sentence
    flags: Sentence
    implementations: tuple[TableEntry, ...]
    lacks: tuple[Lack, ...] = ()
    library_files: tuple[LibraryFile, ...] = ()
    """Files of an outside library, if the request asked for them."""
    library_places: tuple[Sentence, ...] = ()
    """Their paths on this machine."""

    @property
    def itself(self) -> Opened:
        """The statements without those about files, which not every request asks for."""
        return replace(self, library_files=(), library_places=())


ELSEWHERE: Final = "it is of another place in the run"


class Request(Generic[A]):
    """A request that is answered by an `A`, or by a `Refusal`."""

    def why_not_of(self, answer: A) -> str | None:  # noqa: ARG002 - of requests that say more
        """Why an answer of the right type belongs to another request; None if it does not."""
        return None


@dataclass(frozen=True)
class OpenSource(Request[Opened]):
    """Loads the source; comes before all requests that name an implementation."""

    files: bool = False


# A request to open several sources at once, for a list of what there is.


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Kind and place of a source."""

    kind: str
    """Kind of the `Source`."""
    path: str | None
    """Path of a plugin; None for other kinds."""


@dataclass(frozen=True, slots=True)
class OpenedEach:
    """The statements of the sources about themselves."""

    lines: tuple[str | None, ...]
    """Lines that answer `OpenSource`, in the order of the request. They come from foreign code, and
    are yet to be decoded. None stands for a line that did not come in time."""


@dataclass(frozen=True)
class OpenEach(Request[OpenedEach]):
    """Opens each source, with its files, in a process that the worker forks."""

    places: tuple[SourcePlace, ...]
    limit_s: float
    """Time limit for each source, above 0."""


# Outputs of implementations as text, by which the worker and the parent compare them.

_LONG_OUTPUT_BYTES = 64


def output_text(output: bytes) -> str:
    """Hexadecimal, or the SHA-256 of an output too long to send (a cipher's)."""
    if len(output) <= _LONG_OUTPUT_BYTES:
        return output.hex()
    return f"sha256:{sha256_text(output)}"


def sha256_text(output: bytes) -> str:
    """The SHA-256 of an output, in hexadecimal digits."""
    import hashlib  # noqa: PLC0415 - loads a library of a megabyte, which few workers need

    return hashlib.sha256(output).hexdigest()


# Messages as lines of JSON: writes all messages, and reads requests in a worker.
#
# The fields of a message are those of its JSON object; a request has its type beside them.
# Bytes are hexadecimal.


def encode(message: Any) -> bytes:
    """Writes a request or an answer as a line."""
    kind = type(message)
    name = {"request": [kind.__module__, kind.__name__]} if isinstance(message, Request) else {}
    values = {**name, **_plain(message)}
    return json.dumps(values, default=_plain, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    """A value for which JSON has no form, as a value for which it has one."""
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "stored"):  # a TraceFault, whose module most workers do not import
        return value.stored
    return {field.name: getattr(value, field.name) for field in fields(value)}


def decode_request(line: str) -> Request[Any]:
    """Reads the request in a line that `encode` made."""
    values = json.loads(line)
    module, name = values.pop("request")
    request: Request[Any] = _typed(getattr(import_module(module), name), values)
    return request


def _typed(kind: Any, value: Any) -> Any:
    """A value of the type, from the JSON value that `encode` made of it."""
    of = get_args(kind)
    if value is not None and get_origin(kind) is UnionType:
        return _typed(of[0], value)
    if get_origin(kind) is tuple:
        return tuple(_typed(of[0], item) for item in value)
    if kind is bytes:
        return bytes.fromhex(value)
    if isinstance(kind, type) and is_dataclass(kind):
        types = _field_types(kind)
        return kind(**{name: _typed(types[name], item) for name, item in value.items()})
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@cache
def _field_types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
