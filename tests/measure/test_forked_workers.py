# SPDX-License-Identifier: Apache-2.0
"""The short way in which commands of tests start workers leads to the same workers."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from forked_workers import forked_child, worker_server
from joulemark.errors import CrashError
from joulemark.measure.worker import client
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.messages import Opened, OpenSource
from joulemark.measure.worker.sources import ImplementationSource, installed_sources
from joulemark.processes.child import KeptChild
from joulemark.processes.keeper import children_of
from living import outliving


@pytest.fixture
def builtin() -> ImplementationSource:
    """Our own kernels."""
    return next(source for source in installed_sources() if source.kind == "builtin")


@pytest.fixture
def short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way in which the commands of tests start workers."""
    monkeypatch.setattr(client, "KeptChild", partial(forked_child, worker_server()))


def opened(source: ImplementationSource) -> tuple[Opened, set[int], type]:
    """The answer of a worker, the CPUs on which it runs, and its process."""
    worker = WorkerClient(source, min(os.sched_getaffinity(0)))
    try:
        about = worker.ask(OpenSource(files=True), limit_s=60)
        [process] = children_of(worker._child.pid)
        return about, os.sched_getaffinity(process), type(worker._child)
    finally:
        worker.close()


def test_it_is_the_same_worker(
    builtin: ImplementationSource, request: pytest.FixtureRequest
) -> None:
    """The worker gives the same answer on the same CPU as the usual worker, behind a keeper."""
    *usual, kept = opened(builtin)
    request.getfixturevalue("short_way")
    *short, forked = opened(builtin)
    assert short == usual
    assert kept is KeptChild
    assert forked is not KeptChild


@pytest.mark.usefixtures("short_way")
def test_its_end_is_told(builtin: ImplementationSource) -> None:
    """The signal by which a forked worker died is told, and an ended worker leaves no process."""
    worker = WorkerClient(builtin, None)
    worker.ask(OpenSource(), limit_s=60)
    processes = [worker._child.pid, *children_of(worker._child.pid)]
    os.kill(processes[1], signal.SIGUSR1)
    with pytest.raises(CrashError, match="signal SIGUSR1"):
        worker.ask(OpenSource(), limit_s=60)
    worker.close()
    assert not outliving(processes, 5)
    worker = WorkerClient(builtin, None)
    worker.ask(OpenSource(), limit_s=60)
    processes = [worker._child.pid, *children_of(worker._child.pid)]
    worker.close()
    assert worker._child.code == 0
    assert not outliving(processes, 5)


@pytest.mark.usefixtures("short_way")
def test_code_of_others_starts_as_it_does_for_users(hostile_plugins) -> None:
    """A plugin that is not installed with Joulemark gets a worker below this process."""
    [plugin] = hostile_plugins("harmless")
    worker = WorkerClient(ImplementationSource("other", "Other", "plugin", str(plugin), None), None)
    try:
        assert isinstance(worker._child, KeptChild)
        worker.ask(OpenSource(), limit_s=60)  # by now the program has taken the fork's place
        assert worker._child.pid in children_of(os.getpid())
    finally:
        worker.close()
