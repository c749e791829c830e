# SPDX-License-Identifier: Apache-2.0
"""Windows of sessions from a worker, each with the last tag of every session checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final

from joulemark import _core
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import WrongOutputError
from joulemark.judging.sessions import WindowLimits, troubles
from joulemark.measure.sessions.rounds import PointRounds, take_rounds
from joulemark.measure.sessions.work import ThreadsPoint
from joulemark.measure.worker_messages.runs import RunSessions
from joulemark.measure.worker_process.trials import distinct_keys, portable_kernel
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.sessions import SessionsWindow

SessionRounds = PointRounds[ThreadsPoint, SessionsWindow]
"""All windows of one point of sessions."""
_SPARE_S: Final = 60.0
"""Time beyond a window: for keys and messages, and until a thousand threads have ended."""


def session_windows(
    pool: WorkerPool, inventory: Inventory, point: ThreadsPoint
) -> Callable[[int, int], SessionsWindow]:
    """A function that takes a window, given warm-up and length in ns.

    It raises `ImplementationError` if the implementation crashed, hung or refused, or if the last
    tag of a session is wrong.

    Args:
        pool: whose workers are not pinned; it checks the implementation first.
        inventory: what there is.
        point: what is measured.
    """
    implementation, lengths, scenario = point.implementation, point.lengths, point.scenario
    facts = inventory.facts_of(implementation)
    algorithm = implementation.split("/", 1)[0]
    keys = distinct_keys(trial_key(facts), scenario.sessions)

    def window(warm_up_ns: int, window_ns: int) -> SessionsWindow:
        request = RunSessions(
            pool.plain_name(implementation),
            b"".join(keys),
            scenario.sessions,
            lengths.cycle,
            scenario.cores,
            warm_up_ns,
            window_ns,
        )
        limit_s = window_limit_s(warm_up_ns, window_ns)
        ran = pool.ask(implementation, request, limit_s=limit_s)
        expected = "".join(
            session_tag(algorithm, number, key, session.last_bytes, session.last_nonce)[
                : 2 * facts.output_bytes
            ]
            for number, (key, session) in enumerate(zip(keys, ran.window.sessions, strict=True))
        )
        if ran.tags != expected:
            raise WrongOutputError(
                f"a session's last tag is wrong after a window of {scenario.sessions} sessions at "
                f"{lengths.title}; no figure of it is shown"
            )
        return ran.window

    return window


def window_limit_s(warm_up_ns: int, window_ns: int) -> float:
    """Seconds after which a worker that takes such a window counts as hung."""
    return _SPARE_S + (warm_up_ns + window_ns) / 1e9


@lru_cache(maxsize=16384)
def session_tag(algorithm: str, session: int, key: bytes, size_bytes: int, nonce: int) -> str:
    """The tag of a session's message by our portable kernel, in hexadecimal.

    Args:
        algorithm: its id in the catalogue.
        session: number of the session, from 0, which chooses where in the stream messages begin.
        key: key of the session.
        size_bytes: length of the message.
        nonce: as a little-endian number of the usual length; 0 without nonces.
    """
    own = portable_kernel(algorithm)
    if own is None:
        raise WrongOutputError(
            f"there is no portable kernel of {algorithm} to hold the sessions' tags to"
        )
    message = _core.message(size_bytes, session * _core.SESSION_APART)
    lengths = algorithms()[algorithm].nonce_bytes if algorithm in algorithms() else []
    state = _core.KeyState(own, key)
    try:
        if lengths:
            state.set_nonce(nonce.to_bytes(lengths[0], "little"))
        return state.tag(message).hex()
    finally:
        state.wipe()


def run_points(
    pool: WorkerPool,
    inventory: Inventory,
    points: Sequence[ThreadsPoint],
    rounds: int,
    limits: WindowLimits,
    software_only: WorkerPool | None = None,
) -> list[SessionRounds]:
    """Takes rounds over all points of a study, which goes on whatever others do.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        rounds: at least 1.
        limits: bounds beyond which a window does not count.
        software_only: workers of points that run in software only; needed if there are any.
    """

    def windows_of(point: ThreadsPoint) -> Callable[[int, int], SessionsWindow]:
        workers = software_only if point.software_only and software_only else pool
        return session_windows(workers, inventory, point)

    judge = partial(troubles, limits=limits)
    return take_rounds(points, rounds, windows_of, judge)
