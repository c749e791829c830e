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
from joulemark.explorer.page.address import Address
from joulemark.units import format_percent

__all__ = ["feed_of"]

_ATOM: Final = "http://www.w3.org/2005/Atom"
_MOST_RUNS: Final = 50
_MOST_CHANGES: Final = 2000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FORBIDDEN: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], " ")
"""Signs that XML 1.0 has no form for (section 2.2)."""


def feed_of(holdings: Holdings, link: Callable[[Address], str | None]) -> bytes:
    """The feed, the newest run first.

    Args:
        holdings: whose changes it tells.
        link: where a view is, as seen from the feed.
    """
    known = holdings.known()
    by_run: dict[int, list[Change]] = {}
    for change in holdings.kept.changes(most=_MOST_CHANGES):
        if change.run in known.runs and change.flagged:
            by_run.setdefault(change.run, []).append(change)
    shown = list(by_run)[:_MOST_RUNS]
    newest = max((_finished(holdings, run) for run in shown), default=_EPOCH)
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "id", f"urn:joulemark:changes:{_digest(holdings.store.location)}")
    _add(feed, "title", "Changes that Joulemark's gate flags")
    _add(feed, "updated", newest.isoformat())
    _add(feed, "generator", "Joulemark", version=__version__)
    author = ET.SubElement(feed, "author")
    _add(author, "name", "Joulemark")
    start = link(Address.of("changes"))
    if start:
        _add(feed, "link", None, rel="alternate", type="text/html", href=start)
    for run in shown:
        _entry(feed, holdings, run, by_run[run], link)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True)) + b"\n"


def _entry(
    feed: ET.Element,
    holdings: Holdings,
    run: int,
    found: list[Change],
    link: Callable[[Address], str | None],
) -> None:
    known = holdings.known()
    names = sorted({change.implementation for change in found})
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    entry = ET.SubElement(feed, "entry")
    _add(entry, "id", f"urn:joulemark:run:{known.runs[run].content}")
    _add(entry, "title", f"Run {run}: {names[0]}{more} slower")
    _add(entry, "updated", _finished(holdings, run).isoformat())
    to = link(Address.of("runs", run))
    if to:
        _add(entry, "link", None, rel="alternate", type="text/html", href=to)
    place = known.machines[known.machine_of[run]].short
    sentences = [
        f"{change.implementation}, {change.workload}: {format_percent(change.ratio - 1)} "
        f"slower than in run {change.before} (at least {format_percent(change.low - 1)})."
        for change in found
    ]
    _add(entry, "summary", f"On {place}. {' '.join(sentences)}", type="text")


def _finished(holdings: Holdings, run: int) -> datetime:
    outline = holdings.known().runs[run]
    return (outline.finished_at or outline.started_at).astimezone(UTC)


def _add(parent: ET.Element, name: str, text: str | None, **attributes: str) -> None:
    element = ET.SubElement(
        parent, name, {key: _plain(attribute) for key, attribute in attributes.items()}
    )
    element.text = None if text is None else _plain(text)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode().translate(_FORBIDDEN)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
