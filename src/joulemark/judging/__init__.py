# SPDX-License-Identifier: Apache-2.0
"""Pure functions that judge counters: which samples and windows count, and why others do not.

Here is which windows count: those of competing trials, by one decision, and those of many sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from math import ceil
from typing import Final, TypeVar

from joulemark.records.sample import GatherWindow, RawSample, SessionsWindow
from joulemark.records.trial import Trial, Workload

# Which windows figures and comparisons stand on: one decision for all trials that compete.
#
# The best windows are those that nothing interrupted and that had the core alone; then come windows
# that nothing interrupted; then all windows. The first kind of which every competitor has enough is
# taken for all of them. If it were decided trial by trial, a lucky trial would stand on clean
# windows and its rival on interrupted ones, and the difference between them would be luck.

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
    samples: Mapping[Trial, Sequence[RawSample]], *others: Mapping[Trial, Sequence[RawSample]]
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


# Whether a window of many sessions counts, and what would make the next one better.
#
# The checks are those of rashwan2012 (section III.B, figure 3): resources over-utilised, too short
# for a steady state, a wrong measurement period. Each is a pure function of one window.


class TroubleKind(StrEnum):
    """Why a window does not count."""

    OVER_UTILISED = "over-utilised"
    """Other programs or the hypervisor used the cores too."""
    UNSTEADY = "not steady"
    """The sessions were faster in one half of the window than in the other."""
    TOO_SHORT = "too short"
    """Sessions had too few turns, or too few messages were timed for the percentiles."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One reason why a window does not count."""

    kind: TroubleKind
    sentence: str
    longer: float = 1.0
    """How many times longer the window ought to be, at least 1."""


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """Bounds beyond which a window does not count."""

    foreign_share: float = 0.05
    """Largest share of the cores' time that the sessions may leave idle or to others."""
    steal_share: float = 0.02
    """Largest share of the cores' time that the hypervisor may take."""
    step: float = 0.05
    """Largest relative difference between the bytes of the two halves of the window."""
    least_turns: int = 3
    """Turns on a core that more than half of the sessions must have; 0: turns do not matter."""
    least_latencies: int = 1000
    """Fewest messages timed by themselves: with fewer there is no 99.9th percentile."""


def own_share(window: SessionsWindow | GatherWindow) -> float:
    """CPU time of our threads over the time of the cores that they can keep busy."""
    if isinstance(window, GatherWindow):
        return window.thread_cpu_ns / window.wall_ns if window.wall_ns else 0.0
    return window.thread_cpu_ns / (window.wall_ns * window.cores_in_use)


def step(window: SessionsWindow) -> float | None:
    """Bytes of the later half over those of the earlier half, minus 1; None if that has none."""
    half = len(window.part_bytes) // 2
    earlier, later = sum(window.part_bytes[:half]), sum(window.part_bytes[-half:])
    return later / earlier - 1 if earlier else None


def troubles(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    """All reasons why this window does not count; empty if it counts."""
    return [*_over_utilised(window, limits), *_unsteady(window, limits), *_short(window, limits)]


_MUCH_IDLE: Final = 0.1
"""Share of the cores that nobody had, from which it is worth a word."""


def _over_utilised(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    own = own_share(window)
    time_ns = window.wall_ns * len(window.cores)
    steal = (window.steal_ns or 0) / time_ns
    if 1 - own <= limits.foreign_share and steal <= limits.steal_share:
        return []
    parts = [f"the sessions had {own:.1%} of the cores"]
    idle = 1 - own - steal
    if window.busy_ns is not None:
        others = max(0.0, (window.busy_ns - window.thread_cpu_ns) / time_ns)
        parts.append(f"other programs {others:.1%}")
        idle -= others
    if window.steal_ns is not None:
        parts.append(f"the hypervisor {steal:.1%}")
    # Others and the hypervisor are told of all cores, the sessions of those that they can use.
    told = window.busy_ns is not None and window.cores_in_use == len(window.cores)
    if told and idle > max(_MUCH_IDLE, limits.foreign_share):
        parts.append(f"nobody {idle:.1%}, as where a quota or a stopped machine holds them back")
    return [Trouble(TroubleKind.OVER_UTILISED, ", ".join(parts))]


def _unsteady(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    found = step(window)
    if found is not None and abs(found) <= limits.step:
        return []
    sentence = (
        "no session did anything in the first half of the window"
        if found is None
        else f"the later half of the window has {found:+.1%} bytes"
    )
    return [Trouble(TroubleKind.UNSTEADY, sentence, 2.0)]


def _short(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    found = []
    # Without `statistics`, which each worker would load with this module.
    ordered = sorted(session.turns for session in window.sessions)
    turns = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    crowded = len(window.sessions) > len(window.cores)
    if crowded and turns < limits.least_turns:
        sentence = f"half of the sessions had {turns:g} turns on a core or fewer"
        longer = limits.least_turns / max(turns, 0.5)
        found.append(Trouble(TroubleKind.TOO_SHORT, sentence, longer))
    timed = sum(count for _, count in window.latencies)
    if timed < limits.least_latencies:
        sentence = f"{timed} messages were timed by themselves, of {limits.least_latencies}"
        longer = limits.least_latencies / max(timed, 1)
        found.append(Trouble(TroubleKind.TOO_SHORT, sentence, longer))
    return found


def adjusted(
    warm_up_ns: int, window_ns: int, found: Sequence[Trouble], *, longest_ns: int
) -> tuple[int, int]:
    """Warm-up and window of the next attempt.

    A window that was too short becomes as long as it ought to be, and a quarter more; one that was
    not steady begins later and is twice as long. Against others on the cores only another attempt
    helps, so a window that they alone spoil keeps its length. The number of sessions is the user's.

    Args:
        warm_up_ns: time from the start to t1 in the last attempt.
        window_ns: time from t1 to t2 in the last attempt.
        found: troubles of the last attempt.
        longest_ns: bound for the window and for the warm-up.
    """
    kinds = {trouble.kind for trouble in found}
    short = max(
        (trouble.longer for trouble in found if trouble.kind is TroubleKind.TOO_SHORT), default=1.0
    )
    longer = 1.25 * short if short > 1 else 1.0
    # Others that come and go on the cores make a window unsteady; a longer warm-up does not help.
    if TroubleKind.UNSTEADY in kinds and TroubleKind.OVER_UTILISED not in kinds:
        warm_up_ns = max(2 * warm_up_ns, window_ns // 2)
        longer = max(longer, 2.0)
    most = max(longest_ns, window_ns)
    return min(warm_up_ns, most), min(ceil(window_ns * longer), most)


# Whether a window of gatherers counts, and whether they kept up with the messages.

_LEFT_BEHIND: Final = 0.01
"""Share of the messages of a window by which the backlog may grow."""


def gather_troubles(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
    """All reasons why this window does not count; empty if it counts.

    A gatherer does not sleep, so its CPU time is all of its core's time unless other programs had
    some.
    """
    return [*_gatherers_over_utilised(window, limits), *_short_of_gatherers(window, limits)]


def _gatherers_over_utilised(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
    own = own_share(window)
    steal = (window.steal_ns or 0) / window.wall_ns if window.wall_ns else 0.0
    if 1 - own <= limits.foreign_share and steal <= limits.steal_share:
        return []
    sentence = f"the gatherers had {own:.1%} of the cores"
    if window.steal_ns is not None:
        sentence += f", the hypervisor {steal:.1%}"
    return [Trouble(TroubleKind.OVER_UTILISED, sentence)]


def _short_of_gatherers(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
    if window.messages >= limits.least_latencies:
        return []
    sentence = f"{window.messages} messages were tagged, of {limits.least_latencies}"
    return [
        Trouble(TroubleKind.TOO_SHORT, sentence, limits.least_latencies / max(window.messages, 1))
    ]


def kept_up(window: GatherWindow) -> bool:
    """Whether the gatherers tagged as many messages as arrived.

    Otherwise each message waits longer than the one before, and latencies say nothing.
    """
    grown = sum(gatherer.backlog_after - gatherer.backlog_before for gatherer in window.gatherers)
    allowed = max(_LEFT_BEHIND * window.messages, window.batch_most * len(window.cores))
    return grown <= allowed
