# SPDX-License-Identifier: Apache-2.0
"""The dropdowns of a chart, and the line above it that names what is selected.

A dropdown exists only if there is a choice. The parameter always exists, so that the page can set
`algorithm` in all charts at once and a picture without controls still says what it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from joulemark.report.rows import Row
from joulemark.report.style import LIGHT

_NARROW = 330
"""Width of the plot, in pixels, below which the title does not fit one line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Parameters of a chart, the predicates that they set, and the words of its title."""

    parameters: list[alt.Parameter]
    predicates: list[str]
    """Vega expressions over `datum`; constant text, never built from results."""
    words: list[str] = field(default_factory=list)
    """Vega expressions, each giving one part of the title."""

    @property
    def title(self) -> alt.TitleParams:
        """Title that names the choices and follows the dropdowns; in several lines on a phone."""
        line = " + ' \N{MIDDLE DOT} ' + ".join(self.words)
        lines = ", ".join(self.words)
        return alt.TitleParams(text=alt.ExprRef(f"width < {_NARROW} ? [{lines}] : {line}"))

    def filtered(self, chart: alt.LayerChart) -> alt.LayerChart:
        """The chart with only the selected rows."""
        for predicate in self.predicates:
            chart = chart.transform_filter(predicate)
        return chart


def selection(rows: Sequence[Row], algorithm: str) -> Selection:
    """The choice of algorithm and workload; it starts with the workload that has most rows."""
    names = sorted({row["algorithm"] for row in rows})
    start = algorithm if algorithm in names else names[0]
    counts = Counter(row["workload"] for row in rows)
    labels = sorted(counts, key=lambda label: (-counts[label], label))
    evidence = {row["workload"]: row["evidence"] for row in rows}
    sources = {row["workload"]: row["source"] for row in rows}
    has_sources = any(sources.values())
    return Selection(
        parameters=[
            choice("algorithm", "Algorithm ", names, start),
            choice("workload", "Workload ", labels, labels[0]),
            alt.param(name="evidence_of", value=evidence),
            *([alt.param(name="source_of", value=sources)] if has_sources else []),
            alt.param(name="palette", value=list(LIGHT.palette)),
        ],
        predicates=["datum.algorithm === algorithm", "datum.workload === workload"],
        words=[
            "algorithm",
            "workload",
            *(["source_of[workload]"] if has_sources else []),
            "evidence_of[workload]",
        ],
    )


def choice(
    name: str,
    label: str,
    options: Sequence[Any],
    start: Any,
    labels: Sequence[str] | None = None,
) -> alt.Parameter:
    """A parameter, with a dropdown if there is more than one option."""
    if len(options) < 2:
        return alt.param(name=name, value=start)
    bind = alt.binding_select(
        options=list(options), name=label, labels=list(labels) if labels else alt.Undefined
    )
    return alt.param(name=name, value=start, bind=bind)


def evidence_title(title: str, rows: Iterable[Row]) -> str:
    """Axis title with its evidence word, as in "core cycles per byte (modelled)"."""
    words = sorted({row["evidence"] for row in rows})
    if len(words) == 1:
        return f"{title} ({words[0]})"
    return f"{title} (evidence: see above the chart)"
