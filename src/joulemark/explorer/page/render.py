# SPDX-License-Identifier: Apache-2.0
"""HTML, data files and pictures of a page.

Nothing from the results is trusted: the template escapes text, data is JSON in which no tag can
begin, and the content security policy runs no script but the files beside the page.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

import vl_convert

from joulemark import __version__
from joulemark.explorer.page.blocks import Addressing, Page
from joulemark.report.export.csv import csv_bytes
from joulemark.report.page.library import chart_library
from joulemark.report.page.templates import FOLDER, script_json, templates, themes_json
from joulemark.report.sheet import Address
from joulemark.report.theme import DARK, FONT, LIGHT, vega_config

DATA_VERSION: Final = 1
"""Version of the JSON that a view offers for download."""
ASSETS: Final = {
    "explorer.css": "text/css; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
    "vega.js": "text/javascript; charset=utf-8",
}
"""Name of each file that pages need -> its type."""
VIEWS: Final = (
    ("Overview", Address()),
    ("Machines", Address.of("machines")),
    ("Runs", Address.of("runs")),
    ("Algorithms", Address.of("algorithms")),
    ("Figures", Address.of("figures")),
    ("Compare", Address.of("compare")),
    ("History", Address.of("history")),
    ("Targets", Address.of("targets")),
    ("Hardware cores", Address.of("cores")),
    ("Budget", Address.of("budget")),
    ("Changes", Address.of("changes")),
)
"""Views in the line at the top of each page; a view that is not published is left out."""
_TEMPLATES: Final = Path(__file__).parent / "templates"
_PICTURE_WIDTH: Final = 900


@cache
def asset(name: str) -> bytes:
    """The content of one of `ASSETS`."""
    if name == "vega.js":
        return chart_library().encode()
    if name == "explorer.js":
        return (FOLDER / "sort_table.js").read_bytes() + (_TEMPLATES / name).read_bytes()
    template = templates(_TEMPLATES).get_template("explorer.css.j2")
    return template.render(light=LIGHT, dark=DARK, font=FONT).encode()


def html_of(
    page: Page, addressing: Addressing, *, forms: bool, policy: str = "", feed: str = ""
) -> bytes:
    """The page as an HTML document.

    Args:
        page: the page.
        addressing: makes its links.
        forms: whether it has forms, which only a server can answer.
        policy: content security policy that stands in the page; empty: a header has it.
        feed: address of the feed of changes.
    """
    chart = page.chart
    return (
        templates(_TEMPLATES)
        .get_template("page.html.j2")
        .render(
            page=page,
            link=addressing.link,
            data=lambda suffix: addressing.data(page.address, suffix),
            asset=addressing.asset,
            forms=forms,
            policy=policy,
            feed=feed,
            views=VIEWS,
            version=__version__,
            chart_json="" if chart is None else script_json(chart.spec),
            themes_json=themes_json(),
        )
        .encode("utf-8", "replace")
    )


def csv_of(page: Page) -> bytes:
    """The rows of the page, with the names of the columns first."""
    return csv_bytes(page.columns, page.data)


def json_of(page: Page) -> bytes:
    """The rows of the page as JSON, with the page's title and lead."""
    value = {
        "schema_version": DATA_VERSION,
        "joulemark_version": __version__,
        "title": page.title,
        "about": page.lead,
        "rows": list(page.data),
    }
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode(
        "utf-8", "replace"
    )


def picture_of(page: Page, suffix: str) -> bytes | None:
    """The chart of the page on white, `svg` or `png`; None if the page has no chart."""
    if (chart := page.chart) is None or chart.spec is None:
        return None
    spec = {
        **chart.spec,
        "config": vega_config(LIGHT),
        "width": _PICTURE_WIDTH,
        "padding": 16,
        "title": {"text": page.title, "subtitle": page.lead[:150]},
    }
    if suffix == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2))
    return str(vl_convert.vegalite_to_svg(spec)).encode()
