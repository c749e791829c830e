# SPDX-License-Identifier: Apache-2.0
"""Why windows of many connections give no answer, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from joulemark.cli.shared.terminal import listed
from joulemark.judging.sessions import TroubleKind
from joulemark.measure.gathering.run import GatherRounds
from joulemark.measure.sessions.run import SessionRounds

Rounds = TypeVar("Rounds", SessionRounds, GatherRounds)
_NAMED: Final = 2
"""Points that the sentence names."""
_WHY: Final = {
    TroubleKind.OVER_UTILISED: (
        "others use the cores too",
        "wait for a quiet moment, or name other --cores",
    ),
    TroubleKind.UNSTEADY: (
        "they were not steady",
        "a --longest above the window would help, or fewer --sessions",
    ),
    TroubleKind.TOO_SHORT: (
        "they were too short",
        "a --longest above the window would help, or fewer --sessions",
    ),
}
"""Kind of trouble -> what it means for windows, and the remedy."""


def no_answer(found: Sequence[Rounds], title: Callable[[Rounds], str]) -> str | None:
    """Returns why points have no figure, and what would help; None if each has one.

    A point that failed is not named here: its failure says why.

    Args:
        found: all points.
        title: names a point.
    """
    lacking = [point for point in found if not point.good and point.failure is None]
    taken = [attempt for point in found for each in point.rounds for attempt in each.attempts]
    bad = [attempt for attempt in taken if attempt.troubles]
    if not lacking or not bad:
        return None
    kinds = Counter(trouble.kind for attempt in bad for trouble in attempt.troubles)
    kind = TroubleKind.OVER_UTILISED
    if kind not in kinds:
        kind = kinds.most_common(1)[0][0]
    example = next(
        trouble.sentence for attempt in bad for trouble in attempt.troubles if trouble.kind is kind
    )
    means, remedy = _WHY[kind]
    whose = (
        ""
        if len(lacking) == len(found)
        else (f" of {listed([title(point) for point in lacking], _NAMED)}")
    )
    return (
        f"no figure{whose}, as {len(bad)} of {len(taken)} windows do not count: {means} "
        f"({example}); {remedy}"
    )
