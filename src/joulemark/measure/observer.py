# SPDX-License-Identifier: Apache-2.0
"""Who is told what happens in a run, to show progress."""

from __future__ import annotations

from typing import Protocol

from joulemark.records.failure import Failure
from joulemark.records.trial import Trial

__all__ = ["RunObserver", "SilentObserver"]


class RunObserver(Protocol):
    """Told what happens, to show progress. Calls come between visits, never inside one.

    A visit is what one trial gets in one round: one or more samples.
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
    """Observes nothing."""

    def started(self, run_id: int, total: int, kept: int) -> None:
        """Ignored."""

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """Ignored."""

    def metered(self, done: int, total: int, what: str) -> None:
        """Ignored."""

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """Ignored."""

    def failed(self, failure: Failure) -> None:
        """Ignored."""
