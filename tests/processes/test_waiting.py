# SPDX-License-Identifier: Apache-2.0
"""Waits that end with a signal which comes after Python's last look and before the system call.

The signal is raised, and the wait begun, within one step of the interpreter, so that it cannot run
the handler in between. Without this the case comes once in some thousand times.
"""

from __future__ import annotations

import ctypes
import operator
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.meters.command import CommandProcess
from joulemark.processes import keeper
from joulemark.processes.child import Child

LONG_S = 20.0
"""Length of each wait, in seconds, if the signal did not end it."""
SOON_S = 5.0
raise_signal = ctypes.CDLL(None)["raise"]


class CaughtError(Exception):
    """The error that the handler raises."""


def just_before(call: Callable[..., Any], number: int) -> Callable[..., Any]:
    """The same call, right behind a signal."""

    def both(*arguments: Any) -> Any:
        steps = [partial(raise_signal, number), partial(call, *arguments)]
        return list(map(operator.call, steps))[-1]

    return both


@pytest.fixture(params=[signal.SIGHUP, signal.SIGUSR1])
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    """A signal whose handler raises."""

    def caught(_number: int, _frame: object) -> None:
        raise CaughtError

    before = signal.signal(request.param, caught)
    yield request.param
    signal.signal(request.param, before)


@pytest.fixture
def late(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Waits of the keeper begin right behind the signal, and must end soon."""
    fake = SimpleNamespace(select=just_before(select.select, number))
    monkeypatch.setattr(keeper, "select", fake)
    start_s = time.monotonic()
    yield
    assert time.monotonic() - start_s < SOON_S


def test_a_descriptor_is_not_waited_for(late: None) -> None:
    """The signal ends a wait for a descriptor, to be read or to be written."""
    del late
    read, write = os.pipe()
    try:
        with pytest.raises(CaughtError):
            keeper.ready_within(read, LONG_S)
        os.set_blocking(write, False)
        while select.select([], [write], [], 0)[1]:
            os.write(write, bytes(65536))
        with pytest.raises(CaughtError):
            keeper.ready_within(write, LONG_S, writable=True)
    finally:
        os.close(read)
        os.close(write)


def test_a_child_is_not_waited_for(late: None) -> None:
    """The signal ends an unlimited wait for a child, which can then be ended."""
    del late
    child = Child(["sleep", str(LONG_S)])
    with pytest.raises(CaughtError):
        child.wait()
    child.end()
    assert child.code == -signal.SIGKILL


def test_a_command_of_the_users_is_not_waited_for(late: None) -> None:
    """The signal ends a wait for a command of the user, as `joulemark energy` waits."""
    del late
    job = CommandProcess(["sleep", str(LONG_S)])
    job.start()
    with pytest.raises(CaughtError):
        job.wait(None)


def test_a_keeper_hears_of_its_end(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal that asks a keeper to end everything wakes the keeper."""

    def poll() -> Any:
        made = select.poll()
        return SimpleNamespace(
            register=made.register, unregister=made.unregister,
            poll=just_before(made.poll, number),
        )  # fmt: skip

    fake = SimpleNamespace(poll=poll, POLLIN=select.POLLIN)
    monkeypatch.setattr(keeper, "select", fake)
    requests, parent = os.pipe()
    start_s = time.monotonic()
    with subprocess.Popen(["sleep", str(LONG_S)]) as worker:
        with pytest.raises(CaughtError):
            keeper._await(worker.pid, requests)
        worker.kill()
    assert time.monotonic() - start_s < SOON_S
    os.close(requests)
    os.close(parent)


def test_a_handler_that_returns_ends_no_wait() -> None:
    """After a handler that returns, the wait goes on until its event or its time limit."""
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    read, write = os.pipe()
    try:
        with subprocess.Popen(["sh", "-c", f"for i in 1 2 3; do kill -USR1 {os.getpid()}; done"]):
            assert not keeper.ready_within(read, 0.3)
        os.write(write, b"x")
        assert keeper.ready_within(read, 0.0)
    finally:
        signal.signal(signal.SIGUSR1, before)
        os.close(read)
        os.close(write)
    assert heard


def test_what_else_wakes_by_signals_is_put_back() -> None:
    """The wakeup descriptor of a foreign event loop is in place again after the wait."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs)
    try:
        with keeper.signals_readable() as woken:
            assert woken is not None
        assert signal.set_wakeup_fd(before) == theirs
    finally:
        os.close(ours)
        os.close(theirs)
