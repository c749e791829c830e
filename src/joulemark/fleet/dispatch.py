# SPDX-License-Identifier: Apache-2.0
"""Jobs to workers, one to each free place, and again to another worker when one is lost.

Dask would try a job again by itself, on the workers that were there when it was sent. Workers that
come back have another address, and are held to our build first; so each job goes to one named
worker, and this module watches. A result that arrives from a job that was sent again is not waited
for: each job has one outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from distributed import Client, Future

from joulemark.errors import JoulemarkError
from joulemark.fleet.members import BENCH, Member
from joulemark.fleet.roll import Limits, Roll

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


@dataclass(slots=True)
class _SentTask:
    future: Future[Any]
    member: Member


@dataclass(slots=True)
class _WaitingTask:
    number: int
    since_s: float
    attempts: int = 0
    last: str = ""
    """What became of the worker that had it."""


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
        self._roll = Roll(client, say, self._limits)

    @property
    def refused(self) -> list[str]:
        """Why workers may not take part, a sentence each."""
        return list(self._roll.refused.values())

    @property
    def mute(self) -> list[str]:
        """Addresses of workers that are there and have not answered."""
        return self._roll.mute

    def members(self, within_s: float = 10.0, at_least: int = 1) -> list[Member]:
        """The workers that may take part, when all that are there have answered, or time is up.

        Args:
            within_s: the longest time.
            at_least: so many are waited for.
        """
        end_s = time.monotonic() + within_s
        while True:
            self._roll.look()
            roll = self._roll
            enough = len(roll.members) >= at_least or (at_least == 1 and not roll.empty)
            if (enough and not roll.mute) or time.monotonic() >= end_s:
                return sorted(
                    roll.members.values(), key=lambda member: (member.machine, member.name)
                )
            time.sleep(_WAIT_S)

    def run(self, jobs: Sequence[Job], done: Callable[[int, Any], None]) -> None:
        """Has all jobs done; whatever ends this early takes back those that are running.

        Args:
            jobs: any number.
            done: told the number of a job and its result, or the `JoulemarkError` that says why
                there is none.
        """
        now_s = time.monotonic()
        waiting = [_WaitingTask(number, now_s) for number in range(len(jobs))]
        sent: dict[int, tuple[_SentTask, _WaitingTask]] = {}
        with self._taken_back(sent):
            while waiting or sent:
                self._roll.look()
                self._take_back_lost(jobs, waiting, sent)
                self._send(jobs, waiting, sent)
                self._give_up(jobs, waiting, done)
                self._collect(jobs, waiting, sent, done)

    @contextmanager
    def _taken_back(self, sent: dict[int, tuple[_SentTask, _WaitingTask]]) -> Iterator[None]:
        try:
            yield
        finally:
            futures = [task.future for task, _ in sent.values()]
            if futures:
                self._client.cancel(futures, force=True)

    def _take_back_lost(
        self, jobs: Sequence[Job], waiting: list[_WaitingTask],
        sent: dict[int, tuple[_SentTask, _WaitingTask]],
    ) -> None:  # fmt: skip
        for number, (task, entry) in list(sent.items()):
            gone = task.member.address not in self._roll.members
            if gone or task.member.address in self._roll.lost:
                self._again(jobs[number], task, entry, waiting, "ended" if gone else "is silent")
                del sent[number]

    def _again(
        self, job: Job, task: _SentTask, entry: _WaitingTask, waiting: list[_WaitingTask], what: str
    ) -> None:
        self._client.cancel([task.future], force=True)
        entry.since_s, entry.last = time.monotonic(), f"{task.member.text} {what}"
        waiting.append(entry)
        self._say(f"{job.text} is tried again, since {entry.last}")

    def _send(
        self, jobs: Sequence[Job], waiting: list[_WaitingTask],
        sent: dict[int, tuple[_SentTask, _WaitingTask]],
    ) -> None:  # fmt: skip
        used: dict[str, int] = {}
        for task, _ in sent.values():
            used[task.member.address] = used.get(task.member.address, 0) + 1
        for entry in list(waiting):
            if entry.attempts >= self._limits.attempts:
                continue
            job = jobs[entry.number]
            free = [
                member for address, member in self._roll.members.items()
                if address not in self._roll.silent and _may(member, job)
                and used.get(address, 0) < (1 if job.measures else member.threads)
            ]  # fmt: skip
            if not free:
                continue
            member = min(free, key=lambda idle: (used.get(idle.address, 0), idle.name))
            future = self._client.submit(
                job.function, job.argument, workers=[member.address], allow_other_workers=False,
                resources={BENCH: 1} if job.measures else None, pure=False, retries=0,
            )  # fmt: skip
            used[member.address] = used.get(member.address, 0) + 1
            entry.attempts += 1
            waiting.remove(entry)
            sent[entry.number] = (_SentTask(future, member), entry)

    def _give_up(
        self, jobs: Sequence[Job], waiting: list[_WaitingTask], done: Callable[[int, Any], None]
    ) -> None:
        now_s = time.monotonic()
        for entry in list(waiting):
            job = jobs[entry.number]
            if entry.attempts >= self._limits.attempts:
                why = f"it was tried {entry.attempts} times, and at last {entry.last}"
            elif any(
                _may(member, job)
                for address, member in self._roll.members.items()
                if address not in self._roll.lost
            ):
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
        self, jobs: Sequence[Job], waiting: list[_WaitingTask],
        sent: dict[int, tuple[_SentTask, _WaitingTask]], done: Callable[[int, Any], None],
    ) -> None:  # fmt: skip
        time.sleep(_WAIT_S)
        for number, (task, entry) in list(sent.items()):
            if not task.future.done():
                continue
            del sent[number]
            if task.future.status == "finished":
                self._roll.heard(task.member.address)
                done(number, task.future.result())
            else:
                self._again(jobs[number], task, entry, waiting, _why(task.future))


def _may(member: Member, job: Job) -> bool:
    """Whether a worker may do a job at all."""
    return (job.machine is None or member.machine == job.machine) and (
        member.measures or not job.measures
    )


def _why(future: Future[Any]) -> str:
    error = future.exception() if future.status == "error" else None
    return "lost it" if error is None else f"failed ({type(error).__name__}: {error})"
