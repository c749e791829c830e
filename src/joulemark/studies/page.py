# SPDX-License-Identifier: Apache-2.0
"""A study as one HTML file that opens without a network, in the style of every report."""

from __future__ import annotations

import json
from pathlib import Path

from joulemark.report.page.html import render_template
from joulemark.studies.outcome import StudyOutcome

__all__ = ["render_page"]

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(outcome: StudyOutcome) -> str:
    """Returns the whole page."""
    charts = [{"name": chart.name, "spec": chart.spec} for chart in outcome.charts]
    data = json.loads(outcome.model_dump_json(exclude={"charts"}))
    return render_template("study.html.j2", charts, data, _TEMPLATES, outcome=outcome)
