# SPDX-License-Identifier: Apache-2.0
"""The chart of times against lengths as a pixel picture, for mails and chats."""

from __future__ import annotations

import vl_convert

from joulemark.analyse import ResultSet
from joulemark.report.charts import picture

SUFFIX = ".png"
SUMMARY = "time against message length of one algorithm, as a pixel picture"

_SCALE = 2.0
"""Pixels for one unit of length: sharp on screens of high density."""


def render(results: ResultSet, algorithm: str | None) -> bytes:
    """The picture as a PNG file."""
    return bytes(vl_convert.vegalite_to_png(picture(results, algorithm), scale=_SCALE))
