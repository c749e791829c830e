# SPDX-License-Identifier: Apache-2.0
"""Guesses of the name that a user meant who typed a name that does not exist.

Everybody mistakes case and the signs between words: `HMAC_SHA256` certainly means `hmac-sha256`.
For slips of single letters the likeliest names are guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_ALIKE: Final = 0.6
"""Least similarity of two names, as `difflib` counts it: 1 for equal names."""
_AS_GOOD: Final = 0.1
"""Similarity that a name may have less than the best name, and still be offered beside it."""
_SURE: Final = 0.8
"""Similarity from which on a name is likelier than names that only contain the typed text."""
_MOST: Final = 4
"""Most names that are offered."""


def near_names(typed: str, known: Iterable[str]) -> list[str]:
    """The names that were probably meant, the likeliest first: at most four, perhaps none.

    Names that differ only in case, signs or the order of words are certain, and offered alone.

    Args:
        typed: a name that is not among `known`.
        known: all names.

    Example:
        >>> near_names("HMAC_SHA256", ["hmac-sha256", "hmac-sha512"])
        ['hmac-sha256']
        >>> near_names("sah256", ["sha256", "sha512", "aes128"])
        ['sha256']
    """
    words = _words(typed)
    names = {name: _words(name) for name in sorted(known)}
    for certain in (
        [name for name, spellings in names.items() if "".join(spellings) == "".join(words)],
        [name for name, spellings in names.items() if sorted(spellings) == sorted(words)],
    ):
        if words and certain:
            return certain[:_MOST]
    text = "".join(words)
    alike = {name: _likeness(text, "".join(spellings)) for name, spellings in names.items()}
    best = sorted((name for name in alike if alike[name] >= _ALIKE), key=alike.__getitem__)[::-1]
    close = [name for name in best if alike[name] > alike[best[0]] - _AS_GOOD]
    within = [name for name, spellings in names.items() if text and text in "".join(spellings)]
    first, second = (close, within) if best and alike[best[0]] >= _SURE else (within, close)
    return list(dict.fromkeys([*first, *second]))[:_MOST]


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """End of a sentence that offers the names that were probably meant; empty if none is near.

    Example:
        >>> did_you_mean("Siphash24", ["siphash-2-4", "siphash-2-4-128"])
        '; did you mean siphash-2-4?'
    """
    near = near_names(typed, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _words(name: str) -> list[str]:
    """Runs of letters and of digits in a name, without regard to case."""
    return _WORDS.findall(name.casefold())


def _likeness(typed: str, name: str) -> float:
    """Similarity; below `_ALIKE` perhaps a bound of it, since lengths tell most names apart."""
    matcher = SequenceMatcher(None, typed, name, autojunk=False)
    bound = matcher.real_quick_ratio()
    return bound if bound < _ALIKE else matcher.ratio()
