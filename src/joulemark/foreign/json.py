# SPDX-License-Identifier: Apache-2.0
"""JSON from outside, by the letter of RFC 8259 and within bounds that our own writers keep."""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

from joulemark.foreign.text import ForeignError, shortened, visible_values

_DEEPEST: Final = 64
"""Objects within one another; our own files have fewer than ten."""
_LARGEST: Final = 2**64
"""Counters of kernels and processors have 64 bits."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text, with every string in it made visible.

    Python's reader takes NaN, infinities, lone surrogates and numbers of any length, with which no
    other code can print or compute; so they are refused here or made visible.

    Raises:
        ForeignError: the text is no JSON, is nested too deeply, or has a number that is not finite
            or a whole number of more than 64 bits.
    """
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_finite
        )
        if isinstance(value, dict | list):
            _require_shallow(value, _DEEPEST)
    except RecursionError:
        raise ForeignError("it is nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise ForeignError(f"no JSON: {shortened(str(error))}") from None
    return value if _is_visible(text) else visible_values(value)


def _is_visible(text: str | bytes) -> bool:
    """Whether all signs of a JSON text are visible, so that `visible_values` changes none."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:  # JSON may also be in UTF-16
            return False
    return "\\" not in text and text.strip().isprintable()


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > 21 or abs(int(digits)) > _LARGEST:
        raise ValueError(f"{shortened(digits, 30)} has more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{shortened(digits, 30)} is too large")
    return value


def _require_shallow(value: dict[str, Any] | list[Any], deepest: int) -> None:
    if deepest < 0:
        raise RecursionError
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            _require_shallow(item, deepest - 1)
