# SPDX-License-Identifier: Apache-2.0
"""Confines this process before it first starts a stranger's code, as far as the kernel offers it.

Landlock (Linux 5.13 and later; landlock(7)) allows writing below one folder alone, hides the memory
and the environment of other processes, and, where it is newer, forbids TCP and signals to processes
outside. A filter of system calls (seccomp(2)) forbids sockets of all kinds, and changes of owner,
mode and attributes, which Landlock does not know. Reading stays as it was: the code may read
what its user may read, but cannot send it anywhere.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from typing import Final

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
    if platform.system() != "Linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        _drop_capabilities(libc)
        _allow_writing_below(libc, folder)
        _forbid_calls(libc)


def landlock_version() -> int:
    """Version of the kernel's Landlock; 0 if there is none, or if it is switched off."""
    if platform.system() != "Linux":
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
    if platform.machine() not in _ARCHITECTURES:
        return
    architecture, own = _ARCHITECTURES[platform.machine()]
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
