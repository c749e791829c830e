# SPDX-License-Identifier: Apache-2.0
"""The charts of a report, one per file; a new file here is a new chart, nothing else changes.

Each module says what it draws in `TITLE`, how to read it in `CAPTION`, and where it stands on the
page in `PLACE`; `build(results)` draws it, and `missing(results)` says why `build` gave None. A
chart is built without colours for text and background: the page and the picture exports add those.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence
from joulemark.report import ReportError
from joulemark.report.circumstances import cpu_name
from joulemark.report.drawing import Spec
from joulemark.report.style import LIGHT, vega_config
from joulemark.report.words import default_algorithm, only


@dataclass(frozen=True, slots=True)
class ChartDefinition:
    """The parts of one chart module, which are all there."""

    name: str
    """File name without ending; the chart's id everywhere."""
    title: str
    caption: str
    build: Callable[[ResultSet], Spec | None]
    missing: Callable[[ResultSet], Absence]
    place: int
    """Rank on the page, from its top; charts of one rank go by name."""


def discover() -> list[ChartDefinition]:
    """Every chart in this folder, in the order of the page."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [(name, import_module(f"{__name__}.{name}")) for name in names]
    charts = [
        ChartDefinition(
            name, module.TITLE, module.CAPTION, module.build, module.missing, module.PLACE
        )
        for name, module in modules
    ]
    return sorted(charts, key=lambda chart: (chart.place, chart.name))


_PICTURED: Final = "nanoseconds_per_message"
_WIDTH: Final = 760


def picture(results: ResultSet, algorithm: str | None) -> Spec:
    """Specification of the chart of times on white; the CPU stands below the title."""
    shown = algorithm or default_algorithm(results.results)
    results = only(results, shown) if shown else results
    chart = next(chart for chart in discover() if chart.name == _PICTURED)
    drawn = chart.build(results)
    if drawn is None:
        reason = chart.missing(results).sentence
        raise ReportError(f"The chart '{chart.title}' cannot be drawn: {reason}")
    return {
        **drawn,
        "title": {**drawn["title"], "subtitle": f"{chart.title}, {cpu_name(results)}"},
        "width": _WIDTH,
        "config": vega_config(LIGHT),
        "padding": 16,
    }
