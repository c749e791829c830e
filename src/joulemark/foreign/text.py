# SPDX-License-Identifier: Apache-2.0
"""Foreign words on our terminal: never a control sequence."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

# The refusal of a value from outside.


class ForeignError(ValueError):
    """A value from outside has another form than it must have; the text says where in the value."""


_SPACE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""Where Python, or a reader of CSV, ends a line or a field."""


def visible(text: str) -> str:
    r"""The text in one line; signs that a terminal may not show become codes: `\x1b`, `\u202e`.

    These are all signs that `str.isprintable` refuses, except spaces: control characters (ISO/IEC
    6429), formats such as marks that turn the direction of writing (Unicode Standard Annex 9),
    surrogates, private and unassigned code points.
    """
    if text.isprintable():
        return text
    text = _SPACE.sub(" ", text)
    odd = {sign for sign in text if not sign.isprintable()}
    codes = [ord(sign) for sign in odd if unicodedata.category(sign) != "Zs"]  # Zs: a wide space
    return text.translate(
        {code: rf"\x{code:02x}" if code < 0x100 else rf"\u{code:04x}" for code in codes}
    )


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
