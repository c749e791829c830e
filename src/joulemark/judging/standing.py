# SPDX-License-Identifier: Apache-2.0
"""Which windows figures and comparisons stand on: one decision for all trials that compete.

The best windows are those that nothing interrupted and that had the core alone; then come windows
that nothing interrupted; then all windows. The first kind of which every competitor has enough is
taken for all of them. If it were decided trial by trial, a lucky trial would stand on clean windows
and its rival on interrupted ones, and the difference between them would be luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload

# Which windows ran while another hardware thread used the same core.
#
# Such a thread interrupts nothing and takes no CPU time from ours, yet code that keeps the core
# busy then takes up to twice as long. The thread belongs to another program, or to another guest of
# the same machine. Probes before and after each window count the independent additions that the
# core does in a cycle (`harness/clock/core_width.c`): always the same number alone, fewer beside
# another thread.
#
# The rule looks at the instrument alone, never at the time per message. Its consequences are
# decided for competitors together (`standing`, below).

SHARED_BELOW: Final = 0.95
"""Part of the best rate of additions below which a core counts as shared: alone, probes agree to
2 %; the least that another busy thread took was 7 %."""
_BEST: Final = 0.98
"""Quantile of the rates of a run that counts as the best: a probe of the clock that was itself
interrupted makes the rate beside it too high."""

Samples = Mapping[Trial, Sequence[RawSample]]


def additions_per_cycle(sample: RawSample) -> float | None:
    """The lower of the rates before and after the window; None without both probes."""
    # Written without a loop for speed: judging a run asks four times for each sample.
    before, after = sample.width_ticks_before, sample.width_ticks_after
    chain_before, chain_after = sample.chain_ticks_before, sample.chain_ticks_after
    if not (before and after and chain_before and chain_after) or sample.chain_adds <= 0:
        return None
    adds, chain_adds = sample.width_adds, sample.chain_adds
    return min(
        adds * chain_before / (before * chain_adds), adds * chain_after / (after * chain_adds)
    )


def core_was_shared(sample: RawSample, best: float | None) -> bool:
    """Whether the core did fewer additions in a cycle than alone; False where that is unknown."""
    rate = additions_per_cycle(sample)
    return best is not None and rate is not None and rate < SHARED_BELOW * best


def best_rate(samples: Samples) -> float | None:
    """Additions per cycle of the core alone, as far as this run shows; None without probes."""
    rates = sorted(
        rate
        for sample in chain.from_iterable(samples.values())
        if (rate := additions_per_cycle(sample)) is not None
    )
    return rates[int(_BEST * (len(rates) - 1))] if rates else None


# Which windows were interrupted: they are taken again, and figures stand on others.
#
# The rule looks at the instrument, never at the time per message: at whether another thread
# displaced ours, and at how much less CPU time than wall time the window has. A window is taken
# again up to a stated number of times; every window is stored. `standing`, below, decides
# which windows figures stand on.

OFF_CPU_SHARE: Final = 0.01
"""Waiting for 1 % of a window is about as much as the differences that are worth finding."""


def off_cpu_share(sample: RawSample) -> float:
    """Share of the window in which the thread did not run, from 0 to 1."""
    return _off_cpu_share(sample.wall_ns, sample.thread_cpu_ns)


def _off_cpu_share(wall_ns: int, thread_cpu_ns: int) -> float:
    """1 - thread_cpu_ns / wall_ns.

    A small negative difference, from two clocks read one after the other, counts as 0.
    """
    return max(0.0, 1 - thread_cpu_ns / wall_ns) if wall_ns > 0 else 0.0


def was_interrupted(sample: RawSample) -> bool:
    """Whether this sample's window was interrupted."""
    return window_was_interrupted(
        sample.wall_ns, sample.thread_cpu_ns, sample.voluntary_switches, sample.involuntary_switches
    )


def window_was_interrupted(
    wall_ns: int, thread_cpu_ns: int, voluntary_switches: int, involuntary_switches: int
) -> bool:
    """Whether another thread took the CPU in the window.

    Code that gives the CPU up by itself, to sleep, to wait for a lock or to read, is not
    interrupted: its waiting is part of its cost.
    """
    if involuntary_switches:
        return True
    return not voluntary_switches and _off_cpu_share(wall_ns, thread_cpu_ns) > OFF_CPU_SHARE


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
    clean = {
        key: [sample for sample in taken if not was_interrupted(sample)]
        for key, taken in every.items()
    }
    alone = {
        key: [sample for sample in taken if not core_was_shared(sample, best[key])]
        for key, taken in clean.items()
    }
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
