# SPDX-License-Identifier: Apache-2.0
"""The page of gathering: which waiting pays, the curves, the figures; opens without a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.analyse.gathering.curves import Curve
from joulemark.report.files import write_atomically
from joulemark.report.gathering.chart import gathering_chart
from joulemark.report.gathering.words import HEADINGS, curve_title, row, verdict_sentence
from joulemark.report.page.html import render_template

__all__ = ["GatheringPage", "write_gathering_page"]

_TEMPLATES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class GatheringPage:
    """The contents of the page."""

    curves: Sequence[Curve]
    scenario: str
    """Sessions and cores, in words."""
    machine: str
    verdict: str
    """Whether the windows count."""
    notes: Sequence[str]
    """Caveats that a reader must know before the figures."""
    version: str
    data: Any
    """The JSON that the page offers."""


def write_gathering_page(page: GatheringPage, path: Path) -> None:
    """Writes the page.

    Raises:
        ReportError: the file cannot be written.
    """
    charts = [
        {"name": percentile, "percentile": percentile,
         "spec": gathering_chart(page.curves, percentile)}
        for percentile in ("p50", "p99")
    ]  # fmt: skip
    text = render_template(
        "gathering.html.j2", charts, page.data, _TEMPLATES,
        page=page, charts=charts, headings=HEADINGS,
        tables=[(curve_title(curve), verdict_sentence(curve), [row(way) for way in curve.ways])
                for curve in page.curves],
    )  # fmt: skip
    write_atomically(path, text.encode())
