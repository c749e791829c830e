# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors that a user has: Wycheproof's JSON, and NIST's `.rsp` and ACVP's JSON."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from joulemark.foreign.files import read_whole
from joulemark.foreign.json import parse_json
from joulemark.foreign.vectors.acvp import ANSWERS, QUESTIONS, is_acvp, joined, read_acvp
from joulemark.foreign.vectors.cavp import read_cavp
from joulemark.foreign.vectors.records import Vector, VectorFile, VectorVerdict, plain_name
from joulemark.foreign.vectors.wycheproof import read_wycheproof

__all__ = ["Vector", "VectorFile", "VectorVerdict", "plain_name", "read_vectors"]

_JSON: Final = re.compile(rb"\s*(?:\{|\[\s*[{\]])")
"""Begin of an object, or of a list of objects; a `.rsp` file may begin with `[L = 32]`."""
_MOST_BYTES: Final = 16 << 20
"""Four times the size of the largest published files, those of long messages."""


def read_vectors(path: Path) -> VectorFile:
    """The vectors of a file of one of these formats; its first signs tell the format.

    Questions of ACVP are joined with the answers in the same folder, and the other way round.

    Raises:
        ForeignError: the file cannot be read, is of no such format, or breaks its format.
    """
    content = read_whole(path, _MOST_BYTES)
    if _JSON.match(content) is None:
        return read_cavp(content)
    value = parse_json(content)
    if not is_acvp(value):
        return read_wycheproof(content)
    other = {QUESTIONS: ANSWERS, ANSWERS: QUESTIONS}.get(path.name, "")
    if other and path.with_name(other).exists():
        beside = parse_json(read_whole(path.with_name(other), _MOST_BYTES))
        value = joined(value, beside) if path.name == QUESTIONS else joined(beside, value)
    return read_acvp(value)
