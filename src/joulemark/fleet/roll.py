# SPDX-License-Identifier: Apache-2.0
"""The present workers of a scheduler: each is asked once, held to our build, watched for silence.

A worker is lost when its scheduler has dropped it, or has not heard of it for `lost_after_s`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from distributed import Client

from joulemark.fleet.members import Member, member_of, who_am_i, why_refused

__all__ = ["Limits", "Roll"]

_LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait until a worker counts as silent, lost, or absent; seconds above 0."""

    silent_after_s: float = 10.0
    lost_after_s: float = 60.0
    alone_for_s: float = 60.0
    """How long a job waits for a worker that may do it."""
    attempts: int = 4
    """Most times that a job is sent, at least 1."""


class Roll:
    """The workers of a scheduler.

    Args:
        client: of the scheduler.
        say: takes a sentence about each worker that is refused, lost, silent or back.
        limits: of patience with workers.
    """

    def __init__(self, client: Client, say: Callable[[str], None], limits: Limits) -> None:
        self._client = client
        self._say = say
        self._limits = limits
        self.members: dict[str, Member] = {}
        """Workers that may take part, by address."""
        self.refused: dict[str, str] = {}
        """Reason why each other worker may not take part, by address."""
        self.silent: set[str] = set()
        """Addresses of members that the scheduler has not heard of for some time."""
        self.lost: set[str] = set()
        """Addresses of members that were silent for so long that others get their work."""
        self._asked: set[str] = set()
        self._answers: dict[str, Any] = {}
        self._seen: dict[str, tuple[float, float]] = {}
        """Address -> when the scheduler last heard of the worker, by its clock, and when this
        process learnt that, by its own clock."""
        self._looked_s = 0.0

    @property
    def mute(self) -> list[str]:
        """Addresses of connected workers that have not answered."""
        return sorted(self._asked - set(self.members) - set(self.refused))

    @property
    def empty(self) -> bool:
        """Whether the scheduler has no worker."""
        return not self._asked

    def look(self) -> None:
        """Brings the roll up to date once a second, and at once when a worker has answered."""
        now_s = time.monotonic()
        if now_s - self._looked_s < _LOOK_S and not self._answers:
            return
        self._looked_s = now_s
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        for address, facts in workers.items():
            if address not in self._asked:
                self._asked.add(address)
                self._ask(address)
            answer = self._answers.pop(address, None)
            if answer is not None:
                self._meet(address, facts, answer)
            self._judge_silence(address, facts)
        for address in self._asked - set(workers):
            self._strike(address)

    def _ask(self, address: str) -> None:
        """Asks in a thread that nobody waits for: a stopped worker answers late or never."""

        def ask() -> None:
            try:
                answers = self._client.run(who_am_i, workers=[address], on_error="return")
            except Exception:  # noqa: BLE001 - the worker went away, or is asked again
                self._asked.discard(address)
                return
            self._answers[address] = answers.get(address, {})

        threading.Thread(target=ask, daemon=True).start()

    def _meet(self, address: str, facts: dict[str, Any], answer: Any) -> None:
        name = facts.get("name") or address
        if not isinstance(answer, dict) or "build" not in answer:
            why: str | None = (
                f"worker {name} at {address} has no Joulemark with a fleet "
                f"({type(answer).__name__}); install the same wheel there, with the extra fleet"
            )
        else:
            member = member_of(address, facts, answer)
            why = why_refused(member)
            if why is None:
                self.members[address] = member
        if why is not None:
            self.refused[address] = why
            self._say(f"refused: {why}")

    def _judge_silence(self, address: str, facts: dict[str, Any]) -> None:
        member = self.members.get(address)
        if member is None:
            return
        # The silence is measured by this machine's clock; the scheduler's may differ.
        seen = float(facts.get("last_seen") or 0.0)
        before, since_s = self._seen.get(address, (-1.0, 0.0))
        if seen != before:
            since_s = time.monotonic()
            self._seen[address] = (seen, since_s)
        silent_s = time.monotonic() - since_s
        if silent_s < self._limits.silent_after_s:
            self.heard(address)
        elif address not in self.silent:
            self.silent.add(address)
            self._say(f"{member.text} has been silent for {silent_s:.0f} s")
        if silent_s >= self._limits.lost_after_s:
            self.lost.add(address)

    def heard(self, address: str) -> None:
        """Notes that a worker is not silent: the scheduler heard of it, or its result is here."""
        if address in self.silent:
            self._say(f"{self.members[address].text} answers again")
        self.silent.discard(address)
        self.lost.discard(address)

    def _strike(self, address: str) -> None:
        self._asked.discard(address)
        self.silent.discard(address)
        self.lost.discard(address)
        self._seen.pop(address, None)
        self.refused.pop(address, None)
        member = self.members.pop(address, None)
        if member is not None:
            self._say(f"{member.text} has ended")
