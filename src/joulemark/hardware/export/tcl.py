# SPDX-License-Identifier: Apache-2.0
"""Words, lists and comments of Tcl, the language of constraints and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

_SPECIAL = re.compile(r"([{}\s])")
_WIDTH = 96


def tcl_word(word: str) -> str:
    """One word, such as a name or a path, within which Tcl replaces nothing."""
    if re.search(r"[{}\\]", word) is None:
        return f"{{{word}}}"
    return re.sub(r"([^A-Za-z0-9_./-])", r"\\\1", word)


def tcl_list(words: Sequence[str]) -> str:
    """Words as one list in braces, within which all but braces and space stands for itself."""
    escaped = (_SPECIAL.sub(r"\\\g<0>", word) for word in words)
    return f"{{{' '.join(escaped)}}}"


def comment(text: str) -> Iterator[str]:
    """Sentences as lines of comment."""
    return (f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH))
