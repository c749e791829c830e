# SPDX-License-Identifier: Apache-2.0
"""The charts of a report, one per file; a new file here is a new chart, nothing else changes.

Each module says what it draws in `TITLE`, how to read it in `CAPTION`, and where it stands on the
page in `PLACE`; `build(results)` draws it, and `missing(results)` says why `build` gave None. A
chart is built without colours for text and background: the page and the picture exports add those.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module

import altair as alt
from altair.utils.schemapi import debug_mode

from joulemark.analyse.results import ResultSet
from joulemark.records.figures import Absence


@dataclass(frozen=True, slots=True)
class ChartDefinition:
    """The parts of one chart module, which are all there."""

    name: str
    """File name without ending; the chart's id everywhere."""
    title: str
    caption: str
    build: Callable[[ResultSet], alt.LayerChart | None]
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


def unchecked() -> AbstractContextManager[None]:
    """Builds charts without Altair's check; their `to_dict` needs `validate=False` too.

    The check takes half of the time of a chart, and finds faults of our code alone: no text of
    results decides which parts a chart has. The tests of each chart build it with the check.
    """
    return debug_mode(False)
