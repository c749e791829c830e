# SPDX-License-Identifier: Apache-2.0
"""Processes that write into stores, forked from one process that has imported their modules."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from typing import Any

from store_data import TRIAL, begin, sample
from stored_energy_data import window

from joulemark.store.merging import add_content, content_of
from joulemark.store.repository import Store


@cache
def _forks() -> ForkServerContext:
    """The fork server, which finds modules by the PYTHONPATH that it starts with."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    try:
        found = multiprocessing.get_context("forkserver")
        found.set_forkserver_preload([__name__])
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return found


class Writer:
    """A process that calls a function and hears the objects that the function sends.

    Args:
        function: a function of a module; its last argument is the pipe that it sends objects on.
        arguments: the function's other arguments.
    """

    def __init__(self, function: Callable[..., None], *arguments: object) -> None:
        self._hears, says = _forks().Pipe(duplex=False)
        self.process = _forks().Process(target=function, args=(*arguments, says))
        self.process.start()
        says.close()

    def said(self) -> Iterator[Any]:
        """All objects that the function sends until the process has ended."""
        while not self._hears.closed:
            try:
                yield self._hears.recv()
            except EOFError:
                self.process.join()
                self._hears.close()

    def kill(self) -> None:
        """Kill the process by SIGKILL."""
        self.process.kill()

    def end(self) -> int | None:
        """The exit code of the process, once all its objects are read."""
        for _ in self.said():
            pass
        return self.process.exitcode


def add_samples(place: str, run_id: int, first: int, last: int, says: Connection) -> None:
    """Adds samples one by one, to a new run if `run_id` is 0, and sends each number once stored."""
    with Store.open(place) as store:
        run_id = run_id or begin(store)
        for number in range(first, last):
            store.add_samples(run_id, TRIAL, [sample(number)])
            says.send(number)


def add_windows(place: str, run_id: int, first: int, last: int, says: Connection) -> None:
    """Adds energy windows one by one, as `add_samples` adds samples."""
    with Store.open(place) as store:
        run_id = run_id or begin(store)
        for number in range(first, last):
            store.add_energy_window(run_id, TRIAL, window(round_index=number))
            says.send(number)


def add_runs(source: str, place: str, says: Connection) -> None:
    """Adds every run of another store, and sends its number here, or None if it was there."""
    with Store.open(source, create=False) as found, Store.open(place) as store:
        for run in found.runs():
            says.send(add_content(store, content_of(found, run.id)))
