# SPDX-License-Identifier: Apache-2.0
"""Sends jobs to free workers, and a job again to another worker when its worker is lost.

Dask itself would try a job again only on the workers that were there when it was sent. Workers that
come back have another address, and their build must be checked first; so each job goes to one named
worker, and this module watches. Each job has one outcome: once a job was sent again, a result of
the first attempt is not waited for.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from distributed import Client, Future

from joulemark.errors import JoulemarkError
from joulemark.fleet import BENCH, Member, WorkerEntry, member_of, who_am_i, why_refused

# The present workers of a scheduler: each is asked once, held to our build, watched for silence.
#
# A worker is lost when its scheduler has dropped it, or has not heard of it for `lost_after_s`.

_LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long to wait until a worker counts as silent, lost, or absent; seconds above 0."""

    silent_after_s: float = 10.0
    lost_after_s: float = 60.0
    alone_for_s: float = 60.0
    """How long a job waits for a worker that may do it."""
    attempts: int = 4
    """Most times that a job is sent, at least 1."""


class Roll:
    """The workers of a scheduler; `say` takes a sentence about each that is refused or lost."""

    def __init__(self, client: Client, say: Callable[[str], None], limits: WaitLimits) -> None:
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
        self._answers: dict[str, dict[str, str] | BaseException] = {}
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

    def _meet(
        self, address: str, facts: WorkerEntry, answer: dict[str, str] | BaseException
    ) -> None:
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

    def _judge_silence(self, address: str, facts: WorkerEntry) -> None:
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


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """Work for one worker."""

    text: str
    """How messages name the job."""
    function: Callable[..., Any]
    """Called in the worker, with `argument`."""
    argument: Any
    machine: str | None = None
    """The only machine that may do the job; None for any."""
    measures: bool = False
    """Whether the job takes the resource `bench` of its worker."""


@dataclass(slots=True)
class _Task:
    """A job and its history."""

    number: int
    job: WorkerJob
    since_s: float
    """When the job last had a worker that may do it, or was last taken back."""
    attempts: int = 0
    last: str = ""
    """The fate of the worker that had the job last."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A task that a worker has."""

    task: _Task
    future: Future[Any]
    member: Member


_WAIT_S: Final = 0.1
"""Pause between two looks at the jobs; the looks cost nothing where others measure."""


class Dispatch:
    """The workers of a scheduler, and the way of jobs to them."""

    def __init__(
        self, client: Client, say: Callable[[str], None], limits: WaitLimits | None = None
    ) -> None:
        self._client = client
        self._say = say
        self._limits = limits or WaitLimits()
        self.roll = Roll(client, say, self._limits)
        """The workers that are there; some are refused, others have not answered."""

    def members(self, within_s: float = 10.0, at_least: int = 1) -> list[Member]:
        """The workers that may take part, once enough are there and all connected ones answered.

        It waits no longer than `within_s` seconds.
        """
        end_s = time.monotonic() + within_s
        while True:
            self.roll.look()
            roll = self.roll
            enough = len(roll.members) >= at_least or (at_least == 1 and not roll.empty)
            if (enough and not roll.mute) or time.monotonic() >= end_s:
                return sorted(
                    roll.members.values(), key=lambda member: (member.machine, member.name)
                )
            time.sleep(_WAIT_S)

    def run(self, jobs: Sequence[WorkerJob], deliver: Callable[[int, Any], None]) -> None:
        """Has all jobs done; an exception on the way takes back the jobs that workers have.

        `deliver` takes the number of a job and its result, or the `JoulemarkError` that says why
        there is no result.
        """
        now_s = time.monotonic()
        waiting = [_Task(number, job, now_s) for number, job in enumerate(jobs)]
        sent: list[_Sent] = []
        try:
            while waiting or sent:
                self.roll.look()
                self._take_back_lost(waiting, sent)
                self._send(waiting, sent)
                self._give_up(waiting, deliver)
                time.sleep(_WAIT_S)
                self._collect(waiting, sent, deliver)
        finally:
            if sent:
                self._client.cancel([taken.future for taken in sent], force=True)

    def _take_back_lost(self, waiting: list[_Task], sent: list[_Sent]) -> None:
        for taken in list(sent):
            gone = taken.member.address not in self.roll.members
            if gone or taken.member.address in self.roll.lost:
                sent.remove(taken)
                waiting.append(self._take_back(taken, "ended" if gone else "is silent"))

    def _take_back(self, taken: _Sent, why: str) -> _Task:
        self._client.cancel([taken.future], force=True)
        task = taken.task
        task.since_s, task.last = time.monotonic(), f"{taken.member.text} {why}"
        self._say(f"{task.job.text} is tried again, since {task.last}")
        return task

    def _send(self, waiting: list[_Task], sent: list[_Sent]) -> None:
        used = Counter(taken.member.address for taken in sent)
        for task in list(waiting):
            if task.attempts >= self._limits.attempts:
                continue
            job = task.job
            free = [
                member
                for address, member in self.roll.members.items()
                if address not in self.roll.silent
                and _may_do(member, job)
                and used[address] < (1 if job.measures else member.threads)
            ]
            if not free:
                continue
            member = min(free, key=lambda idle: (used[idle.address], idle.name))
            future = self._client.submit(
                job.function,
                job.argument,
                workers=[member.address],
                allow_other_workers=False,
                resources={BENCH: 1} if job.measures else None,
                pure=False,
                retries=0,
            )
            used[member.address] += 1
            task.attempts += 1
            waiting.remove(task)
            sent.append(_Sent(task, future, member))

    def _give_up(self, waiting: list[_Task], deliver: Callable[[int, Any], None]) -> None:
        now_s = time.monotonic()
        for task in list(waiting):
            job = task.job
            if task.attempts >= self._limits.attempts:
                why = f"it was tried {task.attempts} times, and at last {task.last}"
            elif any(
                _may_do(member, job)
                for address, member in self.roll.members.items()
                if address not in self.roll.lost
            ):
                task.since_s = now_s
                continue
            elif now_s - task.since_s < self._limits.alone_for_s:
                continue
            else:
                where = f" of machine {job.machine}" if job.machine else ""
                why = f"no worker{where} that may do it came in {self._limits.alone_for_s:.0f} s"
            waiting.remove(task)
            deliver(task.number, JoulemarkError(why))

    def _collect(
        self, waiting: list[_Task], sent: list[_Sent], deliver: Callable[[int, Any], None]
    ) -> None:
        for taken in list(sent):
            if not taken.future.done():
                continue
            sent.remove(taken)
            if taken.future.status == "finished":
                self.roll.heard(taken.member.address)
                deliver(taken.task.number, taken.future.result())
            else:
                waiting.append(self._take_back(taken, _why_failed(taken.future)))


def _may_do(member: Member, job: WorkerJob) -> bool:
    """Whether a worker has the machine and the resource that a job needs."""
    return (job.machine is None or member.machine == job.machine) and (
        member.measures or not job.measures
    )


def _why_failed(future: Future[Any]) -> str:
    error = future.exception() if future.status == "error" else None
    return "lost it" if error is None else f"failed ({type(error).__name__}: {error})"
