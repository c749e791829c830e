# SPDX-License-Identifier: Apache-2.0
"""Numbers that a user types in more than one way."""

from __future__ import annotations

import math

from joulemark.errors import UsageError


def fraction(text: str, option: str) -> float:
    """A difference as `5%`, `5 %` or `0.05`.

    Example:
        >>> fraction("5 %", "--threshold"), fraction("0.05", "--threshold")
        (0.05, 0.05)
    """
    stripped = text.strip()
    number = stripped.removesuffix("%").strip()
    percent = number != stripped
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"{option} {text}: give a difference such as 5% or 0.05")
    if value >= 1 and not percent:
        raise UsageError(
            f"{option} {text}: did you mean {number}%? Without the sign it is a fraction of one"
        )
    return value
