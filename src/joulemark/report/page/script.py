# SPDX-License-Identifier: Apache-2.0
"""Text and data of results in a page, so that nothing of them can begin a tag or be run."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from markupsafe import Markup

_WORDS_OF_A_NAME: Final = re.compile("(?<=[_/])")
_UNSAFE_IN_SCRIPT: Final = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def script_json(value: Any) -> Markup:
    """JSON that is safe inside a `<script>` element: no tag, comment or entity can begin in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, escape in _UNSAFE_IN_SCRIPT.items():
        text = text.replace(sign, escape)
    return Markup(text)  # noqa: S704 - every sign that HTML could act on is escaped above


def breakable(name: str) -> Markup:
    """A name that a narrow column breaks behind an underscore or a slash, never within a word."""
    return Markup("<wbr>").join(_WORDS_OF_A_NAME.split(name))
