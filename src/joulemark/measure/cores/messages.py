# SPDX-License-Identifier: Apache-2.0
"""Messages between the process that measures and a simulation of a core, as types."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.records.failure import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode


@dataclass(frozen=True, slots=True)
class CountClocks:
    """Asks for the clocks of a core; the answer is `answer.json` in the folder."""

    manifest: str
    parameters: dict[str, int]
    lengths: tuple[int, ...]
    """Bytes of the messages."""
    modes: tuple[Mode, ...]
    folder: str
    """Folder of the answer, and of sources and logs."""


@dataclass(frozen=True, slots=True)
class LengthClocks:
    """The count of messages of one length in one mode."""

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
    """One sentence; it names no log, since the folder is gone when the sentence is read."""
