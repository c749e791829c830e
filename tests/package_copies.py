# SPDX-License-Identifier: Apache-2.0
"""The installed package in another folder, for tests of code that must not depend on its folder.

Copying its three thousand files takes two seconds of CPU time, so they are linked where that is
possible. A test that changes a file of the copy must replace the file, or the installed file would
change too.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import joulemark

__all__ = ["copy_package"]


def copy_package(folder: Path) -> Path:
    """`folder/joulemark`, with all that the installed package has."""
    return Path(
        shutil.copytree(
            Path(joulemark.__file__).parent, folder / "joulemark", copy_function=_linked
        )
    )


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
