# SPDX-License-Identifier: Apache-2.0
"""A process between us and foreign code, which ends all that the code has started.

A library may fork a helper, or start it as a daemon in a new session, where signals to our process
group do not reach it. Linux gives such orphans to the nearest ancestor that asked for them
(PR_SET_CHILD_SUBREAPER, prctl(2)): the keeper, which ends them all when the worker has ended, and
then ends as the worker did, by the same signal or with the same code. Should the foreign code end
its keeper, the process that measures is the next ancestor, and ends the orphans itself.

The keeper sleeps while the worker works. SIGTERM is passed on to the worker; SIGHUP, or the end of
the parent, ends everything below.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Final, NoReturn

from joulemark.processes.descendants import adopt_orphans, children_of
from joulemark.processes.waiting import drain, ready_within, signals_readable

_PR_SET_PDEATHSIG: Final = 1
_GRACE_S: Final = 2.0
"""Time from the end of the parent, whose pipe the worker reads, to the worker's end by force."""
_LONGEST_S: Final = 5.0
"""Longest time spent on ending orphans: one that sleeps in the kernel ends when it wakes."""


class _EndNowError(Exception):
    """Raised by SIGHUP, which asks for the end of everything below."""


def become_kept(requests: int, answers: int) -> None:
    """Splits this process in two: returns in the worker, never in its keeper.

    To be called before there are threads. Elsewhere than on Linux it does nothing.

    Args:
        requests: pipe that the worker reads; its other end closes when the parent ends.
        answers: pipe that the worker writes to; the keeper closes its copy.
    """
    if sys.platform != "linux":
        return
    adopt_orphans()
    keeper = os.getpid()
    worker = os.fork()  # the worker adopts no orphans: the attribute is not inherited
    if worker == 0:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)
        return
    os.close(answers)
    _keep(worker, requests)


def _keep(worker: int, requests: int) -> NoReturn:
    def end_now(_number: int, _frame: object) -> NoReturn:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        raise _EndNowError

    try:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(worker, signal.SIGTERM))
        signal.signal(signal.SIGHUP, end_now)
        _await(worker, requests)
    except _EndNowError:
        os.kill(worker, signal.SIGKILL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # The worker is reaped only here, so no other process had its number when it was signalled.
    _, status = os.waitpid(worker, 0)
    _end_orphans()
    _end_as(status)


def _await(worker: int, requests: int) -> None:
    """Waits until the worker has ended; ends it by force some time after the parent has gone."""
    handle = os.pidfd_open(worker)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(requests, 0)  # reports only that nobody can write any more
    with signals_readable() as woken:
        assert woken is not None  # there is one thread
        poll.register(woken, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if handle in ready:
                return
            if woken in ready:
                drain(woken)
            elif requests in ready:
                poll.unregister(requests)
                if not ready_within(handle, _GRACE_S):
                    os.kill(worker, signal.SIGKILL)


def _end_orphans() -> None:
    """Ends the processes left below, until there are none: each leaves its children to us."""
    end_s = time.monotonic() + _LONGEST_S
    while time.monotonic() < end_s:
        for child in children_of(os.getpid()):
            os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _end_as(status: int) -> NoReturn:
    """Ends this process as one ended whose status waitpid(2) gave."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # that of the worker is enough
        with suppress(OSError, ValueError):  # the C library keeps some signals for itself
            signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        time.sleep(1.0)  # the signal is on its way
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)
