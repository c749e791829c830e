# SPDX-License-Identifier: Apache-2.0
"""A process between us and foreign code, which ends all that the code has started.

A library may fork a helper, or start it as a daemon in a new session, where signals to our process
group do not reach it. Linux gives such orphans to the nearest ancestor that asked for them
(PR_SET_CHILD_SUBREAPER, prctl(2)): the keeper, which ends them all when the worker has ended, and
then ends as the worker did, by the same signal or with the same code. Should the foreign code end
its keeper, the process that measures is the next ancestor, and ends the orphans itself.

The keeper sleeps while the worker works. SIGTERM is passed on to the worker; SIGHUP, or the end of
the parent, ends everything below.

`python -P -m joulemark.processes.keeper MODULE [WORD ...]` runs a module behind a keeper. Its
standard input is a pipe that ends with the process that started it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import runpy
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

# Confines this process before it first starts a stranger's code, as far as the kernel offers it.
#
# Landlock (Linux 5.13 and later; landlock(7)) allows writing below one folder alone, hides the
# memory and the environment of other processes, and, where it is newer, forbids TCP and signals to
# processes outside. A filter of system calls (seccomp(2)) forbids sockets of all kinds, and changes
# of owner, mode and attributes, which Landlock does not know. Reading stays as it was: the code may
# read what its user may read, but cannot send it anywhere.

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2

_CAPABILITY_VERSION: Final = 0x20080522
_FILE_CAPABILITIES: Final = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH (capabilities(7)). Landlock holds whoever has them."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls; their numbers are those of every architecture."""
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_WRITE_FILE: Final = 1 << 1
_TRUNCATE: Final = 1 << 14
_IOCTL_DEVICE: Final = 1 << 15
_CHANGES: Final = (
    (1, _WRITE_FILE | 0x1FF0),  # removing, and making each kind of file
    (2, 1 << 13),  # linking and moving between folders
    (3, _TRUNCATE),
    (5, _IOCTL_DEVICE),
)
"""Version of Landlock, and the rights to change files that it brought."""
_TCP: Final = (4, 0b11)
"""Binding and connecting, as above."""
_SCOPES: Final = (6, 0b11)
"""Abstract UNIX sockets and signals, as above."""

_ARCHITECTURES: Final = {
    "x86_64": (0xC000003E, (41, 90, 91, 92, 93, 94, 188, 189, 190, 197, 198, 199, 260, 268)),
    "aarch64": (0xC00000B7, (198, 52, 53, 54, 55, 5, 6, 7, 14, 15, 16)),
}
"""Number of the architecture in <linux/audit.h>, and its numbers of socket, chmod, fchmod, chown,
fchown, lchown, setxattr and removexattr, each with its kin, as far as it has them."""
_EVERYWHERE: Final = (425, 452, 463, 466)
"""io_uring_setup, which makes sockets too, fchmodat2, setxattrat, removexattrat."""
_X32: Final = 0x40000000
"""Numbers from here on are those of x32, another table of the same calls."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ARCHITECTURE_AT, _NUMBER_AT = 4, 0
_ALLOW: Final = 0x7FFF0000
_FORBID: Final = 0x00050001
"""The call fails with EPERM."""


def confine(folder: str) -> None:
    """Takes away network and writing but for a folder, from this process and those it will start.

    To be called before there are threads. Whatever the kernel does not offer stays allowed.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        _drop_capabilities(libc)
        _allow_writing_below(libc, folder)
        _forbid_calls(libc)


def landlock_version() -> int:
    """Version of the kernel's Landlock; 0 if there is none, or if it is switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Keeps of root's capabilities those of files alone, without which it may not find our code.

    CAP_PERFMON, for one, would open the environment of other processes.
    """
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    if libc.capget(header, held) == 0:
        _, permitted, *_ = struct.unpack("=6I", held.raw)
        kept = permitted & _FILE_CAPABILITIES
        libc.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0))


def _allow_writing_below(libc: ctypes.CDLL, folder: str) -> None:
    version = landlock_version()
    if version == 0:
        return
    changes = sum(rights for since, rights in _CHANGES if version >= since)
    rules = struct.pack(
        "=QQQ",
        changes,
        _TCP[1] if version >= _TCP[0] else 0,
        _SCOPES[1] if version >= _SCOPES[0] else 0,
    )
    # An older kernel takes a structure longer than the one it knows only if the rest is 0.
    ruleset = libc.syscall(_CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return
    of_files = changes & (_WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE)
    for path, rights in ((folder, changes), (os.devnull, of_files)):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
        os.close(place)
    libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _forbid_calls(libc: ctypes.CDLL) -> None:
    if os.uname().machine not in _ARCHITECTURES:
        return
    architecture, own = _ARCHITECTURES[os.uname().machine]
    forbidden = (*own, *_EVERYWHERE)
    left = len(forbidden)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _FORBID),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, left + 1, 0, _X32),
        *((_EQUAL, left - place, 0, number) for place, number in enumerate(forbidden)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FORBID),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0)


# Waits for descriptors in a way that a signal ends at once, even one that came just before.
#
# Python calls the handler of a signal between two instructions of a Python program. A signal that
# comes after the last instruction before a system call is only noted, and the call sleeps until
# something else happens. Python can also write to a pipe when it notes a signal
# (`signal.set_wakeup_fd`), and every wait here waits for that pipe too.

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


# Finds the processes below a process, by the files that Linux has of each, and ends them.
#
# Each worker imports this module, and `pathlib` alone would take a twentieth of its start.

_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Makes this process the parent of processes that its descendants leave behind (prctl(2)).

    Elsewhere than on Linux it does nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_adopted(mark: str) -> None:
    """Ends and reaps children with `mark` in their environment, and ends all processes below them.

    To be called when the process that was started with the mark has been reaped.
    """
    for child in children_of(os.getpid()):
        with suppress(OSError):
            if mark.encode() in _read(f"/proc/{child}/environ"):
                end_tree(child)
                os.waitpid(child, 0)


def children_of(pid: int) -> list[int]:
    """Numbers of the processes whose parent is `pid`; none where the system does not tell."""
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - see the top
    except OSError:
        return found
    for task in tasks:
        with suppress(OSError):
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see the top
        return file.read()


def end_tree(pid: int) -> None:
    """Ends a process and all processes below it; the caller reaps the process itself.

    Each process is stopped before its children are listed, so that it starts no others meanwhile.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for child in children_of(pid):
        end_tree(child)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


# The keeper itself.

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


# The program. The keeper is split off before the module is imported, since there must be no threads
# by then.

if __name__ == "__main__":
    become_kept(sys.stdin.fileno(), sys.stdout.fileno())
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
