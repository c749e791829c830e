# SPDX-License-Identifier: Apache-2.0
"""Observers of a run, which show its progress."""

from __future__ import annotations

from typing import Any, Protocol

from joulemark.records.failure import Failure
from joulemark.records.trial import Trial


class RunObserver(Protocol):
    """Is told of each event of a run, to show progress.

    Calls come between visits, never inside one. A visit is the turn of one trial in one round: one
    or more samples.
    """

    def started(self, run_id: int, total: int, kept: int) -> None:
        """`total` visits are wanted, of which `kept` are in the store already."""

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """The samples of one more of `total` visits are stored, of this trial."""

    def metered(self, done: int, total: int, what: str) -> None:
        """One more of `total` energy windows is stored; `what` ran in it."""

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """The clocks of one more of `total` trials of hardware cores are stored."""

    def failed(self, failure: Failure) -> None:
        """An implementation will have no figure."""


class SilentObserver:
    """Ignores all events."""

    def _ignore(self, *_event: Any, **_more: Any) -> None:
        """Does nothing."""

    started = sampled = metered = simulated = failed = _ignore
