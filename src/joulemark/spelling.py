# SPDX-License-Identifier: Apache-2.0
"""Names that somebody meant who typed a name that does not exist.

Small and capital letters, and the signs between words, are slips that everybody makes: of
`HMAC_SHA256` it is certain that `hmac-sha256` is meant. Slips of single letters are guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

__all__ = ["did_you_mean", "near_names"]

_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_ALIKE: Final = 0.6
"""Least similarity of two names, as `difflib` counts it: 1 for equal ones."""
_AS_GOOD: Final = 0.1
"""How much less similar than the best a name may be that is offered beside it."""
_SURE: Final = 0.8
"""From this likeness on a name is likelier than others that only contain what was typed."""
_MOST: Final = 4


def near_names(typed: str, known: Iterable[str]) -> list[str]:
    """The names that were probably meant, the likeliest first: at most four, perhaps none.

    Names that differ in case, signs or order of words alone are certain, and offered alone.

    Args:
        typed: which is not among `known`.
        known: all names that there are.

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
    """End of a sentence with the names that were probably meant; empty where no name is near.

    Example:
        >>> did_you_mean("Siphash24", ["siphash-2-4", "siphash-2-4-128"])
        '; did you mean siphash-2-4?'
    """
    near = near_names(typed, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _words(name: str) -> list[str]:
    """Its runs of letters and of digits, without regard to case."""
    return _WORDS.findall(name.casefold())


def _likeness(typed: str, name: str) -> float:
    """At least `_ALIKE`, or any number below it: lengths alone tell most names apart."""
    matcher = SequenceMatcher(None, typed, name, autojunk=False)
    bound = matcher.real_quick_ratio()
    return bound if bound < _ALIKE else matcher.ratio()
