# SPDX-License-Identifier: Apache-2.0
"""All that the process that measures and its workers say to each other, each message as a type.

`joulemark.measure.workers.lines` writes them, and reads requests, which come from us and are taken
as they are. `joulemark.measure.workers.answers` reads answers, which come from a process that runs
foreign code, and holds each to its type here. A worker imports this module, so that it must not
import much: no pydantic; what concerns energy is in `joulemark.measure.workers.energy_messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar

from joulemark.records.finding import Coverage, Finding
from joulemark.records.implementation import LibraryFile
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial

__all__ = [
    "Calibrate",
    "Calibrated",
    "Check",
    "Checked",
    "Clocks",
    "ComputeBatches",
    "ComputeOutputs",
    "LoopSeries",
    "MeasureLoop",
    "OpenSource",
    "Opened",
    "OutputCase",
    "Outputs",
    "ReadClocks",
    "Refusal",
    "RefusalKind",
    "Replay",
    "Replayed",
    "Request",
    "TableEntry",
    "TrialRun",
    "Visit",
    "Visited",
]

A = TypeVar("A")


class _Bounds(NamedTuple):
    """Constraints of a value, in pydantic's words; only the reader of answers asks for them."""

    constraints: tuple[tuple[str, float], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the value with the constraints."""
        return {**handler(source), **dict(self.constraints)}


def _within(**constraints: float) -> _Bounds:
    return _Bounds(tuple(constraints.items()))


_LONGEST_KEY: Final = 1 << 16
"""No MAC has a key of a terabyte; what a plugin's table says of itself is held to this."""
_Name = Annotated[str, _within(min_length=1, max_length=64)]
"""Fits on a line of a table."""
_Sentence = Annotated[str, _within(max_length=2000)]
_Count = Annotated[int, _within(ge=0, le=2**63 - 1)]
_Small = Annotated[int, _within(ge=0, le=_LONGEST_KEY)]
_Length = Annotated[int, _within(ge=1, le=_LONGEST_KEY)]


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

    algorithm: _Name
    variant: _Name
    note: _Sentence | None
    kind: str
    cpu_features: tuple[str, ...]
    missing_features: tuple[str, ...]
    lanes: Annotated[int, _within(ge=1, le=4096)]
    constant_time: bool
    block_bytes: _Length
    output_bytes: _Length
    key_bytes_min: _Small
    key_bytes_max: _Count | None
    key_bytes: _Small
    batch_calls: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """What a source says of itself."""

    provider: _Sentence
    library_version: _Sentence
    compiler: _Sentence
    flags: _Sentence
    implementations: tuple[TableEntry, ...]
    library_files: tuple[LibraryFile, ...] = ()
    """Files of an outside library, if they were asked for."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What an implementation computed."""

    outputs: tuple[str | None, ...]
    """For each case `output_text`; None where it does not take messages of that length."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one case found."""

    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Checked:
    """What the native check covered and found."""

    finding: Finding | None
    coverage: Coverage
    cpu_s: Annotated[float, _within(ge=0)]
    held_to: _Sentence
    """What the outputs were compared with."""
    every_sha256: str | None
    """Of a portable kernel that nothing was found in: SHA-256 of its outputs of every length."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """How many messages fill a window."""

    messages: Annotated[int, _within(ge=1, le=2**53)]
    message_ps: Annotated[float, _within(gt=0)]
    output: str
    """`output_text` of the trial's smallest window."""


@dataclass(frozen=True, slots=True)
class Visited:
    """The raw samples of a visit."""

    samples: Annotated[tuple[RawSample, ...], _within(min_length=1)]
    output: str
    spot: Finding | None
    """Of one more message, after the windows."""


@dataclass(frozen=True, slots=True)
class LoopSeries:
    """Raw series of the harness's own loop, in ns for `messages` messages each."""

    messages: Annotated[int, _within(ge=1)]
    without_call_ns: tuple[_Count, ...]
    empty_call_ns: tuple[_Count, ...]


@dataclass(frozen=True, slots=True)
class Clocks:
    """Resolution and availability of the counters, seen from a pinned process."""

    monotonic_step_ns: _Count
    tsc: bool
    run_queue: bool
    perf_cycles_reason: str | None
    """Why core cycles cannot be counted."""
    chain_adds: _Count
    chain_ticks: int | None


class Request(Generic[A]):
    """A request that is answered by an `A`, or by a `Refusal`."""


@dataclass(frozen=True)
class OpenSource(Request[Opened]):
    """Loads the source; comes before all requests that name an implementation."""

    files: bool = False


@dataclass(frozen=True)
class OutputCase:
    """A key and a message: `message` repeated, or the harness's message of `pattern_bytes`."""

    key: bytes = b""
    message: bytes = b""
    repeat: int = 1
    pattern_bytes: int | None = None


@dataclass(frozen=True)
class ComputeOutputs(Request[Outputs]):
    """Asks for the output of each case."""

    implementation: str
    cases: tuple[OutputCase, ...]


@dataclass(frozen=True)
class ComputeBatches(Request[Outputs]):
    """Asks for the outputs of batches of messages of these lengths in bytes, a call for each."""

    implementation: str
    key: bytes
    """Of the first message; the others have keys made from it (`distinct_keys`)."""
    cases: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Check(Request[Checked]):
    """Asks for the native check."""

    implementation: str
    seed: int
    cpu_ns: int
    huge: bool
    """Messages over 4 GiB too."""
    slack: bool
    """With memory behind every message."""


@dataclass(frozen=True)
class Replay(Request[Replayed]):
    """Asks for one case of the native check."""

    implementation: str
    line: str


@dataclass(frozen=True)
class TrialRun:
    """A trial as a worker runs it."""

    trial: Trial
    """Its implementation is called as in the table of its source."""
    key: bytes


@dataclass(frozen=True)
class Calibrate(Request[Calibrated]):
    """Asks how many messages fill a window."""

    run: TrialRun
    window_ns: int


@dataclass(frozen=True)
class Visit(Request[Visited]):
    """Asks for a window at each placement, and one at a spare one for each interrupted window."""

    run: TrialRun
    round_index: int
    position: int
    generation: int
    messages: int
    """Of each window."""
    warm_up: int
    """Messages before the first window."""
    settle: int
    """Messages before each later one."""
    placements: tuple[int, ...]
    spare_placements: tuple[int, ...]


@dataclass(frozen=True)
class MeasureLoop(Request[LoopSeries]):
    """Asks for the cost of the harness's own loop."""

    messages: int
    rounds: int


@dataclass(frozen=True)
class ReadClocks(Request[Clocks]):
    """Asks for the counters, for the doctor."""
