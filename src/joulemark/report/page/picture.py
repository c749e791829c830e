# SPDX-License-Identifier: Apache-2.0
"""The chart of times as a picture: the specification that vl-convert draws without a network."""

from __future__ import annotations

from typing import Any

from joulemark.analyse.results import ResultSet
from joulemark.report.charts import nanoseconds_per_message as chart
from joulemark.report.charts import unchecked
from joulemark.report.context import cpu_name
from joulemark.report.files import ReportError
from joulemark.report.style import LIGHT, vega_config
from joulemark.report.workload import default_algorithm, only

_WIDTH = 760


def picture(results: ResultSet, algorithm: str | None) -> dict[str, Any]:
    """Specification of the chart of times on white; the CPU stands below the title.

    Args:
        results: figures to draw.
        algorithm: the only one that is drawn; None for that with most implementations.
    """
    shown = algorithm or default_algorithm(results.results)
    results = only(results, shown) if shown else results
    with unchecked():
        drawn = chart.build(results)
    if drawn is None:
        reason = chart.missing(results).sentence
        raise ReportError(f"The chart '{chart.TITLE}' cannot be drawn: {reason}")
    spec: dict[str, Any] = drawn.properties(width=_WIDTH).to_dict(validate=False)
    spec["config"] = vega_config(LIGHT)
    spec["title"] |= {"subtitle": f"{chart.TITLE}, {cpu_name(results)}"}
    spec["padding"] = 16
    return spec
