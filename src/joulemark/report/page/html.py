# SPDX-License-Identifier: Apache-2.0
"""`report.html`: one file with everything in it, which opens without a network.

Nothing in results is trusted: text is escaped by the template, data is JSON in which no tag can
begin, and a content security policy runs the two scripts of the page, known by their hashes, and
lets nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from joulemark.analyse.results import ResultSet
from joulemark.records.absence import AbsenceKind
from joulemark.report.charts import discover, unchecked
from joulemark.report.drawing.scales import chart_part
from joulemark.report.files import write_atomically
from joulemark.report.page.contents import page
from joulemark.report.page.templates import (
    FOLDER,
    chart_library,
    script_json,
    templates,
    themes_json,
)
from joulemark.report.sheet import Chart
from joulemark.report.style import DARK, FONT, LIGHT


def write_html(results: ResultSet, path: Path) -> None:
    """Writes the whole report as one HTML file."""
    write_atomically(path, render_html(results).encode())


def render_html(results: ResultSet) -> str:
    """The whole report as one HTML document; raw samples stay out of its embedded data."""
    charts = _charts(results)
    data = json.loads(results.model_dump_json(exclude={"results": {"__all__": {"samples"}}}))
    return render_template("report.html.j2", charts, data, page=page(results), charts=charts)


def render_template(
    name: str, charts: Sequence[Chart], data: Any, /, *folders: Path, **values: Any
) -> str:
    """One self-contained page: a template with our style, script, charts and embedded data.

    Args:
        name: of the template.
        charts: those of the page, each with a name.
        data: JSON values that the page offers for download.
        *folders: further folders of templates, searched first.
        **values: further values that the template needs.
    """
    scripts = (FOLDER / "sort_table.js", FOLDER / "report.js")
    library, behaviour = chart_library(), "".join(path.read_text("utf-8") for path in scripts)
    drawn = [{"name": chart.name, "spec": chart.spec} for chart in charts if chart.spec]
    return (
        templates(*folders)
        .get_template(name)
        .render(
            **values,
            light=LIGHT,
            dark=DARK,
            font=FONT,
            script_hashes=" ".join(f"'{_hash(text)}'" for text in (library, behaviour)),
            library=Markup(library),  # noqa: S704 - from the installed vl-convert, not from results
            behaviour=Markup(behaviour),  # noqa: S704 - our own file
            charts_json=script_json(drawn),
            themes_json=themes_json(),
            results_json=script_json(data),
        )
    )


def _charts(results: ResultSet) -> list[Chart]:
    """Each chart with its specification, or with the reason why it cannot be drawn.

    A chart of figures that nobody asked for is left out.
    """
    charts = []
    for definition in discover():
        with unchecked():
            chart = definition.build(results)
        missing = None if chart is not None else definition.missing(results)
        if missing is not None and missing.kind is AbsenceKind.NOT_ASKED:
            continue
        about = (definition.name, definition.title, definition.caption)
        if chart is not None:
            charts.append(chart_part(*about, chart, validate=False))
        else:
            absent = "" if missing is None else missing.sentence
            name, title, caption = about
            charts.append(Chart(title, caption, None, absent, name))
    return charts


def _hash(script: str) -> str:
    """The script as a content security policy names it (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
