# SPDX-License-Identifier: Apache-2.0
"""Foreign words on our terminal: never a control sequence."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["shortened", "visible", "visible_values"]

_SPACE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""Where Python, or a reader of CSV, ends a line or a field."""
_CONTROLS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters of both sets (ISO/IEC 6429), marks that turn the direction of writing
(Unicode Standard Annex 9), and surrogates, which have no encoding."""


def visible(text: str) -> str:
    r"""The text in one line, each control character written as its code: `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub(_code, _SPACE.sub(" ", text))


def _code(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def visible_values(value: Any) -> Any:
    """A value as JSON has it, all text in it made visible, names of fields too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): visible_values(one) for name, one in value.items()}
    if isinstance(value, list):
        return [visible_values(one) for one in value]
    return value


def shortened(text: str, most: int = 60) -> str:
    """The text made visible, at most `most` characters of it."""
    shown = visible(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."
