# SPDX-License-Identifier: Apache-2.0
"""Which windows figures and comparisons stand on: one decision for all trials that compete.

The best windows are those that nothing interrupted and that had the core alone; then come windows
that nothing interrupted; then all windows. The first kind of which every competitor has enough is
taken for all of them. If it were decided trial by trial, a lucky trial would stand on clean windows
and its rival on interrupted ones, and the difference between them would be luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from joulemark.judging.interrupted import was_interrupted
from joulemark.judging.shared_core import best_rate, core_was_shared
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

__all__ = ["FEWEST_ALONE_GENERATIONS", "FEWEST_CLEAN", "LEAST_ALONE", "chosen", "standing"]

FEWEST_CLEAN: Final = 6
"""Clean windows that a figure needs: fewer carry no 95 % interval. A window of many milliseconds on
a busy CPU is always interrupted; its trial then has a figure of all windows, and a doubt."""
LEAST_ALONE: Final = 0.1
"""Share of a trial's clean windows that must have had the core alone for figures to stand on those
windows. The best rate of additions is a quantile of the run, so a few windows always have it."""
FEWEST_ALONE_GENERATIONS: Final = 4
"""Process generations of a trial in which such windows must lie: another guest of the machine comes
and goes within seconds, and intervals come from generations."""

Key = TypeVar("Key")
_Contest = tuple[str, Workload, str]
"""What competing trials share: algorithm, workload and target."""


def standing(
    samples: Mapping[Trial, Sequence[RawSample]],
    *others: Mapping[Trial, Sequence[RawSample]],
) -> dict[Trial, list[RawSample]]:
    """The samples of a run that figures stand on.

    Args:
        samples: samples of the run by trial.
        others: samples of runs that it is compared with, which take part in the decision.
    """
    runs = (samples, *others)
    best = [best_rate(run) for run in runs]
    contests: dict[_Contest, list[tuple[int, Trial]]] = {}
    for number, run in enumerate(runs):
        for trial in run:
            contest = (trial.algorithm, trial.workload, trial.target)
            contests.setdefault(contest, []).append((number, trial))
    decided: dict[tuple[int, Trial], list[RawSample]] = {}
    for members in contests.values():
        decided |= _chosen(
            {(number, trial): runs[number][trial] for number, trial in members},
            {(number, trial): best[number] for number, trial in members},
        )
    return {trial: decided[0, trial] for trial in samples}


def chosen(members: Mapping[Key, Sequence[RawSample]]) -> dict[Key, list[RawSample]]:
    """Decides as `standing` for competitors of any kind, but ignores whether a core was shared."""
    return _chosen(members, dict.fromkeys(members))


def _chosen(
    members: Mapping[Key, Sequence[RawSample]], best: Mapping[Key, float | None]
) -> dict[Key, list[RawSample]]:
    every = {key: list(taken) for key, taken in members.items()}
    clean = {key: [sample for sample in taken if not was_interrupted(sample)]
             for key, taken in every.items()}  # fmt: skip
    alone = {key: [sample for sample in taken if not core_was_shared(sample, best[key])]
             for key, taken in clean.items()}  # fmt: skip
    for kind, share, generations in (
        (alone, LEAST_ALONE, FEWEST_ALONE_GENERATIONS),
        (clean, 0.0, 1),
    ):
        if all(
            len(kind[key]) >= min(max(FEWEST_CLEAN, share * len(clean[key])), len(taken))
            and _generations(kind[key]) >= min(generations, _generations(taken))
            for key, taken in every.items()
        ):
            return kind
    return every


def _generations(samples: Sequence[RawSample]) -> int:
    return len({sample.generation for sample in samples})
