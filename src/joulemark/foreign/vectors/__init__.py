# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors that a user has: Project Wycheproof's JSON and NIST's `.rsp`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from joulemark.foreign.files import read_whole
from joulemark.foreign.vectors.cavp import read_cavp
from joulemark.foreign.vectors.records import Vector, VectorFile, Verdict, plain_name
from joulemark.foreign.vectors.wycheproof import read_wycheproof

__all__ = ["Vector", "VectorFile", "Verdict", "plain_name", "read_vectors"]

_MOST_BYTES: Final = 16 << 20
"""Four times the size of the largest published files, those of long messages."""


def read_vectors(path: Path) -> VectorFile:
    """The vectors of a file of either format; its first sign tells the format.

    Raises:
        ForeignError: the file cannot be read, is of neither format, or breaks its format.
    """
    content = read_whole(path, _MOST_BYTES)
    return read_wycheproof(content) if content.lstrip()[:1] == b"{" else read_cavp(content)
