# SPDX-License-Identifier: Apache-2.0
"""What a search comes to: the best at each length, and one candidate for all of them.

The usual flags are left only for a candidate that is told to be faster over all lengths by more
than what matters: its whole interval lies beyond 1 %. Where nothing is told apart, two searches in
a row then say the same.
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
    """What to use, and how sure that is."""

    chosen: str
    usual: str
    over_usual: Gap | None
    """Seconds with the usual flags over those with what was chosen; None where the usual ones were
    chosen, or have no figure."""
    perhaps_as_good: tuple[str, ...]
    """Others that may be the fastest over all lengths."""
    may_gain: float
    """How much faster than what was chosen another may be, as far as it is not excluded: 0.03 for
    3 %; infinite where too few rounds exclude anything."""
    fields: Mapping[int, Field]
    """By length in bytes, and `OVERALL` where there are several."""
    to_best: Mapping[str, Mapping[int, Gap]]
    """Candidate -> place -> its seconds over those of the best one there."""

    @property
    def is_usual(self) -> bool:
        """Whether the usual flags were chosen."""
        return self.chosen == self.usual

    @property
    def overall(self) -> Field:
        """The field that the choice is made in."""
        return overall_of(self.fields)

    def factors(self, place: int) -> dict[str, float]:
        """Seconds over those of the best one at a place, of every candidate that has any there."""
        return {name: gaps[place].ratio for name, gaps in self.to_best.items() if place in gaps}


def overall_of(fields: Mapping[int, Field]) -> Field:
    """The field of all lengths together, or of the only one."""
    return fields.get(OVERALL) or next(iter(fields.values()))


def choose(timings: Timings, left: Collection[str], usual: str, competitors: int) -> Choice | None:
    """Chooses among the candidates that have not left.

    Args:
        timings: of all candidates, those that left too.
        left: those that have not left, and did not fail.
        usual: the candidate that is kept unless another is told to be faster.
        competitors: how many candidates began.

    Returns:
        None where no candidate has a figure at every length.
    """
    fields = fields_of(timings, left, competitors)
    lengths = {place for timing in timings.values() for place in timing} - {OVERALL}
    whole = [name for name in left if lengths and lengths <= timings.get(name, {}).keys()]
    if not whole:
        return None
    field = overall_of(fields)
    chosen, gain = _chosen(field, usual, whole)
    each = share_of_alpha(len(fields), competitors)
    others = tuple(name for name in field.perhaps_best if name != chosen)
    return Choice(
        chosen, usual, gain, others, _may_gain(field, chosen), fields,
        {timing: _to_best(timings[timing], timings, fields, each) for timing in timings},
    )  # fmt: skip


def _chosen(field: Field, usual: str, whole: Collection[str]) -> tuple[str, Gap | None]:
    """The fastest of those that are told to be faster by what matters, or the usual one."""
    if usual not in whole:
        return next(name for name in field.perhaps_best if name in whole), None
    for name in field.perhaps_best:
        gap = field.gap(usual, name)
        if name != usual and gap is not None and gap.told and gap.low > 1 + MATTERS:
            return name, gap
    return usual, None


def _may_gain(field: Field, chosen: str) -> float:
    """The largest gain over the chosen one that the intervals of the others leave open."""
    most = 0.0
    for name in field.perhaps_best:
        if name != chosen:
            gap = field.gap(chosen, name)
            most = max(most, float("inf") if gap is None else gap.high - 1)
    return most


def _to_best(
    mine: Mapping[int, Rounds], timings: Timings, fields: Mapping[int, Field], alpha: float
) -> dict[int, Gap]:
    """Seconds of a candidate over those of the best one at each place."""
    found = {
        place: gap_between(mine[place], timings[at.best][place], alpha)
        for place, at in fields.items()
        if place in mine
    }
    return {place: gap for place, gap in found.items() if gap is not None}
