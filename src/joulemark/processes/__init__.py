# SPDX-License-Identifier: Apache-2.0
"""Processes that we start: that all of them end with us, and how they ended, in words.

Here stands what a process of ours sets for itself: its signals, its search for cycles, modules left
unread. Every command and every worker loads this first, so it imports little.
"""

from __future__ import annotations

import atexit
import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

# Signals: their names, and those that end a command as Ctrl-C does.

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


# How often Python looks for objects that only refer to each other.

_OBJECTS_BEFORE_A_SEARCH = 50_000


def search_seldom_for_cycles() -> None:
    """Lets this process search only after many new objects, and not when it ends.

    Imports make a hundred thousand objects that stay. By default Python searches them after each
    700, which takes a fifth of the time of imports, and all of them when it ends, which takes a
    quarter of the CPU time of `joulemark results`. Functions registered for the end run before.
    """
    gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH, 20, 100)
    atexit.register(gc.freeze)


# Modules that other modules import without need: each is read only when something uses it.


class _Unread(ModuleType):
    """Stands for a module until something asks it for an attribute that it does not have itself."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def leave_unread(module: str, **stand_ins: Callable[..., Any]) -> None:
    """Puts the reading of a module off until something uses it, for all that import it from now on.

    Args:
        module: name of a module that lies in no package.
        stand_ins: functions that serve as the module's of the same name.
    """
    if module not in sys.modules:
        unread = sys.modules[module] = _Unread(module)
        vars(unread).update(stand_ins)


def leave_inspect_unread() -> None:
    """Puts the reading of `inspect` off, and with it of `dis` and, before Python 3.14, of `ast`.

    `dataclasses` imports `inspect`. It asks for a signature where a class has no docstring, in
    Python 3.12 and 3.13 for the annotations of every class, and in 3.14 for the function behind
    each member of a class with slots.
    """
    leave_unread("inspect", get_annotations=_annotations_of_a_class, unwrap=_unwrapped)


def _annotations_of_a_class(owner: type) -> dict[str, Any]:
    """What `inspect.get_annotations` returns for a class."""
    return dict(vars(owner).get("__annotations__", {}))


def _unwrapped(member: Any) -> Any:
    """What `inspect.unwrap` returns for a member that does not wrap itself."""
    while not isinstance(member, type) and hasattr(member, "__wrapped__"):
        member = member.__wrapped__
    return member
