# SPDX-License-Identifier: Apache-2.0
"""The page of a run: its contents, its HTML, its pictures.

Here is what all pages share: templates, tables, themes, and data in which no tag can begin.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import jinja2
import vl_convert
from markupsafe import Markup, escape

from joulemark.errors import UnavailableError
from joulemark.report import (
    Address,
    Cell,
    Chart,
    Heading,
    ReportError,
    Sheet,
    Table,
    write_atomically,
)
from joulemark.report.style import DARK, FONT, LIGHT, vega_config
from joulemark.user_folders import user_cache

# The program that draws charts in a browser, from the installed vl-convert.
#
# Putting it together takes a second of CPU time, so the user's cache keeps it, with its digest.

_EXPORTED: Final = "window.vegaEmbed = vegaEmbed;"


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and vega-embed in one script, once for all charts; safe in an element."""
    return _bundle().replace("</script", "<\\/script")


def _bundle() -> str:
    try:
        folder = user_cache("charts")
    except UnavailableError:  # without a home folder it is put together each time
        return str(vl_convert.javascript_bundle(_EXPORTED))
    about = f"{version('vl-convert-python')} {_EXPORTED}"
    cached = folder / f"{hashlib.sha256(about.encode()).hexdigest()[:32]}.js"
    with suppress(OSError, ValueError):
        digest, script = cached.read_bytes().split(b"\n", 1)
        if hashlib.sha256(script).hexdigest().encode() == digest:
            return script.decode()
    script = vl_convert.javascript_bundle(_EXPORTED).encode()
    with suppress(OSError, ReportError):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, hashlib.sha256(script).hexdigest().encode() + b"\n" + script)
    return script.decode()


FOLDER: Final = Path(__file__).parents[1] / "templates"
"""Templates, style and scripts of every page."""
_WORDS_OF_A_NAME: Final = re.compile("(?<=[_/])")
_NEVER: Final = 999
DIGITS: Final = 7
"""Significant digits of the figures that a page offers for download."""
_DIGITS_DRAWN: Final = 5
"""Significant digits of the figures that a chart draws, of which a pixel is a thousandth."""
_UNSAFE_IN_SCRIPT: Final = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def script_json(value: Any) -> Markup:
    """JSON that is safe inside a `<script>` element: no tag, comment or entity can begin in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, code in _UNSAFE_IN_SCRIPT.items():
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 - every sign that HTML could act on is escaped above


def packed(text: str) -> str:
    """Text for a `<script>` element, as gzip in base64. The same text gives the same."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()


def packed_json(value: Any, digits: int) -> str:
    """JSON for a `<script>` element, packed; numbers have so many digits at most.

    All digits of a float are two thirds of a page, and none behind the seventh says anything.
    """
    exact = json.dumps(value, allow_nan=False)
    rounded = json.loads(exact, parse_float=lambda text: float(f"{float(text):.{digits}g}"))
    return packed(json.dumps(rounded, ensure_ascii=False, separators=(",", ":")))


def breakable(name: str) -> Markup:
    """A name that a narrow column breaks behind an underscore or a slash, never within a word."""
    if "_" in name or "/" in name:
        return Markup("<wbr>").join(_WORDS_OF_A_NAME.split(name))
    return escape(name)


def table_html(
    table: Table,
    classes: str = "",
    *,
    link: Callable[[Address], str | None] | None = None,
    caption: str = "",
    long: int = _NEVER,
) -> Markup:
    """The table as an element. A template would take twice as long for thousands of cells.

    Args:
        table: without its title and notes, which stand around it.
        classes: of the element.
        link: the address of the page that a cell leads to; None: there is none.
        caption: in the table.
        long: signs of a heading beyond which its column may be broken.
    """
    words = [_evidence(heading.evidence) for heading in table.headings]
    folded = 0 < table.first < len(table.rows)
    out = []
    if folded:  # a style shows the others once it is open, so that no script is needed
        out.append('<div class="folded"><details><summary>')
        out.append(f"All {len(table.rows)}</summary></details>\n")
    out.append(f"<table{_class(classes)}>\n")
    if caption:
        out.append(f"<caption>{escape(caption)}</caption>\n")
    out.append("<thead><tr>\n")
    for heading, word in zip(table.headings, words, strict=True):
        if not heading.apart:
            looks = [*_looks(heading), *(["long"] if len(heading.text) > long else [])]
            sort = ' aria-sort="ascending"' if heading.text == "#" else ""
            text = f"{escape(heading.text)}{word}"
            out.append(f'<th scope="col"{_class(" ".join(looks))}{sort}>{text}</th>\n')
    out.append("</tr></thead>\n")
    _rows(out, table, link, table.first if folded else len(table.rows))
    out.append("</table></div>" if folded else "</table>")
    return Markup("".join(out))  # noqa: S704 - every text in it is escaped above


def _rows(
    out: list[str], table: Table, link: Callable[[Address], str | None] | None, first: int
) -> None:
    """Adds the rows; those after the first ones may be closed."""
    headings = table.headings
    apart = [place for place, heading in enumerate(headings) if heading.apart]
    shown = [place for place, heading in enumerate(headings) if not heading.apart]
    begins, ends = [], []
    for place, heading in enumerate(headings):
        named = place == table.named
        looks = [*_looks(heading), *(["prose"] if heading.prose and not named else [])]
        tag = '<th scope="row"' if named else "<td"
        begins.append(f"{tag}{_class(' '.join(looks))}")
        ends.append("</th>" if named else "</td>")
    ranks = [{} if apart else _ranks(table, place) for place in range(len(headings))]
    out.append("" if apart else "<tbody>\n")
    for number, row in enumerate(table.rows):
        begin = "<tr>" if number < first else '<tr class="rest">'
        out.append(f"<tbody>\n{begin}" if apart else begin)
        for place in shown[: len(row)]:
            cell, heading = row[place], headings[place]
            inside = _inside(cell, heading, link, explained=bool(table.notes))
            key = ranks[place].get(cell.key, cell.key)
            keyless = apart or key is None or str(key) == cell.text
            about = "" if keyless else f' data-key="{escape(key)}"'
            if cell.reason:
                about += f' title="{escape(cell.reason)}"'
            if apart and heading.number:
                of = ", ".join(filter(None, (heading.text, heading.evidence)))
                about += f' data-heading="{escape(of)}"'
                inside = f"<span>{inside}</span>"
            out.append(f"{begins[place]}{about}>{inside}{ends[place]}")
        out.append("</tr>\n")
        if apart:
            facts = "; ".join(f"{headings[place].text}: {row[place].text}" for place in apart)
            out.append(f'<tr class="about"><td colspan="{len(shown)}">{escape(facts)}</td></tr>\n')
            out.append("</tbody>\n")
    out.append("" if apart else "</tbody>\n")


def _ranks(table: Table, place: int) -> dict[float | str | None, int]:
    """Number by which a column is sorted -> its rank, which takes less room than its digits."""
    keys = {row[place].key for row in table.rows if place < len(row)}
    numbers = sorted(key for key in keys if isinstance(key, float | int))
    return {number: rank for rank, number in enumerate(numbers, 1)}


def _looks(heading: Heading) -> list[str]:
    return [word for word in ("number", "minor") if getattr(heading, word)]


def _class(words: str) -> str:
    return f' class="{words}"' if words else ""


def _evidence(word: str) -> str:
    return f' <em class="evidence">{escape(word)}</em>' if word else ""


def _inside(
    cell: Cell, heading: Heading, link: Callable[[Address], str | None] | None, *, explained: bool
) -> str:
    """Text, interval, evidence word, second line and doubts of a cell."""
    text: str = escape(cell.text) if heading.number else breakable(cell.text)
    if cell.tone:
        tone = f"tone {cell.tone.name.lower()}"
        text = f'<span class="{tone}"><b>{cell.tone.value}</b> {text}</span>'
    if cell.strong:
        text = f"<strong>{text}</strong>"
    if cell.link and link and (to := link(cell.link)):
        text = f'<a href="{escape(to)}">{text}</a>'
    if cell.interval:
        text = f"{text} <i>{escape(cell.interval)}</i>"
    if cell.evidence and not heading.evidence:
        text = f"{text}{_evidence(cell.evidence)}"
    if cell.small:
        text = f'{text}<small class="more">{breakable(cell.small)}</small>'
    if cell.doubts:
        where = ' title="explained below the table"' if explained else ""
        text = f'{text}<small class="doubts"{where}>{escape(cell.doubts)}</small>'
    return text


@cache
def templates(*folders: Path) -> jinja2.Environment:
    """The templates of these folders, then those of every page; they escape text."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, FOLDER]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    environment.globals["table_html"] = table_html
    return environment


@cache
def themes_json() -> Markup:
    """Configuration and palette of the charts of a page, in light and in dark."""
    themes = {
        name: {
            "config": vega_config(theme) | {"background": "transparent"},
            "palette": list(theme.palette),
        }
        for name, theme in (("light", LIGHT), ("dark", DARK))
    }
    return script_json(themes)


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
            library_gzip=packed(library),
            behaviour=Markup(behaviour),  # noqa: S704 - our own file
            charts_gzip=packed_json(drawn, _DIGITS_DRAWN),
            themes_json=themes_json(),
            results_gzip=packed_json(data, DIGITS),
        )
    )


def sheet_page(sheet: Sheet, data: Any) -> str:
    """The page of one sheet: its parts in their order, and its data for download."""
    charts = [part for part in sheet.parts if isinstance(part, Chart)]
    return render_template(
        "one_sheet.html.j2", charts, data, sheet=sheet, version=version("joulemark")
    )


def _hash(script: str) -> str:
    """The script as a content security policy names it (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
