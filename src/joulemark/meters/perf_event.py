# SPDX-License-Identifier: Apache-2.0
"""Opening a counting perf event of a whole CPU, without a library.

perf_event_open has no wrapper in the C library (man 2 perf_event_open), so it is called by number.
The attributes are sent in the first published size, PERF_ATTR_SIZE_VER0 of
include/uapi/linux/perf_event.h, which every kernel accepts.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Callable
from typing import Final, Protocol

_SYSTEM_CALL: Final = {"x86_64": 298, "aarch64": 241}
"""Numbers of perf_event_open: arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h."""
_ATTRIBUTES: Final = struct.Struct("=IIQQQQQIIQ")
"""type, size, config, sample_period, sample_type, read_format, flags, wakeup_events, bp_type,
config1: 64 bytes. With all but the first three 0 the event counts from the start, in all modes,
and a read gives the count alone."""
_CLOSE_ON_EXEC: Final = 8
_EVERY_PROCESS: Final = -1
_NO_GROUP: Final = -1
_COUNT: Final = struct.Struct("=Q")


class CpuCounter(Protocol):
    """An open event."""

    def count(self) -> int:
        """The count since the event was opened."""

    def close(self) -> None:
        """Closes the event; may be called twice."""


Opener = Callable[[int, int, int], CpuCounter]
"""(type of the unit, config of the event, CPU) -> the event, opened for every process.

Raises OSError."""


class PerfCounter:
    """An open event of this machine's kernel, by its file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def count(self) -> int:
        """The count since the event was opened."""
        if self._descriptor is None:
            raise OSError(errno.EBADF, "the event is closed")
        data = os.read(self._descriptor, _COUNT.size)
        if len(data) != _COUNT.size:
            # The kernel answers with an end of file where the event's CPU or unit went away.
            raise OSError(errno.ENODEV, "the event is gone")
        (count,) = _COUNT.unpack(data)
        return int(count)

    def close(self) -> None:
        """Closes the event; may be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def open_counter(unit_type: int, config: int, cpu: int) -> CpuCounter:
    """Opens an event of this machine's kernel; see `Opener`."""
    number = _SYSTEM_CALL.get(platform.machine())
    if number is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    attributes = ctypes.create_string_buffer(
        _ATTRIBUTES.pack(unit_type, _ATTRIBUTES.size, config, *[0] * 7), _ATTRIBUTES.size
    )
    system_call = ctypes.CDLL(None, use_errno=True).syscall
    system_call.restype = ctypes.c_long
    descriptor = system_call(
        ctypes.c_long(number),
        attributes,
        ctypes.c_long(_EVERY_PROCESS),
        ctypes.c_long(cpu),
        ctypes.c_long(_NO_GROUP),
        ctypes.c_ulong(_CLOSE_ON_EXEC),
    )
    if descriptor < 0:
        trouble = ctypes.get_errno()
        raise OSError(trouble, os.strerror(trouble))
    return PerfCounter(int(descriptor))
