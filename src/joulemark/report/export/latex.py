# SPDX-License-Identifier: Apache-2.0
"""Tables for a paper, in the style of booktabs, with units in the headings."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.report.export.markdown import document
from joulemark.report.latex import latex

SUFFIX = ".tex"
SUMMARY = "tables for a paper, for LaTeX with booktabs"


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The tables, UTF-8."""
    return latex(document(results)).encode()
