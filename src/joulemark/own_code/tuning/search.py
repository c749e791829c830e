# SPDX-License-Identifier: Apache-2.0
"""The whole search: candidates are made and checked, timed in one stored run, and one is chosen.

What comes in is `Code`, what is asked of it, and candidates; who finds code in another way, as in a
tree of folders, hands over the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from joulemark.analyse.runs.trusted import trusted_samples
from joulemark.environment import Environment
from joulemark.measure.observer import RunObserver
from joulemark.measure.run import run_plan
from joulemark.measure.study import STANDARD, Effort, Study
from joulemark.measure.workers.inventory import Inventory, take_inventory
from joulemark.measure.workers.plugin_workshop import workshop
from joulemark.measure.workers.sources import installed_sources
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.sources import Code
from joulemark.own_code.tuning.candidates import Candidate
from joulemark.own_code.tuning.choice import Choice, choose
from joulemark.own_code.tuning.making import (
    Made,
    ReadyCandidate,
    RefusedCandidate,
    SpreadCompiling,
    made_of,
)
from joulemark.own_code.tuning.race import Race
from joulemark.own_code.tuning.standing import timings_of
from joulemark.records.failure import Failure, FailureKind
from joulemark.store.repository import Store

__all__ = ["EFFORT", "Progress", "SearchAnswer", "SearchRequest", "search"]

EFFORT: Final = Effort(
    rounds=32, window_ns=STANDARD.window_ns, generations=4, windows=STANDARD.windows,
    retakes=STANDARD.retakes,
)  # fmt: skip
"""Of one block. Candidates are told apart by process generations, four of which can tell gross
differences; the start of a process takes as long as ten rounds of one candidate."""

_KINDS: Final = {
    "is wrong": FailureKind.WRONG_OUTPUT,
    "crashes": FailureKind.CRASH,
    "hangs": FailureKind.HANG,
}
"""Verdict of the check -> as a run records it; whatever else there is cannot be had here."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for."""

    code: Code
    asked: CodeRequest
    """Its flags are not looked at."""
    candidates: tuple[Candidate, ...]
    """At least one; the first is the usual one."""
    sizes_bytes: tuple[int, ...]
    budget_s: float
    """Wall time of measuring after which no further rounds begin."""
    cpu: int | None = None
    """To measure on; the least busy one unless given."""
    effort: Effort = EFFORT


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search came to."""

    made: tuple[Made, ...]
    """Of each candidate, in their order."""
    run_id: int | None
    """In the store; None where nothing could be timed."""
    choice: Choice | None
    """Between names of implementations; None where none has a figure at every length."""
    failures: tuple[Failure, ...]
    """What crashed, hung or was wrong while it was timed, or refused messages of a length."""
    fallen: dict[str, int]
    """Implementation -> rounds after which it left, slower at every length."""
    rounds: int
    """Of those that stayed."""

    @property
    def ready(self) -> dict[str, ReadyCandidate]:
        """Candidates that were timed, by the names of their implementations."""
        return {made.name: made for made in self.made if isinstance(made, ReadyCandidate)}

    @property
    def refused(self) -> list[RefusedCandidate]:
        """Candidates that are not right."""
        return [made for made in self.made if isinstance(made, RefusedCandidate)]


class Progress(Protocol):
    """Told what happens while candidates are made."""

    def making(self, number: int, total: int, candidate: Candidate) -> None:
        """So many of all candidates were made; this is the next one."""

    def made(self, made: Made) -> None:
        """What became of a candidate."""


def search(
    wanted: SearchRequest,
    store: Store,
    environment: Environment,
    *,
    told: Progress,
    observer: Callable[[], RunObserver],
    spread: SpreadCompiling | None = None,
) -> SearchAnswer:
    """Searches; nothing of what was built is there when this returns.

    Args:
        wanted: code, candidates and lengths.
        store: where every sample goes.
        environment: this machine.
        told: what becomes of each candidate.
        observer: called when timing begins; told of progress.
        spread: compiles candidates, and has ended before timing begins; this process unless given.

    Raises:
        UsageError: the function is not there, or nobody can tell how it is called.
        UnavailableError: nothing can be built in the folder of plugins.
    """
    with workshop(wanted.asked.folder) as place:
        made = tuple(_made(wanted, place, told, spread))
        ready = [outcome for outcome in made if isinstance(outcome, ReadyCandidate)]
        if not ready:
            return SearchAnswer(made, None, None, (), {}, 0)
        return _timed(wanted, made, ready, store, environment, observer())


def _made(
    wanted: SearchRequest, place: Path, told: Progress, spread: SpreadCompiling | None
) -> list[Made]:
    found: list[Made] = []
    total = len(wanted.candidates)
    told.making(0, total, wanted.candidates[0])
    for made in made_of(wanted.code, wanted.asked, wanted.candidates, place, spread):
        found.append(made)
        told.made(made)
        if len(found) < total:
            told.making(len(found), total, wanted.candidates[len(found)])
    return found


def _timed(
    wanted: SearchRequest, made: tuple[Made, ...], ready: Sequence[ReadyCandidate], store: Store,
    environment: Environment, observer: RunObserver,
) -> SearchAnswer:  # fmt: skip
    """Times what is right, in one run."""
    names = [built.name for built in ready]
    study = Study(tuple(names), wanted.sizes_bytes, effort=wanted.effort)
    inventory = _inventory(wanted, made)
    plan = study.plan(inventory)
    race = Race(names, names[0], plan.trials, plan.rounds, wanted.budget_s)
    outcome = run_plan(
        store, inventory, plan, environment, study={**study.as_dict(), "tune": _asked(wanted)},
        observer=observer, hang_limit_s=wanted.asked.limit_s, cpu=wanted.cpu, going_on=race,
    )  # fmt: skip
    timings = timings_of(trusted_samples(store, outcome.run_id))
    broken = {failure.implementation for failure in outcome.failures if failure.broken}
    left = [name for name in race.left if name not in broken and name in timings]
    choice = choose(timings, left, names[0], len(names)) if left else None
    return SearchAnswer(
        made, outcome.run_id, choice, tuple(outcome.failures), race.fallen, race.rounds_taken
    )


def _inventory(wanted: SearchRequest, made: Sequence[Made]) -> Inventory:
    """Our own kernels, for the harness's own loop; what is right; and why the rest is not there."""
    own = [
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    ]
    found = take_inventory(
        [
            *own,
            *(outcome.source for outcome in made if isinstance(outcome, ReadyCandidate)),
        ]
    )
    first = wanted.asked.name
    found.unavailable += [
        Failure(
            f"{first}-{outcome.candidate.suffix}",
            _KINDS.get(outcome.verdict, FailureKind.UNAVAILABLE),
            f"{outcome.verdict}: {outcome.why}",
        )
        for outcome in made
        if isinstance(outcome, RefusedCandidate)
    ]
    return found


def _asked(wanted: SearchRequest) -> dict[str, Any]:
    """What is kept with the run, beside what each implementation says of itself."""
    return {
        "function": wanted.code.function,
        "algorithm": wanted.asked.algorithm.id,
        "files": [file.given for file in wanted.code.files],
        "candidates": [candidate.name for candidate in wanted.candidates],
        "budget_s": wanted.budget_s,
    }
