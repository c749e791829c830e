# SPDX-License-Identifier: Apache-2.0
"""The race of candidates: after stated numbers of rounds, those slower at every length leave.

A candidate leaves if at every length another one is told to be faster. The usual one stays to the
end, for gains are told against it. Each look and each length has a share of alpha: over the whole
search, the chance that the fastest candidate at some length leaves, or is not named as perhaps the
fastest, is at most alpha.
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
"""Blocks of rounds after which the samples are looked at; each look but the first has as many new
blocks as there were before it. The budget may end the search sooner, with a look."""
LOOKS: Final = len(BLOCKS_AT_LOOKS)
MATTERS: Final = 0.01
"""Smallest gain for which a user would change flags, as the threshold of `joulemark compare`."""


def share_of_alpha(fields: int, competitors: int) -> float:
    """The share of alpha of one comparison of two candidates, in one field, at one look.

    Args:
        fields: number of lengths, and one more for all lengths together.
        competitors: how many candidates began; those that left count too.
    """
    of_a_field = ALPHA / LOOKS / max(fields, 1)
    return 1 - simultaneous_level(of_a_field, max(competitors - 1, 1))


def fields_of(timings: Timings, names: Collection[str], competitors: int) -> dict[int, Field]:
    """The field of each length, and of all lengths together if there are several.

    Args:
        timings: as `timings_of` gives them.
        names: the candidates that are compared.
        competitors: how many candidates began.
    """
    lengths = sorted({length for timing in timings.values() for length in timing} - {OVERALL})
    if len(lengths) > 1:
        lengths.append(OVERALL)
    each = share_of_alpha(len(lengths), competitors)
    fields: dict[int, Field] = {}
    for length in lengths:
        there = {name: timings[name][length] for name in names if length in timings.get(name, {})}
        if there:
            fields[length] = field_of(there, each)
    return fields


@dataclass
class Race:
    """Tells the runner after each block of rounds which trials get another one (a `GoingOn`)."""

    names: Sequence[str]
    """Implementations that begin."""
    usual: str
    """The implementation that stays to the end."""
    trials: Sequence[Trial]
    rounds: int
    """Rounds of each block."""
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
        """The trials that get another block; if there is none, the search ends."""
        self.rounds_taken = blocks * self.rounds
        spent = self.clock() - self._begun_s >= self.budget_s
        if spent or blocks in BLOCKS_AT_LOOKS:
            left = self.left
            timings = timings_of({trial: taken for trial, taken in samples.items()
                                  if trial.implementation in left})  # fmt: skip
            fields = fields_of(timings, left, len(self.names))
            self._drop_slower(fields)
            if spent or blocks >= BLOCKS_AT_LOOKS[-1] or _settled(fields, self.left):
                return ()
        left = self.left
        return [trial for trial in self.trials if trial.implementation in left]

    def _drop_slower(self, fields: Mapping[int, Field]) -> None:
        """Lets the candidates leave that are told to be slower at every length."""
        may_win = {name for length, field in fields.items() if length != OVERALL
                   for name in field.perhaps_best}  # fmt: skip
        for name in self.left:
            if name not in may_win and name != self.usual:
                self.fallen[name] = self.rounds_taken


def _settled(fields: Mapping[int, Field], left: Collection[str]) -> bool:
    """Whether more rounds can change nothing that matters.

    This is so if each candidate is told to be slower than the best one, or is within 1 % of it.
    """
    gaps = [
        field.gap(name, field.best)
        for field in fields.values()
        for name in left
        if name != field.best
    ]
    return all(gap is not None and (gap.slower or gap.high < 1 + MATTERS) for gap in gaps)
