# SPDX-License-Identifier: Apache-2.0
"""The coverage of the native check (`harness/check`), and the faults that it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """The kind of fault, in the words of `bindings/check.cpp`."""

    WRONG_OUTPUT = "wrong output"
    WROTE_BEFORE_OUTPUT = "wrote before its output"
    WROTE_BEHIND_OUTPUT = "wrote past the end of its output"
    WROTE_MESSAGE = "wrote into its message"
    WROTE_BEHIND_STATE = "wrote past the end of its state"
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
