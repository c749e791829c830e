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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from joulemark.analyse.results import ResultSet
from joulemark.records.absence import AbsenceKind
from joulemark.report.charts import discover, unchecked
from joulemark.report.files import write_atomically
from joulemark.report.page.contents import page
from joulemark.report.page.library import chart_library
from joulemark.report.page.script import breakable, script_json
from joulemark.report.theme import DARK, FONT, LIGHT, vega_config

_TEMPLATES = Path(__file__).parents[1] / "templates"


def write_html(results: ResultSet, path: Path) -> None:
    """Writes the whole report as one HTML file."""
    write_atomically(path, render_html(results).encode())


def render_html(results: ResultSet) -> str:
    """The whole report as one HTML document; raw samples stay out of its embedded data."""
    charts = _charts(results)
    data = json.loads(results.model_dump_json(exclude={"results": {"__all__": {"samples"}}}))
    return render_template("report.html.j2", charts, data, page=page(results), charts=charts)


def render_template(
    name: str, charts: Sequence[Mapping[str, Any]], data: Any, /, *folders: Path, **values: Any
) -> str:
    """One self-contained page: a template with our style, script, charts and embedded data.

    Args:
        name: of the template.
        charts: `name` and `spec` of each, a Vega-Lite specification with a parameter `palette`;
            without a `spec` there is nothing to draw.
        data: JSON values that the page offers for download.
        *folders: further folders of templates, searched first.
        **values: further values that the template needs.
    """
    scripts = (_TEMPLATES / "sort_table.js", _TEMPLATES / "report.js")
    library, behaviour = chart_library(), "".join(path.read_text("utf-8") for path in scripts)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    drawn = [{"name": chart["name"], "spec": chart["spec"]} for chart in charts if chart["spec"]]
    return environment.get_template(name).render(
        **values,
        light=LIGHT,
        dark=DARK,
        font=FONT,
        script_hashes=" ".join(f"'{_hash(text)}'" for text in (library, behaviour)),
        library=Markup(library),  # noqa: S704 - from the installed vl-convert, not from results
        behaviour=Markup(behaviour),  # noqa: S704 - our own file
        charts_json=script_json(drawn),
        themes_json=script_json({"light": _theme(LIGHT), "dark": _theme(DARK)}),
        results_json=script_json(data),
    )


def _charts(results: ResultSet) -> list[dict[str, Any]]:
    """Each chart with its specification, or with the reason why it cannot be drawn.

    A chart of figures that nobody asked for is left out.
    """
    charts: list[dict[str, Any]] = []
    for definition in discover():
        with unchecked():
            chart = definition.build(results)
        missing = None if chart is not None else definition.missing(results)
        if missing is not None and missing.kind is AbsenceKind.NOT_ASKED:
            continue
        spec = None
        if chart is not None:
            spec = chart.to_dict(validate=False)
            del spec["$schema"]  # vega-embed is told the dialect; no address belongs in the file
            spec.pop("config", None)  # would win over the theme of the page
            spec["description"] = definition.title
        charts.append(
            {
                "name": definition.name,
                "title": definition.title,
                "caption": definition.caption,
                "spec": spec,
                "reason": None if missing is None else missing.sentence,
            }
        )
    return charts


def _theme(theme: Any) -> dict[str, Any]:
    config = vega_config(theme) | {"background": "transparent"}
    return {"config": config, "palette": list(theme.palette)}


def _hash(script: str) -> str:
    """The script as a content security policy names it (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
