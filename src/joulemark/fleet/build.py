# SPDX-License-Identifier: Apache-2.0
"""The build of this Joulemark, named by a digest over every file of the installed package.

The native library, the kernels' plugins and the catalogue lie in the package's folder, so one
digest covers them all. Two workers whose digests are equal run the same code.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import joulemark

_SHOWN_DIGITS: Final = 12


def build_digest(package: Path) -> str:
    """SHA-256 over names and contents of all files below a folder, in hexadecimal digits.

    Args:
        package: the folder of a package.
    """
    total = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        # Python writes the folders `__pycache__` at any time.
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).digest()
            total.update(path.relative_to(package).as_posix().encode() + b"\0" + content)
    return total.hexdigest()


@cache
def own_build() -> str:
    """The digest of this process's package, as it was at the first call."""
    return build_digest(Path(joulemark.__file__).parent)


def short_build(digest: str) -> str:
    """The digits of a digest that are shown."""
    return digest[:_SHOWN_DIGITS]
