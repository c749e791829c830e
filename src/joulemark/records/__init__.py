# SPDX-License-Identifier: Apache-2.0
"""Plain facts that the rooms hand to one another. Nothing here measures, divides or stores.

Here are those about implementations: the facts that they state, why some cannot be measured, and
the faults that were found in them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON, as a store, an export or an instrument has it. Who reads it checks it."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record that can be written as JSON."""

    def as_dict(self) -> JsonObject:
        """Field names and values, those of other records in it as further objects."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file that an outside library was loaded from."""

    name: str
    """Name of the file without its folder."""
    sha256: str


@dataclass(frozen=True, slots=True)
class ImplementationFacts(Record):
    """The facts that an implementation states of itself, and its build; stored with every run."""

    implementation: str
    """`algorithm/variant`, with `#2` for an A/A twin."""
    kind: str
    """`hash`, `mac` or `cipher`."""
    provider: str
    """`joulemark` for our own kernels, else the outside library or plugin."""
    library_version: str
    compiler: str
    flags: str
    cpu_features: tuple[str, ...]
    """Names of the CPU features that it needs."""
    lanes: int
    constant_time: bool | None
    """True: it claims constant time, and tests check the claims of our kernels. False: branches or
    addresses depend on keys or messages. None: no claim, since nobody has checked it."""
    block_bytes: int
    output_bytes: int
    key_bytes_min: int
    key_bytes_max: int | None
    """None if there is no longest key."""
    key_bytes: int
    note: str | None = None
    chosen: str | None = None
    """The variant that `auto` stands for on this CPU; None for every explicit variant."""
    batch_calls: bool = False
    """Whether it takes several messages in one call."""
    library_files: tuple[LibraryFile, ...] = ()
    """Files that the outside library was loaded from. Empty for our own kernels, for code that is
    whole in its plugin, where the system does not tell, and in stores older than this field."""


def is_core(implementation: str) -> bool:
    """Whether a name is that of a hardware core, `<algorithm>/core_<name>`."""
    return "/core_" in implementation


# Implementations and trials that could not be measured, with the reason.

ENERGY = "*/energy"
"""Name of the failure by which a run records that no energy could be metered."""


class FailureKind(StrEnum):
    """Why an implementation has no figure."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    """The implementation does not take messages of one length; its figures at others stand."""
    WRONG_OUTPUT = "wrong output"
    CRASH = "crash"
    HANG = "hang"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Failure:
    """One implementation that could not be measured, or a trial that broke off."""

    implementation: str
    kind: FailureKind
    reason: str
    """One sentence: the fault, its place, and the remedy."""
    size_bytes: int | None = None
    """Message size at which the trial failed; None if the whole implementation failed."""

    @property
    def broken(self) -> bool:
        """Whether the code misbehaved, so that its figures are withheld."""
        return self.kind not in (FailureKind.UNAVAILABLE, FailureKind.REFUSED)


# The coverage of the native check (`harness/check`), and the faults that it found.


class FindingKind(StrEnum):
    """The kind of fault, in the words of `bindings/check.cpp`."""

    WRONG_OUTPUT = "wrong output"
    WROTE_BEFORE_OUTPUT = "wrote before its output"
    WROTE_BEHIND_OUTPUT = "wrote past the end of its output"
    WROTE_MESSAGE = "wrote into its message"
    WROTE_BEHIND_STATE = "wrote past the end of its state"
    WROTE_KEY = "wrote into its key"
    TOUCHED_BEYOND_MESSAGE = "touched memory beyond its message"
    TOUCHED_BEYOND_OUTPUT = "touched memory beyond its output"
    TOUCHED_BEYOND_KEY = "touched memory beyond its key"
    TOUCHED_BEYOND_STATE = "touched memory beyond its state"
    REFUSED_KEY = "refused a key"
    REFUSED_MESSAGE = "reported a failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest input that shows a fault, and its output."""

    verdict: FindingKind
    call: str
    """How the message was handed over: `one`, `stream`, `batch`, ..."""
    line: str
    """The case as `joulemark test --replay` takes it."""
    message_bytes: int
    key_bytes: int
    keys: int
    part: int
    """Number of the part of the call, stream or batch that showed the fault, from 0."""
    parts: int
    at: int | None
    """Address of the message modulo 64; None where it lay at the end of its memory."""
    out: int | None
    """Address of the output modulo 64; None where it lay at the end of its memory."""
    got: str
    """Output in hexadecimal."""
    expected: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """The extent of a check."""

    lengths: int
    long_lengths: int
    alignments: int
    keys: int
    key_lengths: int
    streams: int
    batches: int
    structured: int
    """Keys and messages with bits at the ends of limbs, at which sums carry."""
    thread_calls: int
    """Calls of two threads at once, each under its own key."""
    calls: int
    longest_bytes: int
    refused_bytes: int
    """Length of the shortest message that an outside library refuses; 0 if it takes all."""
