# SPDX-License-Identifier: Apache-2.0
"""Which windows figures and comparisons stand on: one decision for all trials that compete.

Best are windows that nothing interrupted, with the core alone; then windows that nothing
interrupted; then all of them. The first kind of which every competitor has enough is taken, for all
of them. Decided trial by trial, one that was lucky would stand on clean windows and its rival on
interrupted ones, and the difference would be the luck.
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
"""Share of a trial's clean windows that must have had the core alone for figures to stand on
those. The best rate of additions is a quantile of the run, so that a few windows always have it."""
FEWEST_ALONE_GENERATIONS: Final = 4
"""Process generations, of those that a trial has, in which such windows must lie: another guest of
the machine comes and goes within seconds, and intervals come from generations."""

Key = TypeVar("Key")
_Place = tuple[str, Workload, str]


def standing(
    samples: Mapping[Trial, Sequence[RawSample]],
    *others: Mapping[Trial, Sequence[RawSample]],
) -> dict[Trial, list[RawSample]]:
    """The samples of a run that figures stand on.

    Args:
        samples: of a run, by trial.
        others: of runs that it is compared with: they decide too.
    """
    best = [best_rate(run) for run in (samples, *others)]
    groups: dict[_Place, list[tuple[int, Trial]]] = {}
    for number, run in enumerate((samples, *others)):
        for trial in run:
            place = (trial.algorithm, trial.workload, trial.target)
            groups.setdefault(place, []).append((number, trial))
    kept: dict[tuple[int, Trial], list[RawSample]] = {}
    for members in groups.values():
        kept |= _chosen(
            {member: (samples, *others)[member[0]][member[1]] for member in members},
            {member: best[member[0]] for member in members},
        )
    return {trial: kept[0, trial] for trial in samples}


def chosen(members: Mapping[Key, Sequence[RawSample]]) -> dict[Key, list[RawSample]]:
    """The same for competitors that are no trials, without a look at how much core they got."""
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
