# SPDX-License-Identifier: Apache-2.0
"""The whole search: candidates are made, checked and timed in a stored run, and one is chosen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from joulemark.analyse import Figure, Result
from joulemark.analyse.assemble import result_set
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.environment.facts import Environment
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.plan import Effort
from joulemark.measure.run_plan import run_plan
from joulemark.measure.runner import RunObserver
from joulemark.measure.study import STANDARD, Study
from joulemark.measure.worker.sources import OWN_KERNELS, workshop
from joulemark.own_code.candidates import CompilerCandidate, SearchRequest
from joulemark.own_code.choice import MATTERS, FlagChoice, Gap, Race, choose, timings_of
from joulemark.own_code.making import (
    CandidateOutcome,
    ReadyCandidate,
    RefusedCandidate,
    SpreadCompiling,
    UnreachedCandidate,
    make_candidates,
)
from joulemark.own_code.many import Begun, ManyBuilds, ManyRequest, kernel_builds, tree_builds
from joulemark.records import Failure, FailureKind
from joulemark.store.repository import Store

EFFORT: Final = Effort(
    rounds=32,
    window_ns=STANDARD.window_ns,
    generations=4,
    windows=STANDARD.windows,
    retakes=STANDARD.retakes,
)
"""Effort of one block. Candidates are told apart by process generations, and four generations tell
large differences; the start of a process takes as long as ten rounds of one candidate."""

# The time of a search is shared between making candidates and timing them.
#
# Making one (compile, check) is timed as it goes. To time a candidate in 8 rounds takes 0.8 times
# as long as to make it, and in 32 rounds 1.25 times as long (31 candidates of a SipHash at two
# lengths, on two busy virtual CPUs of a Xeon, November 2026). So another candidate is made as long
# as all that are made could still be timed in few rounds.

_FEW_ROUNDS: Final = 8
_TIME_FEW: Final = 1.0
_TIME_WHOLE: Final = 1.5
"""Time for timing a candidate over the time for making it, in few rounds and in a whole block."""

_KINDS: Final = {
    "is wrong": FailureKind.WRONG_OUTPUT,
    "crashes": FailureKind.CRASH,
    "hangs": FailureKind.HANG,
}
"""Verdict of the check -> kind of failure in the run; all others are recorded as unavailable."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The outcome of a search."""

    outcomes: tuple[CandidateOutcome, ...]
    """The outcome of each candidate, in the order of the candidates."""
    run_id: int | None
    """The run in the store; None if nothing could be timed."""
    choice: FlagChoice | None
    """The chosen implementation; None if none has a figure at every length."""
    failures: tuple[Failure, ...]
    """Implementations that crashed, hung or were wrong while they were timed, or that refused
    messages of a length."""
    fallen: dict[str, int]
    """Implementation -> rounds after which it left, slower at every length."""
    rounds: int
    """Rounds of the implementations that stayed."""

    @property
    def ready(self) -> dict[str, ReadyCandidate]:
        """Name of the implementation -> candidate, of those that were timed."""
        ready = (outcome for outcome in self.outcomes if isinstance(outcome, ReadyCandidate))
        return {outcome.name: outcome for outcome in ready}


def search(
    wanted: SearchRequest,
    store: Store,
    environment: Environment,
    *,
    begun: Callable[[int, int, CompilerCandidate], None],
    ended: Callable[[CandidateOutcome], None],
    observer: Callable[[], RunObserver],
    spread: SpreadCompiling | None = None,
) -> SearchAnswer:
    """Searches; all plugins that it built are gone when this returns.

    Compiling, checking and timing end with the budget, but for the first candidate that is right:
    that one is made and timed. `begun` is told of each candidate that is next, how many are made
    and how many there are, and `ended` of the outcome. `observer` is called when timing begins, and
    shows the progress of the run. `spread` compiles candidates, and has ended by then; this process
    compiles unless given.
    """
    with workshop(wanted.request.folder) as folder:
        made = make_candidates(wanted.code, wanted.request, wanted.candidates, folder, spread)
        outcomes: list[CandidateOutcome] = []
        ready: list[ReadyCandidate] = []
        made_s = [time.monotonic()]
        each_s = 0.0
        for number, candidate in enumerate(wanted.candidates):
            if ready and _timed_s(each_s, len(ready) + 1) + each_s > wanted.end_s:
                outcomes += map(UnreachedCandidate, wanted.candidates[number:])
                break
            begun(number, len(wanted.candidates), candidate)
            outcomes.append(outcome := next(made))
            ended(outcome)
            if isinstance(outcome, ReadyCandidate):
                ready.append(outcome)
            made_s.append(time.monotonic())
            since = made_s[1:] if len(made_s) > 2 else made_s  # the first asks how it is called
            each_s = (since[-1] - since[0]) / (len(since) - 1)
        if not ready:
            return SearchAnswer(tuple(outcomes), None, None, (), {}, 0)
        whole = _timed_s(each_s, len(ready), _TIME_WHOLE) <= wanted.end_s
        effort = EFFORT if whole else replace(EFFORT, rounds=_FEW_ROUNDS)
        end_s = max(wanted.end_s, time.monotonic() + 2 * each_s)
        return _time(wanted, outcomes, ready, store, environment, observer(), effort, end_s)


def _timed_s(each_s: float, ready: int, time_part: float = _TIME_FEW) -> float:
    """Moment of the monotonic clock at which candidates are timed, if timing begins now.

    Args:
        each_s: time for making a candidate.
        ready: candidates that are timed.
        time_part: time for timing one over the time for making it.
    """
    return time.monotonic() + each_s * time_part * ready


def _time(
    wanted: SearchRequest,
    outcomes: Sequence[CandidateOutcome],
    ready: Sequence[ReadyCandidate],
    store: Store,
    environment: Environment,
    observer: RunObserver,
    effort: Effort,
    end_s: float,
) -> SearchAnswer:
    """Times the candidates that are right, in one run, until a moment of the monotonic clock."""
    names = [candidate.name for candidate in ready]
    study = Study(tuple(names), wanted.sizes_bytes, effort=effort)
    inventory = _inventory(wanted, outcomes, ready)
    plan = study.plan(inventory)
    race = Race(names, names[0], plan.trials, plan.effort.rounds, end_s - time.monotonic())
    outcome = run_plan(
        store,
        inventory,
        plan,
        environment,
        study={**study.as_dict(), "tune": _as_dict(wanted)},
        observer=observer,
        hang_limit_s=wanted.request.limit_s,
        cpu=wanted.cpu,
        going_on=race,
        end_s=end_s,
    )
    timings = timings_of(trusted_samples(store, outcome.run_id))
    broken = {failure.implementation for failure in outcome.failures if failure.broken}
    left = [name for name in race.left if name not in broken and name in timings]
    choice = choose(timings, left, names[0], len(names)) if left else None
    return SearchAnswer(
        tuple(outcomes),
        outcome.run_id,
        choice,
        tuple(outcome.failures),
        race.fallen,
        race.rounds_taken,
    )


def _inventory(
    wanted: SearchRequest, outcomes: Sequence[CandidateOutcome], ready: Sequence[ReadyCandidate]
) -> Inventory:
    """Our own kernels, for the loop of the harness itself; right candidates; refused ones."""
    inventory = take_inventory([OWN_KERNELS, *(candidate.source for candidate in ready)])
    inventory.unavailable += [
        Failure(
            f"{wanted.request.name}-{outcome.candidate.suffix}",
            _KINDS.get(outcome.verdict, FailureKind.UNAVAILABLE),
            f"{outcome.verdict}: {outcome.why}",
        )
        for outcome in outcomes
        if isinstance(outcome, RefusedCandidate)
    ]
    return inventory


def _as_dict(wanted: SearchRequest) -> Mapping[str, JsonValue]:
    """The facts of the search that are kept with the run."""
    return {
        "function": wanted.code.function,
        "algorithm": wanted.request.algorithm.id,
        "files": [file.given for file in wanted.code.files],
        "candidates": [candidate.name for candidate in wanted.candidates],
        "budget_s": wanted.budget_s,
    }


# The fastest build of each of many implementations: all builds are timed in one run.


@dataclass(frozen=True, slots=True)
class FastestBuild:
    """The build of an implementation that is to be used."""

    implementation: str
    default: str
    """Compiler and flags of the default build."""
    chosen: str
    """Those of the fastest one, or of the default one if none is told to be better."""
    gain: Gap | None
    """Time or joules of the default build over those of the chosen one; None for the same build."""
    builds: int
    """Builds that have a figure."""
    may_gain: float | None
    """Largest gain over the chosen build that is not excluded, as 0.03 for 3 %; None: any."""


@dataclass(frozen=True, slots=True)
class ManyAnswer:
    """The outcome of a search for many."""

    rows: tuple[FastestBuild, ...]
    by: str
    """The quantity by which builds were chosen, with its evidence, as in "time, measured"."""
    builds: ManyBuilds
    run_id: int | None
    untimed: tuple[str, ...]
    """Implementations without a figure."""
    no_energy: str | None


# The run, and the choice for each implementation.

_ROUND_OVERHEAD: Final = 3.0
"""Wall time of a round over the time of its windows alone."""
_FEWEST_ROUNDS: Final = 8
_ENERGY_WINDOW_S: Final = 0.5
_ENERGY_START_S: Final = 15.0
"""Time in which a meter is observed and the machine warms up."""
_ENERGY_OVERHEAD: Final = 5.0
"""Wall time of an energy round, with its idle windows, over the time of its windows of load."""


def tune_many(
    wanted: ManyRequest,
    folder: Path,
    store: Store,
    environment: Environment,
    *,
    begun: Begun,
    observer: Callable[[], RunObserver],
) -> ManyAnswer:
    """Builds in a folder that is there, times, and chooses.

    `observer` is called when timing begins.
    """
    if wanted.tree is not None and wanted.tree_request is not None:
        made = tree_builds(wanted, wanted.tree, wanted.tree_request, folder, begun)
    else:
        made = kernel_builds(wanted, folder, begun)
    if not made.of:
        raise UnavailableError(
            "no build is right; " + ("; ".join(made.refused[:3]) or "nothing could be built")
        )
    inventory = take_inventory([OWN_KERNELS, *made.sources])
    names = [name for builds in made.of.values() for name in builds if name in inventory.facts]
    study = Study(tuple(names), wanted.sizes_bytes)
    plan = study.plan(inventory)
    round_s = len(plan.trials) * EFFORT.windows * EFFORT.window_ns / 1e9 * _ROUND_OVERHEAD
    left_s = wanted.end_s - time.monotonic()
    if wanted.energy is not None:
        left_s = max(left_s / 2 - _ENERGY_START_S, 0.0)
        window_s = wanted.energy.window_s or _ENERGY_WINDOW_S
        most = math.floor(left_s / (len(plan.trials) * window_s * _ENERGY_OVERHEAD))
        rounds = max(1, min(wanted.energy.rounds, most))
        plan = replace(plan, energy=replace(wanted.energy, rounds=rounds, window_s=window_s))
    rounds = max(_FEWEST_ROUNDS, min(EFFORT.rounds, math.floor(left_s / round_s)))
    plan = replace(plan, effort=replace(EFFORT, rounds=rounds))
    outcome = run_plan(
        store,
        inventory,
        plan,
        environment,
        study={**study.as_dict(), "tune": {"builds": {k: [*v] for k, v in made.of.items()}}},
        observer=observer(),
        cpu=wanted.cpu,
        end_s=time.monotonic() + max(left_s, _FEWEST_ROUNDS * round_s),
    )
    made.refused += [f"{failure.implementation}: {failure.reason}" for failure in outcome.failures]
    rows, by = _by_time(store, outcome.run_id, made), "time, measured"
    if wanted.energy is not None and outcome.no_energy is None:
        results = store.settle(lambda shared: result_set(shared, outcome.run_id)).results
        rows, by = chosen_by_joules(results, made)
    known = {row.implementation for row in rows}
    untimed = tuple(name for name in made.of if name not in known)
    return ManyAnswer(tuple(rows), by, made, outcome.run_id, untimed, outcome.no_energy)


def _by_time(store: Store, run_id: int, made: ManyBuilds) -> list[FastestBuild]:
    samples, rows = trusted_samples(store, run_id), []
    for implementation, builds in made.of.items():
        mine = {trial: taken for trial, taken in samples.items() if trial.implementation in builds}
        timings = timings_of(mine)
        usual = next(iter(builds))
        choice = choose(timings, [name for name in builds if name in timings], usual, len(builds))
        # A build is compared with the default one, or not at all.
        if choice is not None and (choice.is_usual or choice.over_usual is not None):
            rows.append(
                FastestBuild(
                    implementation, builds[usual], builds[choice.chosen], choice.over_usual,
                    len(timings),
                    choice.may_gain if math.isfinite(choice.may_gain) else None,
                )
            )  # fmt: skip
    return rows


def chosen_by_joules(results: Sequence[Result], made: ManyBuilds) -> tuple[list[FastestBuild], str]:
    """The build that takes the fewest net joules over all lengths, and the words for joules.

    The interval of the ratio is the widest that the intervals of both builds allow.
    """
    figures: dict[str, list[Figure]] = {}
    for result in results:
        if result.joules_per_message is not None and result.joules_per_message.low > 0:
            figures.setdefault(result.implementation, []).append(result.joules_per_message)
    lengths, rows = len({result.size_bytes for result in results}), []
    for implementation, builds in made.of.items():
        usual = next(iter(builds))
        whole = {name: figures[name] for name in builds if len(figures.get(name, ())) == lengths}
        if usual not in whole:
            continue
        gaps = {name: _gap(whole[usual], whole[name]) for name in whole if name != usual}
        told = {name: gap for name, gap in gaps.items() if gap.told}
        chosen = max(told, key=lambda name: told[name].ratio, default=usual)
        gain = told.get(chosen)
        others = [_gap(whole[chosen], whole[name]).high for name in whole if name != chosen]
        may_gain = max(others, default=1.0) - 1
        rows.append(
            FastestBuild(implementation, builds[usual], builds[chosen], gain, len(whole), may_gain)
        )
    evidence = {str(each.evidence) for known in figures.values() for each in known}
    return rows, f"energy, {' and '.join(sorted(evidence)) or 'no figure'}"


def _gap(before: Sequence[Figure], after: Sequence[Figure]) -> Gap:
    """Joules of one build over those of another: the geometric mean over all lengths."""
    pairs = [*zip(before, after, strict=True)]

    def ratio(numbers: Sequence[float]) -> float:
        return math.exp(sum(map(math.log, numbers)) / len(numbers))

    low = ratio([old.low / new.high for old, new in pairs])
    high = ratio([old.high / new.low for old, new in pairs])
    return Gap(
        ratio([old.median / new.median for old, new in pairs]), low, high, told=low > 1 + MATTERS
    )
