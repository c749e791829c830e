# SPDX-License-Identifier: Apache-2.0
"""Waits for descriptors in a way that a signal ends at once, even one that came just before.

Python calls the handler of a signal between two instructions of a Python program. A signal that
comes after the last instruction before a system call is only noted, and the call sleeps until
something else happens. Python can also write to a pipe when it notes a signal
(`signal.set_wakeup_fd`), and every wait here waits for that pipe too.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_MOST_BYTES: Final = 4096
"""Most signals that are taken off the pipe at a time."""


def ready_within(descriptor: int, timeout_s: float | None, *, writable: bool = False) -> bool:
    """Whether a descriptor is readable, or writable, before the time is up.

    A handler that raises ends the wait; after one that returns it goes on.

    Args:
        descriptor: a file, a pipe, or a process (pidfd_open(2)), readable once it has ended.
        timeout_s: longest wait; None waits without an end.
        writable: whether to wait until it can be written.
    """
    end_s = None if timeout_s is None else time.monotonic() + timeout_s
    with signals_readable() as woken:
        wake = [] if woken is None else [woken]
        reads, writes = ([], [descriptor]) if writable else ([descriptor], [])
        while True:
            left_s = None if end_s is None else max(0.0, end_s - time.monotonic())
            readable, ready, _ = select.select([*reads, *wake], writes, [], left_s)
            if ready or descriptor in readable:
                return True
            if not readable:
                return False
            drain(readable[0])


@contextmanager
def signals_readable() -> Iterator[int | None]:
    """A descriptor that is readable once a signal has come to this process.

    None in all threads but the main thread, which alone runs handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    read, write = os.pipe()
    try:
        os.set_blocking(read, False)
        os.set_blocking(write, False)
        before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        try:
            yield read
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(read)
        os.close(write)


def drain(woken: int) -> None:
    """Takes off the bytes that signals wrote to a descriptor of `signals_readable`."""
    with suppress(BlockingIOError):
        os.read(woken, _MOST_BYTES)
