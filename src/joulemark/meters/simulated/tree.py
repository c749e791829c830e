# SPDX-License-Identifier: Apache-2.0
"""A simulated machine's folder: `sys` and `proc` below it, each marked as a test double.

Files that another process may be reading are replaced, not rewritten: the new text goes to a new
file that then takes the name. A reader that has the old file open goes on reading the old number;
no reader ever sees half a number. Where the only reader is the writing thread, a file is rewritten
in place, which gives the same numbers and is five times as fast.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from joulemark.meters.sysfs import SIMULATED_MARK

_NEW: Final = ".new"
_UNREADABLE: Final = ("/sys/bus/cpu/drivers_probe", "/proc/sys/vm/drop_caches")
"""Files of every Linux that can only be written: opening one to read is refused to root as well
(fs/kernfs/file.c, kernfs_fop_open; fs/proc/proc_sysctl.c, sysctl_perm)."""


class Tree:
    """The files of one simulated machine.

    Args:
        root: the folder; made if it is not there.
        shared: whether another process or thread may be reading.
    """

    def __init__(self, root: Path, *, shared: bool) -> None:
        self.root = root
        self._shared = shared
        self._new = str(root / _NEW)
        for name in ("sys", "proc"):
            (root / name).mkdir(parents=True, exist_ok=True)
            (root / name / SIMULATED_MARK).write_text("a test double, not a machine\n")

    def lay(self, path: str, text: str) -> None:
        """Makes a file that stays as it is, and the folders above it; `path` is below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    def link(self, path: str, target: str) -> None:
        """Makes a symbolic link, relative as in sysfs; both paths are below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.root / target, file.parent))

    def show(self, path: str, text: str) -> None:
        """Gives the file at the full path `path` the text; readers see the old text or the new."""
        data = text.encode("ascii") + b"\n"
        written = self._new if self._shared else path
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, data)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)
        if self._shared:
            os.rename(written, path)  # noqa: PTH104 - Path.rename costs 2 us more, every millisecond

    def forbid(self, path: str) -> None:
        """Makes the file unreadable for every user.

        File modes do not stop root, as whom tests often run; for root the name becomes a link to a
        kernel file that root may not read either.
        """
        targets = _UNREADABLE if os.geteuid() == 0 else ()
        target = next((file for file in targets if _is_refused(file)), None)
        if target is None:
            (self.root / path).chmod(0)
            return
        new = Path(self._new)
        new.symlink_to(target)
        new.rename(self.root / path)

    def remove(self, path: str) -> None:
        """Removes a file, a link or a folder with its content, in one step as readers see it."""
        gone = self.root / ".gone"
        try:
            (self.root / path).rename(gone)
        except FileNotFoundError:
            return
        if gone.is_dir() and not gone.is_symlink():
            shutil.rmtree(gone)
        else:
            gone.unlink()


def _is_refused(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except PermissionError:
        return True
    except OSError:
        return False
    return False
