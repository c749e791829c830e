# SPDX-License-Identifier: Apache-2.0
"""How likely a forgery is within a year of guesses at tags."""

from __future__ import annotations

import math

__all__ = ["forgery_per_year"]


def forgery_per_year(tag_bits: int, attempts_per_s: float, year_s: float) -> float:
    """The chance that one of a year's guesses is right: 1 - (1 - 2^-t)^n.

    It holds for a MAC whose tag cannot be told from random bits: the bound that each MAC adds for
    the number of messages under a key is in `joulemark show`.

    Args:
        tag_bits: 1 or more.
        attempts_per_s: forged packets that the receiver checks, 0 or more.
        year_s: seconds of a year.

    Example:
        >>> round(forgery_per_year(32, 40, 31_557_600), 3)
        0.255
    """
    guesses = attempts_per_s * year_s
    return -math.expm1(guesses * math.log1p(-math.ldexp(1.0, -tag_bits)))
