# SPDX-License-Identifier: Apache-2.0
"""Signals: their names, and those that end a command as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGTERM, signal.SIGHUP)


def signal_name(number: int) -> str:
    """`SIGSEGV`, `SIGRTMIN+3`, or the number of one that the C library keeps for itself."""
    try:
        return signal.Signals(number).name
    except ValueError:
        first, last = int(signal.SIGRTMIN), int(signal.SIGRTMAX)
        return f"SIGRTMIN+{number - first}" if first < number < last else str(number)


class ReceivedSignal:
    """The signal that ended a command; 0 until one did."""

    number = 0


@contextmanager
def ended_like_ctrl_c() -> Iterator[ReceivedSignal]:
    """Lets signals by which other programs end a command raise KeyboardInterrupt, as Ctrl-C does.

    Processes and temporary folders are then removed in the same way however a command is ended. A
    signal that is to be ignored, as nohup asks, stays ignored. Does nothing outside the main
    thread, which alone may set handlers.
    """
    received = ReceivedSignal()

    def end(number: int, _frame: object) -> None:
        if not received.number:  # a second signal must not break off the tidying up
            received.number = number
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    heeded = [number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
