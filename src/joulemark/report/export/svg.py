# SPDX-License-Identifier: Apache-2.0
"""The chart of times against lengths as a vector picture, for papers and slides."""

from __future__ import annotations

import vl_convert

from joulemark.analyse import ResultSet
from joulemark.report.charts import picture

SUFFIX = ".svg"
SUMMARY = "time against message length of one algorithm, as a vector picture"


def render(results: ResultSet, algorithm: str | None) -> bytes:
    """The picture as an SVG document."""
    return vl_convert.vegalite_to_svg(picture(results, algorithm)).encode()
