# SPDX-License-Identifier: Apache-2.0
"""One window of sessions from a worker, with every session's last tag checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from joulemark import _core
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import WrongOutputError
from joulemark.measure.sessions.work import Lengths
from joulemark.measure.worker_messages.sessions import RunSessions
from joulemark.measure.worker_process.batches import distinct_keys
from joulemark.measure.worker_process.native_check import portable_kernel
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.build_names import plain_name
from joulemark.records.sessions import SessionsWindow

__all__ = ["SessionAsker", "expected_tags", "session_tag"]

_SPARE_S: Final = 60.0
"""Beyond the window: until a thousand threads have had their turn after its end."""


class SessionAsker:
    """Asks for windows of one implementation.

    Args:
        pool: whose workers are not pinned; checks the implementation first.
        inventory: what there is.
        implementation: a MAC, by name.
    """

    def __init__(self, pool: WorkerPool, inventory: Inventory, implementation: str) -> None:
        facts = inventory.facts_of(implementation)
        chosen = facts.chosen
        self._pool = pool
        self._named = implementation
        self._algorithm = implementation.split("/", 1)[0]
        self._plain = plain_name(
            implementation if chosen is None else f"{self._algorithm}/{chosen}"
        )
        self._key = trial_key(facts)
        self._tag_bytes = facts.output_bytes

    def window(
        self, lengths: Lengths, sessions: int, cores: tuple[int, ...], warm_up_ns: int,
        window_ns: int,
    ) -> SessionsWindow:  # fmt: skip
        """One window.

        Raises:
            ImplementationError: it crashed, hung, refused, or a tag of a session is wrong.
        """
        keys = tuple(distinct_keys(self._key, sessions))
        request = RunSessions(
            self._plain, b"".join(keys), sessions, lengths.cycle, cores, warm_up_ns, window_ns
        )
        limit_s = _SPARE_S + (warm_up_ns + window_ns) / 1e9
        ran = self._pool.ask(self._named, request, limit_s=limit_s)
        last = tuple((session.last_bytes, session.last_nonce) for session in ran.window.sessions)
        expected = expected_tags(self._algorithm, keys, last, self._tag_bytes)
        if ran.tags != expected:
            raise WrongOutputError(
                f"a session's last tag is wrong after a window of {sessions} sessions at "
                f"{lengths.title}; no figure of it is shown"
            )
        return ran.window


def expected_tags(
    algorithm: str, keys: Sequence[bytes], last: Sequence[tuple[int, int]], tag_bytes: int
) -> str:
    """Tags of each session's last message by our portable kernel, in hexadecimal.

    Args:
        algorithm: in the catalogue.
        keys: of the sessions.
        last: of each of them, the length of its last message and the number of that one's nonce.
        tag_bytes: that the implementation gives.
    """
    return "".join(
        session_tag(algorithm, number, key, length, nonce)[: 2 * tag_bytes]
        for number, (key, (length, nonce)) in enumerate(zip(keys, last, strict=True))
    )


@lru_cache(maxsize=16384)
def session_tag(algorithm: str, session: int, key: bytes, size_bytes: int, nonce: int) -> str:
    """The tag of a session's message by our portable kernel, in hexadecimal.

    Args:
        algorithm: in the catalogue.
        session: from 0 on; its messages begin at another byte of the stream than all others.
        key: of the session.
        size_bytes: of the message.
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
