# SPDX-License-Identifier: Apache-2.0
"""The feed of changes: Atom (RFC 4287), an entry for each run in which the gate flags something."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from xml.etree import ElementTree as ET

from joulemark import __version__
from joulemark.explorer.estimates.gates import Change
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.report.sheet import Address
from joulemark.units import format_percent

_ATOM: Final = "http://www.w3.org/2005/Atom"
_MOST_RUNS: Final = 50
_MOST_CHANGES: Final = 2000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FORBIDDEN: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], " ")
"""Signs that no document of XML 1.0 may have (section 2.2)."""


def feed_of(holdings: Holdings, link: Callable[[Address], str | None]) -> bytes:
    """The feed, the newest run first.

    Args:
        holdings: the changes.
        link: makes the link from the feed to a view.
    """
    known = holdings.known()
    by_run: dict[int, list[Change]] = {}
    for change in holdings.estimates.changes(most=_MOST_CHANGES):
        if change.run in known.runs and change.flagged:
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
