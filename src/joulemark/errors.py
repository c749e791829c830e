# SPDX-License-Identifier: Apache-2.0
"""Everything Joulemark can refuse, as one tree.

    JoulemarkError                exit code 2 unless a class says otherwise
    |-- UsageError                the request makes no sense: bad size, unknown algorithm
    |-- UnavailableError          the request cannot be met here: no library, CPU feature, meter
    |-- StoreError                the database cannot be read or written
        |-- StoreAwayError        its server does not answer
    |-- KeySourceError            a key could not be read
    |-- ImplementationError       foreign or own code misbehaved
        |-- WrongOutputError      its output is not that of the standard
        |-- UncheckedError        nothing says what its output must be
        |-- MessageLengthError    it does not take messages of one trial's length
        |-- ProcessEndedError     its process ended before it answered
            |-- CrashError        it died
            |-- HangError         it did not answer in time, and was ended

The message of each is one sentence or two that say what, where, and how to mend it; the command
line prints it alone, without a traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CrashError",
    "HangError",
    "ImplementationError",
    "JoulemarkError",
    "KeySourceError",
    "MessageLengthError",
    "ProcessEndedError",
    "StoreAwayError",
    "StoreError",
    "UnavailableError",
    "UncheckedError",
    "UsageError",
    "WrongOutputError",
]


class JoulemarkError(Exception):
    """Base of every refusal; its text is meant for the user."""

    exit_code = 2


class UsageError(JoulemarkError):
    """What was asked for makes no sense."""


class UnavailableError(JoulemarkError):
    """What was asked for cannot be had on this machine; the message names the remedy."""


class StoreError(JoulemarkError):
    """The database cannot be opened, read or written."""


class StoreAwayError(StoreError):
    """The server of a database does not answer, or takes nothing more at present."""


class KeySourceError(JoulemarkError):
    """A key could not be read from where the user pointed."""


class ImplementationError(JoulemarkError):
    """An implementation misbehaved; recorded as its failure, never as the run's.

    Args:
        what: what happened.
        log: file with what a tool said of it, which the message names at its end.
    """

    def __init__(self, what: str, log: Path | None = None) -> None:
        super().__init__(what if log is None else f"{what}; see {log}")
        self.without_log = what
        self.log = log


class WrongOutputError(ImplementationError):
    """An implementation computed something else than its standard says."""


class ProcessEndedError(ImplementationError):
    """The process running an implementation ended before it answered.

    Args:
        what: what happened.
        said_last: the last line that the process printed; empty if it printed none.
        signal: name of the signal that ended it; empty if none did.
    """

    def __init__(self, what: str, said_last: str = "", signal: str = "") -> None:
        super().__init__(f"{what}; it said last: {said_last}" if said_last else what)
        self.what = what
        self.said_last = said_last
        self.signal = signal


class CrashError(ProcessEndedError):
    """The process running an implementation died."""


class HangError(ProcessEndedError):
    """An implementation did not answer within its time limit, and its process was ended."""


class UncheckedError(ImplementationError):
    """Nothing says what an implementation must compute, so it is not timed."""


class MessageLengthError(ImplementationError):
    """An implementation does not take messages of one trial's length; its other trials stand."""
