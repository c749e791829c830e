# SPDX-License-Identifier: Apache-2.0
"""What the process that measures and a simulation of a core say to each other, as types."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.records.failure import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode

__all__ = ["CountClocks", "CountFailed", "CountedLengths", "LengthClocks"]


@dataclass(frozen=True, slots=True)
class CountClocks:
    """Asks for the clocks of a core; the answer is `answer.json` in the folder."""

    manifest: str
    parameters: dict[str, int]
    lengths: tuple[int, ...]
    """Bytes of the messages."""
    modes: tuple[Mode, ...]
    folder: str
    """For sources and logs too."""


@dataclass(frozen=True, slots=True)
class LengthClocks:
    """What was counted of messages of one length in one mode."""

    mode: Mode
    size_bytes: int
    count: ClockCount


@dataclass(frozen=True, slots=True)
class CountedLengths:
    """The clocks of every length that the core takes."""

    clocks: tuple[LengthClocks, ...]
    refused: dict[int, str]
    """Message bytes that the core does not take -> why."""


@dataclass(frozen=True, slots=True)
class CountFailed:
    """Why nothing was counted."""

    kind: FailureKind
    error: str
    """Names no log: the folder is gone by the time it is read."""
