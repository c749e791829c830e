# SPDX-License-Identifier: Apache-2.0
"""The paper's workflow, its figure 3: a scenario, whose sessions are adjusted until windows count.

A scenario is run and validated on every set of cores, in the long windows that show each session.
Warm-up and window are adjusted first (`joulemark.measure.session_rounds`), then the number of
sessions; the whole study uses the number that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark import _core
from joulemark.errors import UnavailableError
from joulemark.judging import TroubleKind, WindowLimits, own_share
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.session_rounds import (
    MAX_MESSAGES_BYTES,
    Attempt,
    MessageLengths,
    Patience,
    Scenario,
    ThreadsPoint,
)
from joulemark.measure.session_windows import run_points
from joulemark.records.sample import SessionsWindow
from joulemark.stats import median
from joulemark.studies.equipment import CpuEquipment, Journal, PartFields
from joulemark.studies.rashwan2012.paper import OWN, STAND_IN, Build, Scope, SessionsStep
from joulemark.studies.rashwan2012.windows import Announce

# How much is measured, and what all parts of a measurement share.

STUDY: Final = "rashwan2012"
PER_THREAD_BYTES: Final = 1024
_WINDOW_S: Final = 0.1
"""With three rounds twelve functions then take less than ten minutes."""
_LONG_WINDOW_S: Final = 8.0
_CORES_WINDOW_S: Final = 0.5
_SHORTEST_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class RashwanWork:
    """How much is measured."""

    scale: float = 1.0
    """Share of the usual length of windows; above 0 and at most 10."""
    rounds: int = 3
    sessions: int | None = None
    """Sessions at once; None for the paper's number."""
    sizes_bytes: tuple[int, ...] | None = None
    """Sizes of messages; None for the paper's sizes."""
    library: str = OWN
    """A key of `LIBRARIES`."""
    also: tuple[str, ...] = ()
    """Algorithms beyond those of the paper's file."""
    fresh: bool = False

    @property
    def window_s(self) -> float:
        """Length of a window of the sweep."""
        return max(_SHORTEST_S, self.scale * _WINDOW_S)

    @property
    def cores_window_s(self) -> float:
        """Length of a window on more and more cores."""
        return max(_SHORTEST_S, self.scale * _CORES_WINDOW_S)

    @property
    def long_window_s(self) -> float:
        """Length of the window whose sessions are drawn one by one."""
        return max(_SHORTEST_S, self.scale * _LONG_WINDOW_S)


@dataclass(frozen=True, slots=True)
class RashwanCourse:
    """The facts that all parts of a measurement share."""

    work: RashwanWork
    equipment: CpuEquipment
    journal: Journal
    same: PartFields
    """Common part of the questions of all parts; a part with another question is measured again."""
    cores: tuple[int, ...]
    sizes_bytes: tuple[int, ...]
    sessions: int
    """Those that the user or the paper asks for, and once they are adjusted, those that fit."""

    def announced(self, part: str, place: int = 0, parts: int = 1) -> Announce:
        """Returns a function that moves the progress through one of several equal parts."""

        def announce(done: int, total: int, point: ThreadsPoint) -> None:
            text = f"{part}, {point.lengths.title}"
            self.equipment.progress(place * total + done, parts * total, text)

        return announce


def part_name(function: str, work: RashwanWork) -> str:
    """Names the file of a part so that our kernels and libraries lie beside each other."""
    return function.lower() if work.library == OWN else f"{work.library}-{function.lower()}"


def shown_alone(function: str, here: Mapping[str, dict[Build, str]]) -> str | None:
    """Returns the function whose sessions are shown one by one, or the one in its place."""
    return next((name for name in (function, STAND_IN) if name in here), None)


# The number of sessions.

_MOST_STEPS: Final = 4
"""Most numbers of sessions that are tried: each takes long windows."""
_GAINED: Final = 0.01
"""Share of the cores that more sessions must have gained for still more to be tried."""


def most_sessions(largest_bytes: int) -> int:
    """Returns the most sessions at once that the harness runs with messages of that length."""
    return min(_core.SESSIONS_MAX, MAX_MESSAGES_BYTES // max(largest_bytes, 1))


def fit_sessions(
    take: Callable[[Scope, int], Attempt[SessionsWindow]],
    scopes: Sequence[Scope],
    sessions: int,
    most: int,
) -> tuple[list[SessionsStep], dict[Scope, Attempt[SessionsWindow]]]:
    """Adjusts the number of sessions until a window counts on every set of cores.

    Args:
        take: takes the best window of so many sessions on a set of cores.
        scopes: the sets of cores.
        sessions: the number to begin with.
        most: the largest number that can be tried.

    Returns:
        Every step, and the window of the last number on each set of cores.
    """
    steps: list[SessionsStep] = []
    while True:
        taken: dict[Scope, Attempt[SessionsWindow]] = {}
        following: int | None = None
        for scope in scopes:
            attempt = taken[scope] = take(scope, sessions)
            following, why = _next_sessions(steps, scope, sessions, attempt, most)
            steps.append(
                SessionsStep(
                    sessions=sessions,
                    scope=scope,
                    window_s=attempt.window.window_ns / 1e9,
                    own_share=own_share(attempt.window),
                    troubles=[str(trouble.kind) for trouble in attempt.troubles],
                    step=why,
                )
            )
            if following is not None:
                break
        if following is None:
            return steps, taken
        sessions = following


def _next_sessions(
    steps: Sequence[SessionsStep],
    scope: Scope,
    sessions: int,
    attempt: Attempt[SessionsWindow],
    most: int,
) -> tuple[int | None, str]:
    """Returns the number to try next, if another may help, and a sentence about the step."""
    if not attempt.troubles:
        return None, "The window counts."
    shared = str(TroubleKind.OVER_UTILISED)
    if any(step.sessions == sessions and shared in step.troubles for step in steps):
        return None, "Kept, since no other number helps on fewer cores."
    tried = {step.sessions for step in steps} | {sessions}
    following, why = _wanted_sessions(steps, scope, sessions, attempt, most)
    if following is None:
        return None, why
    if len(tried) >= _MOST_STEPS:
        return None, f"Kept: {_MOST_STEPS} numbers were tried."
    if any((step.sessions - sessions) * (following - sessions) > 0 for step in steps):
        return None, "Kept: fewer sessions were spoilt by others, and more had too few turns."
    return following, why


def _wanted_sessions(
    steps: Sequence[SessionsStep],
    scope: Scope,
    sessions: int,
    attempt: Attempt[SessionsWindow],
    most: int,
) -> tuple[int | None, str]:
    window = attempt.window
    kinds = {trouble.kind for trouble in attempt.troubles}
    if TroubleKind.OVER_UTILISED in kinds:
        before = [step.own_share for step in steps if step.scope == scope]
        if sessions >= most:
            return None, f"Kept: more than {most} sessions do not run with these messages."
        if before and own_share(window) < max(before) + _GAINED:
            return None, "Kept: more sessions got no larger share of the cores beside the others."
        following = min(2 * sessions, most)
        return following, f"Raised to {following}, so that the sessions get more beside others."
    turns = median([session.turns for session in window.sessions])
    least = WindowLimits().least_turns
    if TroubleKind.TOO_SHORT in kinds and turns < least and sessions > len(window.cores):
        following = max(len(window.cores), int(sessions * max(turns, 0.5) / least / 1.25))
        return following, f"Lowered to {following}, so that each session gets {least} turns."
    return None, "Kept: another number of sessions changes nothing about this."


def per_thread_windows(
    pool: WorkerPool,
    inventory: Inventory,
    implementation: str,
    size_bytes: int,
    scenarios: Callable[[Scope, int], Scenario],
) -> Callable[[Scope, int], Attempt[SessionsWindow]]:
    """Returns a function that takes the best window of so many sessions, as `take` of above.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        implementation: of all sessions.
        size_bytes: length of the messages.
        scenarios: gives the scenario of so many sessions on a set of cores.
    """

    def take(scope: Scope, sessions: int) -> Attempt[SessionsWindow]:
        point = ThreadsPoint(implementation, MessageLengths(size_bytes), scenarios(scope, sessions))
        (taken,) = run_points(pool, inventory, [point], 1, WindowLimits(), patience=Patience())
        if taken.failure is not None:
            raise UnavailableError(f"{implementation}: {taken.failure.reason}")
        return taken.best[0]

    return take
