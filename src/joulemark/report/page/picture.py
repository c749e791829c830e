# SPDX-License-Identifier: Apache-2.0
"""One chart as a picture: the specification that vl-convert draws without a network."""

from __future__ import annotations

from typing import Any

from joulemark.analyse.results import ResultSet
from joulemark.report.charts import discover
from joulemark.report.context import cpu_name
from joulemark.report.drawing.unchecked import unchecked
from joulemark.report.files import ReportError
from joulemark.report.theme import LIGHT, vega_config
from joulemark.report.workload import default_algorithm, only

__all__ = ["DEFAULT_CHART", "picture"]

DEFAULT_CHART = "nanoseconds_per_message"
_WIDTH = 760


def picture(
    results: ResultSet, algorithm: str | None, chart: str = DEFAULT_CHART
) -> dict[str, Any]:
    """Specification of one chart of one algorithm on white; the CPU stands below the title.

    Args:
        results: what to draw.
        algorithm: None means the one with most implementations.
        chart: file name of a module in `report/charts/`.

    Raises:
        ReportError: there is no such chart, or nothing to draw in it.
    """
    definitions = {chart_definition.name: chart_definition for chart_definition in discover()}
    if chart not in definitions:
        known = ", ".join(definitions)
        raise ReportError(f"There is no chart '{chart}'; choose one of {known}.")
    chosen = algorithm or default_algorithm(results.results)
    results = only(results, chosen) if chosen else results
    with unchecked():
        drawn = definitions[chart].build(results)
    if drawn is None:
        raise ReportError(
            f"The chart '{definitions[chart].title}' cannot be drawn: "
            f"{definitions[chart].missing(results).sentence}"
        )
    spec: dict[str, Any] = drawn.properties(width=_WIDTH).to_dict(validate=False)
    spec["config"] = vega_config(LIGHT)
    spec["title"] |= {"subtitle": f"{definitions[chart].title}, {cpu_name(results)}"}
    spec["padding"] = 16
    return spec
