# SPDX-License-Identifier: Apache-2.0
"""The source of watts that the user names: a file, a named pipe or a serial port."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.contract import MeterError
from joulemark.records.domain import Fault

__all__ = ["Source", "permission_error"]

_CLOCKS: Final = {"epoch", "monotonic", "arrival"}


@dataclass(frozen=True, slots=True)
class Source:
    """The parts of the meter's argument; None for a part that it leaves out."""

    path: Path
    baud: int | None
    clock: str | None
    """The clock of the stamps: `epoch`, `monotonic` or `arrival`."""

    @staticmethod
    def parse(argument: str | None) -> Source:
        """Reads `PATH[@BAUD][,clock=...]`.

        Raises:
            UsageError: the argument is missing or has another form.
        """
        match = re.fullmatch(
            r"(.*?)(?:@([0-9]{1,8}))?(?:,clock=([^,]*))?", argument or "", re.DOTALL
        )
        if match is None or not match[1] or "\0" in match[1]:
            raise UsageError("external needs a file, pipe or serial port: external:watts.csv")
        if match[3] is not None and match[3] not in _CLOCKS:
            raise UsageError(f"there is no clock '{match[3]}'; use epoch, monotonic or arrival")
        return Source(Path(match[1]), int(match[2]) if match[2] else None, match[3])

    def mode(self) -> int:
        """File type and permissions.

        Raises:
            MeterError: VANISHED or PERMISSION.
        """
        try:
            mode = self.path.stat().st_mode
        except PermissionError:
            raise permission_error(self.path) from None
        except (OSError, ValueError):
            raise MeterError(Fault.VANISHED, f"{self.path} is not there") from None
        if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
            raise MeterError(Fault.UNREADABLE, f"{self.path} is no file, pipe or serial port")
        if not os.access(self.path, os.R_OK, effective_ids=True):
            raise permission_error(self.path)
        return mode


def permission_error(path: Path) -> MeterError:
    """The refusal of a file that this user may not read."""
    return MeterError(Fault.PERMISSION, f"{path} may not be read by this user (see ls -l)")
