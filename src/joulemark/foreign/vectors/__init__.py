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
"""The largest of either kind, of long messages, have a quarter of it."""


def read_vectors(path: Path) -> VectorFile:
    """The vectors of a file of either format, which is told by its first sign.

    Raises:
        ForeignError: it cannot be read, is of neither format, or breaks it.
    """
    content = read_whole(path, _MOST_BYTES)
    return read_wycheproof(content) if content.lstrip()[:1] == b"{" else read_cavp(content)
