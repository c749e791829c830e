# SPDX-License-Identifier: Apache-2.0
"""The sets of compiler flags that a search tries, in the order in which it tries them.

Every set wraps signed overflow and leaves the frame pointer out, as SUPERCOP's compilers do, for
much of its code is written for that. All are understood by gcc and by clang.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_COMMON: Final = ("-fomit-frame-pointer", "-fwrapv")


@dataclass(frozen=True, slots=True)
class FlagSet:
    """Flags with a name."""

    name: str
    """A short name, of the signs that a name of a variant may have."""
    flags: tuple[str, ...]
    reason: str
    """Why the set is worth a try."""


USUAL: Final = FlagSet(
    "O3-native",
    ("-O3", "-march=native", "-mtune=generic", *_COMMON),
    "all instructions of this CPU, and the tuning of none",
)
FLAG_SETS: Final = (
    USUAL,
    FlagSet(
        "O3-baseline",
        ("-O3", "-mtune=generic", *_COMMON),
        "the instructions that every CPU of this kind has",
    ),
    FlagSet(
        "O2-native",
        ("-O2", "-march=native", "-mtune=generic", *_COMMON),
        "less is unrolled, so more stays in the instruction cache",
    ),
    FlagSet(
        "Os-native",
        ("-Os", "-march=native", "-mtune=generic", *_COMMON),
        "loops stay rolled, which short messages pay for less often",
    ),
    FlagSet(
        "O3-native-scalar",
        (
            "-O3",
            "-march=native",
            "-mtune=generic",
            "-fno-tree-vectorize",
            "-fno-tree-slp-vectorize",
            *_COMMON,
        ),
        "a compiler's own vectors are often slower than scalar rounds",
    ),
    FlagSet(
        "O3-native-unrolled",
        ("-O3", "-march=native", "-mtune=generic", "-funroll-loops", *_COMMON),
        "loops of rounds written as loops",
    ),
    FlagSet(
        "O1-native",
        ("-O1", "-march=native", "-mtune=generic", *_COMMON),
        "the order of the source is kept, which hand-scheduled code wants",
    ),
    FlagSet(
        "O3-native-tuned",
        ("-O3", "-march=native", *_COMMON),
        "tuned for the CPU that the compiler takes this one for: gcc 12 takes new CPUs for older "
        "ones, which makes scalar code up to five times slower",
    ),
)
"""The first is the usual one; the last is the trap that a search must show, and must not choose
blindly."""
