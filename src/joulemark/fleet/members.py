# SPDX-License-Identifier: Apache-2.0
"""The identity of a worker: its machine, its build, and whether it may take part.

A worker must have the build of the command that uses it: a figure of another build would stand
beside ours under the same name.
"""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from typing import Any, Final

from joulemark import __version__
from joulemark.environment import MACHINE_VARIABLE
from joulemark.fleet.build import own_build, short_build

BENCH: Final = "bench"
"""The resource of workers that measure; each has one unit."""


@dataclass(frozen=True, slots=True)
class Member:
    """A worker, by its own answer and by its scheduler."""

    address: str
    name: str
    machine: str
    build: str
    """Digest of `joulemark.fleet.build`."""
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


def member_of(address: str, entry: dict[str, Any], answer: dict[str, str]) -> Member:
    """Puts a worker together from its scheduler's entry and its own answer.

    Args:
        address: at which other workers reach it.
        entry: the worker's entry in the scheduler's `identity`.
        answer: of `who_am_i`.
    """
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
