# SPDX-License-Identifier: Apache-2.0
"""Windows until one counts: run, validate, adjust, run again, as figure 3 of rashwan2012 has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from joulemark.judging.sessions import Limits, Trouble, adjusted, own_share, troubles
from joulemark.measure.sessions.work import Scenario
from joulemark.records.sessions import SessionsWindow

__all__ = ["Ask", "Attempt", "RoundAttempts", "take"]

Ask = Callable[[int, int], SessionsWindow]
"""Warm-up and window in ns -> what was measured."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One window and what is wrong with it."""

    window: SessionsWindow
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class RoundAttempts:
    """All windows of one round, in order."""

    attempts: tuple[Attempt, ...]
    """At least one; all but the last have troubles."""

    @property
    def best(self) -> Attempt:
        """The one that counts; else the one with the fewest troubles that had most of the cores."""
        return min(
            self.attempts, key=lambda attempt: (len(attempt.troubles), -own_share(attempt.window))
        )

    @property
    def counts(self) -> bool:
        """Whether a window without troubles was taken."""
        return not self.best.troubles


def take(ask: Ask, scenario: Scenario, limits: Limits) -> RoundAttempts:
    """Takes windows until one counts, or `scenario.attempts` of them.

    Raises:
        ImplementationError: as the worker says.
    """
    return RoundAttempts(tuple(_attempts(ask, scenario, limits)))


def _attempts(ask: Ask, scenario: Scenario, limits: Limits) -> Iterator[Attempt]:
    warm_up_ns, window_ns = scenario.warm_up_ns, scenario.window_ns
    for _ in range(scenario.attempts):
        window = ask(warm_up_ns, window_ns)
        found = tuple(troubles(window, limits))
        yield Attempt(window, found)
        if not found:
            return
        warm_up_ns, window_ns = adjusted(
            warm_up_ns, window_ns, found, longest_ns=scenario.longest_ns
        )
