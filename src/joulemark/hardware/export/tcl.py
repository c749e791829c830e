# SPDX-License-Identifier: Apache-2.0
"""Words, lists and comments of Tcl, which constraints and scripts are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

__all__ = ["comment", "tcl_list", "tcl_word"]

_SPECIAL = re.compile(r"([{}\s])")
_WIDTH = 96


def tcl_word(word: str) -> str:
    """One word, such as a name or a path, within which nothing is replaced."""
    if re.search(r"[{}\\]", word) is None:
        return f"{{{word}}}"
    return re.sub(r"([^A-Za-z0-9_./-])", r"\\\1", word)


def tcl_list(words: Sequence[str]) -> str:
    """Words as one list in braces, within which all but braces and space stands for itself."""
    return f"{{{' '.join(_SPECIAL.sub(_quoted, word) for word in words)}}}"


def _quoted(found: re.Match[str]) -> str:
    return f"\\{found.group()}"


def comment(text: str) -> Iterator[str]:
    """Sentences as lines of comment."""
    return (f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH))
