# SPDX-License-Identifier: Apache-2.0
"""The fastest build of each of many implementations: all builds are timed in one run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.analyse.assemble import result_set
from joulemark.analyse.baseline import trusted_samples
from joulemark.analyse.results import Figure, Result
from joulemark.environment.facts import Environment
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import take_inventory
from joulemark.measure.run_plan import run_plan
from joulemark.measure.runner import RunObserver
from joulemark.measure.study import Study
from joulemark.measure.worker.sources import OWN_KERNELS
from joulemark.own_code.choice import MATTERS, Gap, choose, timings_of
from joulemark.own_code.many.builds import (
    Begun,
    ManyBuilds,
    ManyRequest,
    kernel_builds,
    tree_builds,
)
from joulemark.own_code.search import EFFORT
from joulemark.store.repository import Store


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
        best = max(gaps, key=lambda name: gaps[name].ratio, default=None)
        gain = None if best is None or not gaps[best].told else gaps[best]
        chosen = usual if best is None or gain is None else best
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
