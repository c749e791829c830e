# SPDX-License-Identifier: Apache-2.0
"""Many machines: studies and reports of cores, carried out by the workers of a Dask scheduler.

Here is a machine of a fleet: its build, its workers, and the turns of work on it. A worker must
have the build of the command that uses it: a figure of another build would stand beside ours under
the same name.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

import joulemark
from joulemark import __version__
from joulemark.environment import MACHINE_VARIABLE
from joulemark.measure.quiet import open_lock, shared_lock_folder
from joulemark.processes.tool import ToolRuns, ToolsStopped

# The build of this Joulemark, named by a digest over every file of the installed package.
#
# The native library, the kernels' plugins and the catalogue lie in the package's folder, so one
# digest covers them all. Two workers whose digests are equal run the same code.

_SHOWN_DIGITS: Final = 12


def build_digest(package: Path) -> str:
    """SHA-256 over names and contents of all files below a folder, in hexadecimal digits."""
    total = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        # Python writes the folders `__pycache__` at any time.
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).digest()
            total.update(path.relative_to(package).as_posix().encode() + b"\0" + content)
    return total.hexdigest()


@cache
def own_build() -> str:
    """The digest of this process's package, as it was at the first call."""
    return build_digest(Path(joulemark.__file__).parent)


def short_build(digest: str) -> str:
    """The digits of a digest that are shown."""
    return digest[:_SHOWN_DIGITS]


# The identity of a worker: its machine, its build, and whether it may take part.

BENCH: Final = "bench"
"""The resource of workers that measure; each has one unit."""


class WorkerEntry(TypedDict, total=False):
    """What a scheduler's `identity` says of a worker, as far as it is read here."""

    name: str | int
    nthreads: int
    last_seen: float
    resources: dict[str, float]


@dataclass(frozen=True, slots=True)
class Member:
    """A worker, by its own answer and by its scheduler."""

    address: str
    name: str
    machine: str
    build: str
    """Digest of `joulemark.fleet`."""
    version: str
    threads: int
    """Number of reports of cores that it makes at a time, at least 1."""
    measures: bool
    """Whether the worker has the resource `bench`."""

    @property
    def text(self) -> str:
        """How messages name the worker."""
        return f"worker {self.name} of machine {self.machine}"


def own_machine() -> str:
    """The name of this machine in the fleet: the variable's, or the host's if that is not set."""
    return os.environ.get(MACHINE_VARIABLE) or socket.gethostname()


async def who_am_i() -> dict[str, str]:
    """Runs in the worker and returns its answer; the thread leaves the worker's heartbeat alone."""
    build = await asyncio.to_thread(own_build)
    return {"machine": own_machine(), "build": build, "version": __version__}


def member_of(address: str, entry: WorkerEntry, answer: dict[str, str]) -> Member:
    """Puts a worker together from its scheduler's entry and its own answer to `who_am_i`."""
    resources = entry.get("resources") or {}
    return Member(
        address=address,
        name=str(entry.get("name") or address),
        machine=answer["machine"],
        build=answer["build"],
        version=answer["version"],
        threads=max(1, int(entry.get("nthreads") or 1)),
        measures=resources.get(BENCH, 0) >= 1,
    )


def why_refused(member: Member) -> str | None:
    """Why a worker may not take part; None if it may."""
    if member.build == own_build():
        return None
    return (
        f"{member.text} runs another build, {short_build(member.build)} of Joulemark "
        f"{member.version}; this one is {short_build(own_build())} of {__version__}: install the "
        "same wheel there"
    )


# Turns on a machine: one worker measures alone, or any number do work that is not measured.
#
# All workers of a machine share two files, the door and the room, which are locked with flock(2).
# Linux releases a lock when its process ends, however it ends. A worker that waits to measure holds
# the door, so that no other worker can enter before it.

_LOOK_S: Final = 0.2


@contextmanager
def alone(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """Holds the machine for work that measures.

    `waiting` is called some times a second until the caller has its turn, and may raise to give up.
    The locks are in the machine's folder of locks unless `folder` is given.
    """
    with (
        _lock("door", fcntl.LOCK_EX, waiting, folder),
        _lock("room", fcntl.LOCK_EX, waiting, folder),
    ):
        yield


@contextmanager
def beside_others(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """Shares the machine with other work that does not measure; arguments and errors as `alone`."""
    with ExitStack() as room:
        with _lock("door", fcntl.LOCK_EX, waiting, folder):
            room.enter_context(_lock("room", fcntl.LOCK_SH, waiting, folder))
        yield


@contextmanager
def _lock(name: str, kind: int, waiting: Callable[[], None], folder: Path | None) -> Iterator[None]:
    descriptor = open_lock((folder or shared_lock_folder()) / f"joulemark-fleet-{name}.lock")
    try:
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(_LOOK_S)
        yield
    finally:
        os.close(descriptor)


# The work of a Dask task in processes that end when the task is no longer wanted.
#
# Dask cannot end a thread: Ctrl-C takes the task back, and the thread goes on. So a second thread
# watches whether the task is still wanted, and ends its processes.

_WATCH_S: Final = 0.5
_UNWANTED: Final = {"cancelled", "forgotten", "released"}
"""Dask's names for the states of a task whose result nobody waits for."""


class UnwantedError(Exception):
    """Nobody waits for the task any more; an interrupt instead would end Dask's worker."""


def _still_wanted() -> Callable[[], bool]:
    """Returns a function for any thread: whether the task of this thread is still wanted."""
    # A child that measures imports this module, and does without Dask, which takes half a second.
    from distributed import get_worker  # noqa: PLC0415

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state not in _UNWANTED

    return wanted


@contextmanager
def watched(look: Callable[[], None] = lambda: None) -> Iterator[ToolRuns]:
    """Runs of programs that end when the task of this thread is no longer wanted.

    `look` is called twice a second within the block, in another thread.
    """
    wanted = _still_wanted()
    runs = ToolRuns()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_WATCH_S):
            if not wanted():
                runs.stop()
                return
            look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield runs
    except ToolsStopped:
        raise UnwantedError from None
    finally:
        over.set()
        thread.join()


@contextmanager
def beside_measuring() -> Iterator[ToolRuns]:
    """As `watched`, for work that does not measure: waits until nobody measures on this machine."""
    wanted = _still_wanted()

    def waiting() -> None:
        if not wanted():
            raise UnwantedError

    with beside_others(waiting), watched() as runs:
        yield runs
