# SPDX-License-Identifier: Apache-2.0
"""All refusals of Joulemark, as one tree.

    JoulemarkError                exit code 2 unless a class says otherwise
    |-- UsageError                the request makes no sense: bad size, unknown algorithm
    |-- UnavailableError          the request cannot be met here: no library, CPU feature, meter
    |-- StoreError                the database cannot be read or written
        |-- StoreAwayError        its server does not answer
    |-- KeySourceError            a key could not be read
    |-- ImplementationError       foreign or own code misbehaved
        |-- WrongOutputError      its output is not that of the standard
        |-- UncheckedError        its output cannot be checked
        |-- MessageLengthError    it does not take messages of one trial's length
        |-- ProcessEndedError     its process ended before it answered
            |-- CrashError        the process died
            |-- HangError         the process did not answer in time, and was ended

The message of an error is one or two sentences that say what failed, where, and how to mend it; the
command line prints the message alone, without a traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class JoulemarkError(Exception):
    """Base of every refusal; its text is meant for the user."""

    exit_code = 2


class UsageError(JoulemarkError):
    """A request makes no sense."""


class UnavailableError(JoulemarkError):
    """A request cannot be met on this machine; the message names the remedy."""


class StoreError(JoulemarkError):
    """The database cannot be opened, read or written."""


class StoreAwayError(StoreError):
    """The server of a database does not answer, or takes nothing more at present."""


class KeySourceError(JoulemarkError):
    """A key could not be read from the source that the user named."""


class ImplementationError(JoulemarkError):
    """An implementation misbehaved; the error is recorded as its failure, never as the run's.

    Args:
        what: what happened.
        log: file with the output of a tool, which the message names at its end.
        hint: the end of the sentence, which names a probable cause; empty if none is known.
    """

    def __init__(self, what: str, log: Path | None = None, *, hint: str = "") -> None:
        self.without_log = f"{what}{hint}"
        super().__init__(self.without_log if log is None else f"{self.without_log}; see {log}")
        self.what = what
        self.hint = hint
        self.log = log


class WrongOutputError(ImplementationError):
    """An implementation computed another output than its standard defines."""


class ProcessEndedError(ImplementationError):
    """The process running an implementation ended before it answered.

    Args:
        what: what happened.
        said_last: the last line that the process printed; empty if it printed none.
        signal: name of the signal that ended it; empty if none did.
        hint: as of `ImplementationError`.
    """

    def __init__(self, what: str, said_last: str = "", signal: str = "", *, hint: str = "") -> None:
        super().__init__(f"{what}; it said last: {said_last}" if said_last else what, hint=hint)
        self.what = what
        self.said_last = said_last
        self.signal = signal


class CrashError(ProcessEndedError):
    """The process running an implementation died."""


class HangError(ProcessEndedError):
    """An implementation did not answer within its time limit, and its process was ended."""


class UncheckedError(ImplementationError):
    """No vector or reference gives the output of an implementation, so it is not timed."""


class MessageLengthError(ImplementationError):
    """An implementation does not take messages of one trial's length; its other trials stand."""
