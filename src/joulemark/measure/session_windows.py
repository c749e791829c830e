# SPDX-License-Identifier: Apache-2.0
"""Windows of sessions and of gatherers, taken by a worker, checked, made ready for the store."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from joulemark import __version__, _core
from joulemark.catalogue import algorithms
from joulemark.environment import capture
from joulemark.errors import WrongOutputError
from joulemark.judging import WindowLimits, troubles
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.session_rounds import (
    GatherPoint,
    Patience,
    PointRounds,
    ThreadsPoint,
    take_rounds,
)
from joulemark.measure.worker.correctness import trial_key
from joulemark.measure.worker.run_messages import Gather, RunSessions
from joulemark.measure.worker.trials import distinct_keys, portable_kernel
from joulemark.records import ImplementationFacts
from joulemark.records.sample import GatherWindow, SessionsWindow
from joulemark.store.beside_runs import SessionsAttempt, SessionsPoint, SessionsRound
from joulemark.store.repository import Store

# Windows of sessions, each with the last tag of every session checked.

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
    patience: Patience | None = None,
    announce: Callable[[int, int, ThreadsPoint], None] = lambda _done, _total, _point: None,
) -> list[SessionRounds]:
    """Takes rounds over all points of a study.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        rounds: at least 1.
        limits: bounds beyond which a window does not count.
        software_only: workers of points that run in software only; needed if there are any.
        patience: ends the rounds where others spoil windows in a row; None: they go on.
        announce: told how many visits are done, of how many, and which point comes.
    """

    def windows_of(point: ThreadsPoint) -> Callable[[int, int], SessionsWindow]:
        workers = software_only if point.software_only and software_only else pool
        return session_windows(workers, inventory, point)

    judge = partial(troubles, limits=limits)
    return take_rounds(points, rounds, windows_of, judge, announce, patience)


# Windows of gatherers, each with the tags of the last batches checked.

GatherRounds = PointRounds[GatherPoint, GatherWindow]
"""All windows of one point of gatherers."""

# The arrival times of messages and their sessions: a cycle that a gatherer runs over and over.
#
# Gaps between arrivals are exponential, as of many independent senders: a Poisson process. The
# cycle holds the quantiles of that distribution in an order that is shuffled once, the same in
# every run, so that its mean is exact and two waits meet the same arrivals.

ARRIVALS: Final = 8192
"""Messages of a cycle."""
_SEED: Final = 21


@lru_cache(maxsize=64)
def gaps_ps(rate_per_s: float) -> tuple[int, ...]:
    """Gaps between arrivals at one gatherer, in ps; their mean is 1 / rate to a rounding.

    Args:
        rate_per_s: messages that arrive in a second at this gatherer, above 0.
    """
    quantiles = [-math.log(1 - (place + 0.5) / ARRIVALS) for place in range(ARRIVALS)]
    scale = ARRIVALS / math.fsum(quantiles) * 1e12 / rate_per_s
    random.Random(_SEED).shuffle(quantiles)  # noqa: S311 - an order, not a secret
    return tuple(round(quantile * scale) for quantile in quantiles)


@lru_cache(maxsize=1)
def senders() -> tuple[int, ...]:
    """Numbers below 2^32 that choose the session of each message in turn, evenly."""
    chance = random.Random(_SEED + 1)  # noqa: S311 - an order, not a secret
    return tuple(chance.getrandbits(32) for _ in range(ARRIVALS))


def gatherer_windows(
    pool: WorkerPool, inventory: Inventory, point: GatherPoint
) -> Callable[[int, int], GatherWindow]:
    """A function that takes a window, given warm-up and length in ns."""
    facts = inventory.facts_of(point.implementation)
    algorithm = point.implementation.split("/", 1)[0]
    sessions, cores = point.scenario.sessions, point.scenario.cores
    keys = distinct_keys(trial_key(facts), sessions)
    gaps = () if point.rate_per_s is None else gaps_ps(point.rate_per_s / len(cores))

    def window(warm_up_ns: int, window_ns: int) -> GatherWindow:
        request = Gather(
            pool.plain_name(point.implementation),
            b"".join(keys),
            sessions,
            point.lengths.cycle,
            gaps,
            senders(),
            point.batch_most,
            point.wait_ns,
            point.rate_per_s,
            cores,
            warm_up_ns,
            window_ns,
        )
        limit_s = window_limit_s(warm_up_ns, window_ns)
        done = pool.ask(point.implementation, request, limit_s=limit_s)
        if any(not 0 <= number < sessions for number, _, _ in done.last):
            raise WrongOutputError("its process tells of sessions that there are not")
        expected = "".join(
            session_tag(algorithm, number, keys[number], size, nonce)[: 2 * facts.output_bytes]
            for number, size, nonce in done.last
        )
        if done.tags != expected:
            raise WrongOutputError(
                f"a tag of the last batch is wrong after a window of {sessions} sessions at "
                f"{point.lengths.title}; no figure of it is shown"
            )
        return done.window

    return window


# Translates rounds of sessions into the records of the store, which keeps them.


def keep_points(store: Store, inventory: Inventory, found: Sequence[SessionRounds]) -> None:
    """Stores every point that has a window; `joulemark choose --sessions` reads them."""
    environment = capture().as_dict()
    for point in found:
        if point.rounds:
            facts = inventory.facts_of(point.point.implementation)
            store.add_sessions(_stored_point(point, facts, environment))
    store.settle(lambda _: None)


def _stored_point(
    found: SessionRounds, facts: ImplementationFacts, environment: Mapping[str, Any]
) -> SessionsPoint:
    """A point with at least one round: the best window of each, and the history of all attempts."""
    point = found.point
    return SessionsPoint(
        facts=facts,
        size_bytes=0 if point.lengths.mix else point.lengths.size_bytes,
        mix=point.lengths.mix,
        sessions=point.scenario.sessions,
        rounds=tuple(
            SessionsRound(
                window=taken.best.window,
                troubles=tuple(str(trouble.kind) for trouble in taken.best.troubles),
                attempts=tuple(
                    SessionsAttempt(
                        attempt.window.warm_up_ns,
                        attempt.window.window_ns,
                        tuple(str(trouble.kind) for trouble in attempt.troubles),
                    )
                    for attempt in taken.attempts
                ),
            )
            for taken in found.rounds
        ),
        environment=environment,
        joulemark_version=__version__,
    )
