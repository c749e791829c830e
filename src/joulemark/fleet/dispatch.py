# SPDX-License-Identifier: Apache-2.0
"""Jobs to workers, one to each free place, and again to another worker when one is lost.

Dask would try a job again by itself, on the workers that were there when it was sent. Workers that
come back have another address, and are held to our build first; so each job goes to one named
worker, and this module watches. A worker is lost when its scheduler has dropped it, or has not
heard of it for `lost_after_s`. A result that arrives from a job that was sent again is not waited
for: each job has one outcome.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from distributed import Client, Future

from joulemark.errors import JoulemarkError
from joulemark.fleet.members import BENCH, Member, member_of, who_am_i, why_refused

__all__ = ["Dispatch", "Job", "Limits"]


@dataclass(frozen=True, slots=True)
class Job:
    """Work for one worker."""

    text: str
    """In a sentence."""
    function: Callable[..., Any]
    """Called in the worker, with `argument`."""
    argument: Any
    machine: str | None = None
    """The only machine that may do it; None: any."""
    measures: bool = False
    """Whether it takes a worker's `bench`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a worker counts as silent, lost, or never there; seconds above 0."""

    silent_after_s: float = 10.0
    lost_after_s: float = 60.0
    alone_for_s: float = 60.0
    """How long a job waits for a worker that may do it."""
    attempts: int = 4
    """How often a job is sent at most, at least 1."""


@dataclass(slots=True)
class _Sent:
    future: Future[Any]
    member: Member


@dataclass(slots=True)
class _Waiting:
    number: int
    since_s: float
    attempts: int = 0
    last: str = ""
    """What became of the worker that had it."""


@dataclass(slots=True)
class _Watch:
    """What is known of the workers."""

    members: dict[str, Member] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    seen: dict[str, tuple[float, float]] = field(default_factory=dict)
    """When the scheduler heard of a worker, by its clock, and when we learnt that, by ours."""


_LOOK_S: Final = 1.0
_WAIT_S: Final = 0.1
"""Between two looks at the jobs, which costs nothing where others measure."""


class Dispatch:
    """Workers of a scheduler, and jobs for them.

    Args:
        client: of the scheduler.
        say: told in a sentence of each worker that is refused, lost, silent or back.
        limits: of patience.
    """

    def __init__(
        self, client: Client, say: Callable[[str], None], limits: Limits | None = None
    ) -> None:
        self._client = client
        self._say = say
        self._limits = limits or Limits()
        self._watch = _Watch()
        self._answers: dict[str, Any] = {}
        self._looked_s = 0.0

    @property
    def refused(self) -> list[str]:
        """Why workers may not take part, a sentence each."""
        return list(self._watch.refused.values())

    @property
    def mute(self) -> list[str]:
        """Addresses of workers that are there and have not answered."""
        watch = self._watch
        return sorted(watch.asked - set(watch.members) - set(watch.refused))

    def members(self, within_s: float = 10.0, at_least: int = 1) -> list[Member]:
        """The workers that may take part, when all that are there have answered, or time is up.

        Args:
            within_s: the longest time.
            at_least: so many are waited for.
        """
        end_s = time.monotonic() + within_s
        while True:
            self._look()
            watch = self._watch
            answered = set(watch.members) | set(watch.refused)
            enough = len(watch.members) >= at_least or (at_least == 1 and watch.asked)
            if (enough and watch.asked <= answered) or time.monotonic() >= end_s:
                return sorted(watch.members.values(), key=lambda one: (one.machine, one.name))
            time.sleep(_WAIT_S)

    def run(self, jobs: Sequence[Job], done: Callable[[int, Any], None]) -> None:
        """Has all jobs done; whatever ends this early takes back those that are running.

        Args:
            jobs: any number.
            done: told the number of a job and its result, or the `JoulemarkError` that says why
                there is none.
        """
        now_s = time.monotonic()
        waiting = [_Waiting(number, now_s) for number in range(len(jobs))]
        sent: dict[int, tuple[_Sent, _Waiting]] = {}
        with self._taken_back(sent):
            while waiting or sent:
                self._look()
                self._take_back_lost(jobs, waiting, sent)
                self._send(jobs, waiting, sent)
                self._give_up(jobs, waiting, done)
                self._collect(jobs, waiting, sent, done)

    @contextmanager
    def _taken_back(self, sent: dict[int, tuple[_Sent, _Waiting]]) -> Iterator[None]:
        try:
            yield
        finally:
            futures = [one.future for one, _ in sent.values()]
            if futures:
                self._client.cancel(futures, force=True)

    def _look(self) -> None:
        """Who is there now: once a second, and at once when a worker has answered."""
        now_s = time.monotonic()
        if now_s - self._looked_s < _LOOK_S and not self._answers:
            return
        self._looked_s = now_s
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        watch = self._watch
        for address, facts in known.items():
            if address not in watch.asked:
                watch.asked.add(address)
                self._ask(address)
            answer = self._answers.pop(address, None)
            if answer is not None:
                self._meet(address, facts, answer)
            self._judge_silence(address, facts)
        for address in watch.asked - set(known):
            watch.asked.discard(address)
            watch.silent.discard(address)
            watch.lost.discard(address)
            watch.refused.pop(address, None)
            member = watch.members.pop(address, None)
            if member is not None:
                self._say(f"{member.text} has ended")

    def _ask(self, address: str) -> None:
        """A worker that is stopped answers late or never; nobody waits for it."""

        def ask() -> None:
            found = self._client.run(who_am_i, workers=[address], on_error="return")
            self._answers[address] = found.get(address, {})

        threading.Thread(target=_in_peace, args=(ask,), daemon=True).start()

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
                self._watch.members[address] = member
        if why is not None:
            self._watch.refused[address] = why
            self._say(f"refused: {why}")

    def _judge_silence(self, address: str, facts: dict[str, Any]) -> None:
        watch, member = self._watch, self._watch.members.get(address)
        if member is None:
            return
        # By our clock, since the scheduler's may be another.
        seen = float(facts.get("last_seen") or 0.0)
        before, since_s = watch.seen.get(address, (-1.0, 0.0))
        if seen != before:
            since_s = time.monotonic()
            watch.seen[address] = (seen, since_s)
        silent_s = time.monotonic() - since_s
        if silent_s < self._limits.silent_after_s:
            if address in watch.silent:
                self._say(f"{member.text} answers again")
            watch.silent.discard(address)
            watch.lost.discard(address)
        elif address not in watch.silent:
            watch.silent.add(address)
            self._say(f"{member.text} has been silent for {silent_s:.0f} s")
        if silent_s >= self._limits.lost_after_s:
            watch.lost.add(address)

    def _take_back_lost(
        self, jobs: Sequence[Job], waiting: list[_Waiting],
        sent: dict[int, tuple[_Sent, _Waiting]],
    ) -> None:  # fmt: skip
        watch = self._watch
        for number, (one, entry) in list(sent.items()):
            gone = one.member.address not in watch.members
            if gone or one.member.address in watch.lost:
                self._again(jobs[number], one, entry, waiting, "ended" if gone else "is silent")
                del sent[number]

    def _again(
        self, job: Job, one: _Sent, entry: _Waiting, waiting: list[_Waiting], what: str
    ) -> None:
        self._client.cancel([one.future], force=True)
        entry.since_s, entry.last = time.monotonic(), f"{one.member.text} {what}"
        waiting.append(entry)
        self._say(f"{job.text} is tried again, since {entry.last}")

    def _send(
        self, jobs: Sequence[Job], waiting: list[_Waiting],
        sent: dict[int, tuple[_Sent, _Waiting]],
    ) -> None:  # fmt: skip
        watch = self._watch
        used: dict[str, int] = {}
        for one, _ in sent.values():
            used[one.member.address] = used.get(one.member.address, 0) + 1
        for entry in list(waiting):
            if entry.attempts >= self._limits.attempts:
                continue
            job = jobs[entry.number]
            free = [
                member for address, member in watch.members.items()
                if address not in watch.silent and _may(member, job)
                and used.get(address, 0) < (1 if job.measures else member.threads)
            ]  # fmt: skip
            if not free:
                continue
            member = min(free, key=lambda one: (used.get(one.address, 0), one.name))
            future = self._client.submit(
                job.function, job.argument, workers=[member.address], allow_other_workers=False,
                resources={BENCH: 1} if job.measures else None, pure=False, retries=0,
            )  # fmt: skip
            used[member.address] = used.get(member.address, 0) + 1
            entry.attempts += 1
            waiting.remove(entry)
            sent[entry.number] = (_Sent(future, member), entry)

    def _give_up(
        self, jobs: Sequence[Job], waiting: list[_Waiting], done: Callable[[int, Any], None]
    ) -> None:
        now_s = time.monotonic()
        for entry in list(waiting):
            job = jobs[entry.number]
            if entry.attempts >= self._limits.attempts:
                why = f"it was tried {entry.attempts} times, and at last {entry.last}"
            elif any(_may(one, job) for one in self._watch.members.values()):
                entry.since_s = now_s
                continue
            elif now_s - entry.since_s < self._limits.alone_for_s:
                continue
            else:
                where = f" of machine {job.machine}" if job.machine else ""
                why = f"no worker{where} that may do it came in {self._limits.alone_for_s:.0f} s"
            waiting.remove(entry)
            done(entry.number, JoulemarkError(why))

    def _collect(
        self, jobs: Sequence[Job], waiting: list[_Waiting],
        sent: dict[int, tuple[_Sent, _Waiting]], done: Callable[[int, Any], None],
    ) -> None:  # fmt: skip
        time.sleep(_WAIT_S)
        for number, (one, entry) in list(sent.items()):
            if not one.future.done():
                continue
            del sent[number]
            if one.future.status == "finished":
                done(number, one.future.result())
            else:
                self._again(jobs[number], one, entry, waiting, _why(one.future))


def _may(member: Member, job: Job) -> bool:
    """Whether a worker may do a job at all."""
    return (job.machine is None or member.machine == job.machine) and (
        member.measures or not job.measures
    )


def _why(future: Future[Any]) -> str:
    error = future.exception() if future.status == "error" else None
    return "lost it" if error is None else f"failed ({type(error).__name__}: {error})"


def _in_peace(call: Callable[[], None]) -> None:
    """In a thread that nobody waits for: its client may be closed meanwhile."""
    try:
        call()
    except Exception:  # noqa: BLE001 - of a worker that went away, which the next look tells
        return
