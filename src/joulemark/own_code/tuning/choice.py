# SPDX-License-Identifier: Apache-2.0
"""The choice of a search: the best candidate at each length, and one candidate for all lengths.

The usual flags are given up only for a candidate that is told to be faster over all lengths by more
than what matters: its whole interval lies beyond 1 %. If no candidates are told apart, two searches
in a row then choose the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from joulemark.own_code.tuning.race import MATTERS, fields_of, share_of_alpha
from joulemark.own_code.tuning.standing import (
    OVERALL,
    Field,
    Gap,
    Rounds,
    Timings,
    gap_between,
)

__all__ = ["Choice", "choose"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate to use, and how sure the choice is."""

    chosen: str
    usual: str
    over_usual: Gap | None
    """Seconds of the usual candidate over those of the chosen one; None if the usual one was
    chosen, or has no figure."""
    perhaps_as_good: tuple[str, ...]
    """Other candidates that may be the fastest over all lengths."""
    may_gain: float
    """Largest gain over the chosen candidate that is not excluded: 0.03 for 3 %; infinite if there
    are too few rounds to exclude any."""
    fields: Mapping[int, Field]
    """Length in bytes, and `OVERALL` if there are several lengths -> its field."""
    to_best: Mapping[str, Mapping[int, Gap]]
    """Candidate -> length or `OVERALL` -> its seconds over those of the best candidate there."""

    @property
    def is_usual(self) -> bool:
        """Whether the usual flags were chosen."""
        return self.chosen == self.usual

    @property
    def overall(self) -> Field:
        """The field in which the choice is made."""
        return _overall_of(self.fields)

    def factors(self, length: int) -> dict[str, float]:
        """Candidate -> its seconds over those of the best one, at a length or `OVERALL`."""
        return {name: gaps[length].ratio for name, gaps in self.to_best.items() if length in gaps}


def _overall_of(fields: Mapping[int, Field]) -> Field:
    """The field of all lengths together, or of the only length."""
    return fields.get(OVERALL) or next(iter(fields.values()))


def choose(timings: Timings, left: Collection[str], usual: str, competitors: int) -> Choice | None:
    """Chooses among the candidates that have not left.

    Args:
        timings: timings of all candidates, also of those that have left.
        left: candidates that have not left, and did not fail.
        usual: the candidate that is kept unless another is told to be faster.
        competitors: how many candidates began.

    Returns:
        None if no candidate has a figure at every length.
    """
    fields = fields_of(timings, left, competitors)
    lengths = {length for timing in timings.values() for length in timing} - {OVERALL}
    whole = [name for name in left if lengths and lengths <= timings.get(name, {}).keys()]
    if not whole:
        return None
    field = _overall_of(fields)
    chosen, gain = _choose_in(field, usual, whole)
    each = share_of_alpha(len(fields), competitors)
    others = tuple(name for name in field.perhaps_best if name != chosen)
    return Choice(
        chosen, usual, gain, others, _may_gain(field, chosen), fields,
        {name: _to_best(timings[name], timings, fields, each) for name in timings},
    )  # fmt: skip


def _choose_in(field: Field, usual: str, whole: Collection[str]) -> tuple[str, Gap | None]:
    """The fastest candidate that is told to be faster by what matters, or else the usual one."""
    if usual not in whole:
        return next(name for name in field.perhaps_best if name in whole), None
    for name in field.perhaps_best:
        gap = field.gap(usual, name)
        if name != usual and gap is not None and gap.told and gap.low > 1 + MATTERS:
            return name, gap
    return usual, None


def _may_gain(field: Field, chosen: str) -> float:
    """The largest gain over the chosen one that the intervals of the others leave open."""
    gaps = (field.gap(chosen, name) for name in field.perhaps_best if name != chosen)
    return max([0.0, *(float("inf") if gap is None else gap.high - 1 for gap in gaps)])


def _to_best(
    mine: Mapping[int, Rounds], timings: Timings, fields: Mapping[int, Field], alpha: float
) -> dict[int, Gap]:
    """Seconds of a candidate over those of the best one at each length and over all."""
    gaps = {
        length: gap_between(mine[length], timings[field.best][length], alpha)
        for length, field in fields.items()
        if length in mine
    }
    return {length: gap for length, gap in gaps.items() if gap is not None}
