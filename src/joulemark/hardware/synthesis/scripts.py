# SPDX-License-Identifier: Apache-2.0
"""Scripts of ABC for each mapping, and how a seed varies them.

What ABC finds depends on the structure that it begins with, which says little about the core. A
seed puts passes in front that give the same logic another structure of about the same size; seed 1
puts none. The same seed always gives the same passes, so that a mapping can be made again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

__all__ = ["MAPPINGS", "scripts_of"]

Script = tuple[str, ...]

_TIDY: Final = ("strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2")
MAPPINGS: Final[Mapping[str, tuple[Script, ...]]] = {
    "area": (
        (*_TIDY, "strash", "&get -n", "&dch -f", "&nf -R 100 -F 5", "&put"),
        (*_TIDY, "dc2", "strash", "&get -n", "&dch", "&nf -R 1000 -F 20 -p -C 32", "&put"),
        ("strash", "ifraig", "scorr", "dc2", "dc2", "dch -f", "amap -m -F 20 -A 20 -E 0.1 -C 5000"),
    ),
    "speed": (("strash", "dch", "map -B 0.9", "topo", "buffer -c -p -N 16", "upsize", "dnsize"),),
}
"""Scripts by the name of the mapping. The mapping of a seed is the smallest of their results, with
and without the library's full adders if area counts."""

_RESTRUCTURING: Final[Mapping[str, Script]] = {
    "area": ("balance", "rewrite", "rewrite -z", "refactor", "refactor -z", "resub -K 6",
             "resub -K 8", "resub -K 10", "dc2"),
    "speed": ("rewrite", "rewrite -z", "refactor -z", "resub -K 6", "resub -K 8"),
}  # fmt: skip
"""Passes from which a seed draws. Passes that save area at the price of depth are not for speed."""
_PASSES: Final = 4


def scripts_of(mapping: str, seed: int) -> tuple[Script, ...]:
    """The scripts of a mapping of MAPPINGS as a seed varies them; seed 1 varies nothing."""
    if seed == 1:
        return MAPPINGS[mapping]
    drawn = random.Random(f"{mapping} {seed}")  # noqa: S311 - it is to be repeated, not guarded
    passes = drawn.choices(_RESTRUCTURING[mapping], k=_PASSES)
    end = ("balance",) if mapping == "speed" else ()
    return tuple(("strash", *passes, *end, *script) for script in MAPPINGS[mapping])
