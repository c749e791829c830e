# SPDX-License-Identifier: Apache-2.0
"""Foreign words on our terminal: never a control sequence."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

__all__ = ["shortened", "visible", "visible_values"]

_SPACE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""Where Python, or a reader of CSV, ends a line or a field."""


def visible(text: str) -> str:
    r"""The text in one line; signs that a terminal may not show become codes: `\x1b`, `\u202e`.

    These are all that `str.isprintable` refuses, but for spaces: control characters (ISO/IEC 6429),
    formats such as marks that turn the direction of writing (Unicode Standard Annex 9), surrogates,
    private and unassigned code points.
    """
    if text.isprintable():
        return text
    text = _SPACE.sub(" ", text)
    return text.translate({ord(sign): _code(sign) for sign in set(text) if _is_odd(sign)})


def _is_odd(sign: str) -> bool:
    return not sign.isprintable() and unicodedata.category(sign) != "Zs"  # spaces of other widths


def _code(sign: str) -> str:
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def visible_values(value: Any) -> Any:
    """A value as JSON has it, all text in it made visible, names of fields too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): visible_values(item) for name, item in value.items()}
    if isinstance(value, list):
        return [visible_values(item) for item in value]
    return value


def shortened(text: str, most: int = 60) -> str:
    """The text made visible, at most `most` characters of it."""
    shown = visible(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."
