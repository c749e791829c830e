# SPDX-License-Identifier: Apache-2.0
"""Reading the kernel's small files; why a file cannot be read is put into words.

Each read opens the file again: a device that went away is then noticed by its name, where a file
held open would go on to show its last value.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from joulemark.foreign.text import shortened, visible
from joulemark.meters.contract import MeterError
from joulemark.records.domain import Fault
from joulemark.records.figures import Evidence

SIMULATED_MARK: Final = "joulemark-simulated"
"""A file of this name in the root of a tree says that the tree is a test double."""
LONGEST_WORD: Final = 40
"""Characters of a file that a message shows; the kernel's words have at most 12."""
_LONGEST_FILE: Final = 4096
"""A sysfs attribute is at most a page (Documentation/filesystems/sysfs.rst)."""
_ABSENT: Final = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR, errno.ESTALE}
_FORBIDDEN: Final = {errno.EACCES, errno.EPERM}


def read_text(path: Path) -> str:
    """Text of a small file, without the space around it.

    Signs that would steer a terminal become codes (`foreign.text`); ends of lines stay.
    """
    try:
        # O_NONBLOCK: in a tree that is not the kernel's, a pipe may lie in a file's place.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            text = os.read(descriptor, _LONGEST_FILE).decode("ascii", "replace").strip()
            return "\n".join(map(visible, text.split("\n")))
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            raise MeterError(
                Fault.PERMISSION, f"{path} may not be read by this user (joulemark doctor)"
            ) from None
        if error.errno in _ABSENT:
            raise MeterError(Fault.VANISHED, f"{path} is not there any more") from None
        why = error.strerror or type(error).__name__
        raise MeterError(Fault.UNREADABLE, f"{path} cannot be read ({why})") from None


def text_or_none(path: Path) -> str | None:
    """Text of a small file, for facts that may be missing; None if it is empty or unreadable."""
    try:
        return read_text(path) or None
    except MeterError:
        return None


def read_count(path: Path) -> int:
    """The number in a small file, whole and at least 0."""
    text = read_text(path)
    if not text.isdecimal():
        shown = shortened(text, LONGEST_WORD) or "nothing"
        raise MeterError(Fault.UNREADABLE, f"{path} says '{shown}', which is no count")
    return int(text)


def evidence_of(root: Path) -> Evidence:
    """SIMULATED if the tree under `root` has the mark of a test double, else MEASURED."""
    simulated = (root / SIMULATED_MARK).exists()
    return Evidence.SIMULATED if simulated else Evidence.MEASURED
