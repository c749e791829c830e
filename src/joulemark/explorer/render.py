# SPDX-License-Identifier: Apache-2.0
"""HTML, data files and pictures of a page, and the feed of flagged runs.

Nothing from the results is trusted: the template escapes text, data is JSON in which no tag can
begin, and the content security policy runs no script but the files beside the page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import vl_convert

from joulemark import __version__
from joulemark.explorer.estimates import Change
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Addressing, Page, Place
from joulemark.explorer.views.parts import PENDING
from joulemark.explorer.views.routes import VIEWS
from joulemark.report import Address, Notes
from joulemark.report.export.csv import csv_bytes
from joulemark.report.latex import latex
from joulemark.report.page import (
    FOLDER,
    chart_library,
    packed,
    script_json,
    templates,
    themes_json,
)
from joulemark.report.style import DARK, FONT, LIGHT, vega_config
from joulemark.units import format_percent

DATA_VERSION: Final = 1
"""Version of the JSON that a view offers for download."""
ASSETS: Final = {
    "explorer.css": "text/css; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
    "vega.js": "text/javascript; charset=utf-8",
}
"""Name of each file that pages need -> its type."""
SEARCH: Final = "search.js"
"""Name of the file that `search_of` makes: a script, since a page on a disk may read no other."""
_AGAIN_S: Final = 3
"""Seconds after which a page whose figures are still being estimated loads itself again."""
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
    pages: Mapping[str, Page],
    addressing: Addressing,
    *,
    forms: bool,
    policy: str = "",
    feed: str = "",
    others: Mapping[str, Sequence[str]] | None = None,
) -> bytes:
    """A page, or several in one file, as an HTML document.

    Args:
        pages: id in the file -> page; the first is the one that the file is named for, whatever
            its id, and the others are closed until they are wanted.
        addressing: makes its links.
        forms: whether it has forms, which only a server can answer.
        policy: content security policy that stands in the page; empty: a header has it.
        feed: address of the feed of changes.
        others: id in the file -> further ids of the same page.
    """
    page, *_ = pages.values()
    pending = any(isinstance(part, Notes) and part.title == PENDING for part in page.parts)
    charts = [None if each.chart is None else each.chart.spec for each in pages.values()]
    return (
        templates(_TEMPLATES)
        .get_template("page.html.j2")
        .render(
            page=page,
            pages=list(pages.items()),
            others=others or {},
            link=addressing.link,
            data_link=addressing.data,
            packed=_packed_data,
            asset=addressing.asset,
            forms=forms,
            policy=policy,
            feed=feed,
            again_s=_AGAIN_S if pending and forms else 0,
            views=[(view.title, Address.of(*filter(None, [name]))) for name, view in VIEWS.items()],
            version=__version__,
            search="" if forms else addressing.asset(SEARCH),
            charts=["" if spec is None else script_json(spec) for spec in charts],
            themes_json=themes_json(),
        )
        .encode("utf-8", "replace")
    )


def _packed_data(page: Page) -> str:
    """The files that a published page offers, packed: its rows as CSV and JSON, tables as LaTeX."""
    files = {"csv": csv_of(page), "json": json_of(page), "tex": latex_of(page)}
    return packed(json.dumps({suffix: data.decode() for suffix, data in files.items()}))


def search_of(places: Mapping[Address, Place], known: KnownRuns) -> bytes:
    """The script that has the words and the link of each published page, for the search."""
    pages: dict[str, str] = {}
    for address, place in places.items():
        first, *names = address.path or ("",)
        values = [*names, *(value for _, value in address.query)]
        words = [known.machines[word].name if word in known.machines else word for word in values]
        pages.setdefault(place.link, " ".join([VIEWS[first].title, *words]))
    rows = [[words, link] for link, words in pages.items()]
    return f"window.joulemarkPages = {script_json(rows)};\n".encode("utf-8", "replace")


def csv_of(page: Page) -> bytes:
    """The rows of the page, with the names of the columns first."""
    return csv_bytes(page.columns, page.data)


def latex_of(page: Page) -> bytes:
    """The tables of the page for a paper."""
    return latex(page).encode("utf-8", "replace")


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


# The feed of changes: Atom (RFC 4287), an entry for each run in which the gate flags something.

_ATOM: Final = "http://www.w3.org/2005/Atom"
_MOST_RUNS: Final = 50
_MOST_CHANGES: Final = 2000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FORBIDDEN: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], " ")
"""Signs that no document of XML 1.0 may have (section 2.2)."""


def feed_of(holdings: Holdings, link: Callable[[Address], str | None]) -> bytes:
    """The feed, the newest run first."""
    by_run: dict[int, list[Change]] = {}
    for change in holdings.changes(most=_MOST_CHANGES):
        if change.flagged:
            by_run.setdefault(change.run, []).append(change)
    shown = list(by_run)[:_MOST_RUNS]
    newest = max((_finished_at(holdings, run) for run in shown), default=_EPOCH)
    digest = hashlib.sha256(holdings.store.location.encode("utf-8", "surrogatepass")).hexdigest()
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "id", f"urn:joulemark:changes:{digest[:32]}")
    _add(feed, "title", "Changes that Joulemark's gate flags")
    _add(feed, "updated", newest.isoformat())
    _add(feed, "generator", "Joulemark", version=__version__)
    author = ET.SubElement(feed, "author")
    _add(author, "name", "Joulemark")
    _add_link(feed, link(Address.of("changes")))
    for run in shown:
        _entry(feed, holdings, run, by_run[run], link)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True)) + b"\n"


def _entry(
    feed: ET.Element,
    holdings: Holdings,
    run: int,
    changes: list[Change],
    link: Callable[[Address], str | None],
) -> None:
    known = holdings.known()
    names = sorted({change.implementation for change in changes})
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    entry = ET.SubElement(feed, "entry")
    _add(entry, "id", f"urn:joulemark:run:{known.runs[run].content}")
    _add(entry, "title", f"Run {run}: {names[0]}{more} slower")
    _add(entry, "updated", _finished_at(holdings, run).isoformat())
    _add_link(entry, link(Address.of("runs", run)))
    sentences = [
        f"{change.implementation}, {change.workload}: {format_percent(change.ratio - 1)} "
        f"slower than in run {change.before} (at least {format_percent(change.low - 1)})."
        for change in changes
    ]
    _add(entry, "summary", f"On {known.machine(run).short}. {' '.join(sentences)}", type="text")


def _finished_at(holdings: Holdings, run: int) -> datetime:
    outline = holdings.known().runs[run]
    return (outline.finished_at or outline.started_at).astimezone(UTC)


def _add(parent: ET.Element, name: str, text: str | None, **attributes: str) -> None:
    element = ET.SubElement(
        parent, name, {key: _plain(attribute) for key, attribute in attributes.items()}
    )
    element.text = None if text is None else _plain(text)


def _add_link(parent: ET.Element, address: str | None) -> None:
    if address:
        _add(parent, "link", None, rel="alternate", type="text/html", href=address)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode().translate(_FORBIDDEN)
