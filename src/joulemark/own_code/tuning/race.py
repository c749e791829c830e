# SPDX-License-Identifier: Apache-2.0
"""Who goes on: after stated numbers of rounds, candidates that are slower at every length leave.

A candidate leaves where at every length some other is told to be faster. The usual one stays to
the end, for it is what a gain is told against. Each look, and each length, has its share of alpha,
so that the chance that a candidate which is fastest at some length leaves, or is not named as
perhaps the fastest, is at most alpha over the whole search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from joulemark.own_code.tuning.standing import OVERALL, Field, Timings, field_of, timings_of
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.stats.multiplicity import simultaneous_level

__all__ = ["ALPHA", "BLOCKS_AT_LOOKS", "LOOKS", "MATTERS", "Race", "fields_of", "share_of_alpha"]

ALPHA: Final = 0.05
BLOCKS_AT_LOOKS: Final = (1, 2, 4, 8)
"""Blocks of rounds after which the samples are looked at; each look has as many new ones as all
before it. The budget may end the search sooner, with a look."""
LOOKS: Final = len(BLOCKS_AT_LOOKS)
MATTERS: Final = 0.01
"""Smallest gain for which somebody would change flags, as the threshold of `joulemark compare`."""


def share_of_alpha(places: int, competitors: int) -> float:
    """What one comparison of a candidate with another, at one place, at one look, may use up.

    Args:
        places: lengths, and all of them together.
        competitors: how many candidates began, of which those that left count too.
    """
    at_each_place = ALPHA / LOOKS / max(places, 1)
    return 1 - simultaneous_level(at_each_place, max(competitors - 1, 1))


def fields_of(timings: Timings, names: Collection[str], competitors: int) -> dict[int, Field]:
    """Who may be the fastest at each length, and over all lengths if there are several.

    Args:
        timings: as `timings_of` gives them.
        names: the candidates that are compared.
        competitors: how many candidates began.
    """
    lengths = sorted({place for timing in timings.values() for place in timing} - {OVERALL})
    places = [*lengths, OVERALL] if len(lengths) > 1 else lengths
    each = share_of_alpha(len(places), competitors)
    found: dict[int, Field] = {}
    for place in places:
        there = {name: timings[name][place] for name in names if place in timings.get(name, {})}
        if there:
            found[place] = field_of(there, each)
    return found


@dataclass
class Race:
    """Says after each block of rounds which trials get another one: a `GoingOn` of the runner."""

    names: Sequence[str]
    """Implementations that begin."""
    usual: str
    """The one that stays."""
    trials: Sequence[Trial]
    rounds: int
    """Of each block."""
    budget_s: float
    """Wall time after which no further block begins."""
    clock: Callable[[], float] = time.monotonic
    fallen: dict[str, int] = field(default_factory=dict)
    """Candidate -> rounds after which it left."""
    rounds_taken: int = 0

    def __post_init__(self) -> None:
        self._begun_s = self.clock()

    @property
    def left(self) -> list[str]:
        """Candidates that have not left."""
        return [name for name in self.names if name not in self.fallen]

    def __call__(
        self, blocks: int, samples: Mapping[Trial, Sequence[RawSample]]
    ) -> Collection[Trial]:
        """The trials that get another block; none ends the search."""
        self.rounds_taken = blocks * self.rounds
        spent = self.clock() - self._begun_s >= self.budget_s
        if spent or blocks in BLOCKS_AT_LOOKS:
            left = self.left
            found = fields_of(
                timings_of({trial: taken for trial, taken in samples.items()
                            if trial.implementation in left}),
                left, len(self.names),
            )  # fmt: skip
            self._drop(found)
            if spent or blocks >= BLOCKS_AT_LOOKS[-1] or _settled(found, self.left):
                return ()
        left = self.left
        return [trial for trial in self.trials if trial.implementation in left]

    def _drop(self, found: Mapping[int, Field]) -> None:
        """Lets those leave that are told to be slower at every length."""
        may_win = {name for place, at in found.items() if place != OVERALL
                   for name in at.perhaps_best}  # fmt: skip
        for name in self.left:
            if name not in may_win and name != self.usual:
                self.fallen[name] = self.rounds_taken


def _settled(found: Mapping[int, Field], left: Collection[str]) -> bool:
    """Whether more rounds can change nothing that matters.

    So it is where each candidate is told to be slower than the best, or is within 1 % of it.
    """
    for at in found.values():
        for name in left:
            if name == at.best:
                continue
            gap = at.gap(name, at.best)
            if gap is None or not (gap.slower or gap.high < 1 + MATTERS):
                return False
    return True
