# SPDX-License-Identifier: Apache-2.0
"""The server's answer to an address: a page, data or a picture, kept until the store changes."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, unquote

from joulemark.errors import StoreError, UsageError
from joulemark.explorer.estimates.holdings import Holdings, Moment
from joulemark.explorer.page.address import Address, ServerAddressing
from joulemark.explorer.page.blocks import Notes, Page
from joulemark.explorer.page.render import ASSETS, asset, csv_of, html_of, json_of, picture_of
from joulemark.explorer.publish.feed import feed_of
from joulemark.explorer.views.routes import page_at

__all__ = ["Answer", "Answers", "attachment"]

_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_FEED: Final = "application/atom+xml; charset=utf-8"
_MOST_KEPT_BYTES: Final = 48 << 20
_MOST_FIELDS: Final = 300
_LONGEST_QUERY: Final = 16_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sends back."""

    status: int
    type: str
    body: bytes
    file: str = ""
    """Name of a file that is downloaded; empty: the browser shows the answer."""

    @property
    def etag(self) -> str:
        """The entity tag, which is equal for equal content (RFC 9110, section 8.8.3)."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


class Answers:
    """The answers about one store. Threads: may be shared."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._addressing = ServerAddressing()
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Answer] = OrderedDict()
        self._kept_bytes = 0
        self._moment: Moment | None = None

    def answer(self, path: str, query: str) -> Answer:
        """The answer to the path and query of a request, both percent-encoded as they came."""
        if path.startswith("/assets/"):
            name = path.removeprefix("/assets/")
            if name in ASSETS:
                return Answer(200, ASSETS[name], asset(name))
            return self._sentence(404, "There is no such file.")
        address = f"{path}?{query}"
        try:
            answer = self._kept_answer(address)
            if answer is not None:
                return answer
            moment = self._moment
            answer = self._new_answer(path, query)
        except UsageError as error:
            return self._sentence(400, str(error))
        except StoreError as error:
            return self._sentence(503, str(error))
        if answer.status == 200:
            self._keep(address, answer, moment)
        return answer

    def _kept_answer(self, address: str) -> Answer | None:
        moment = self._holdings.moment()
        with self._lock:
            if moment != self._moment:
                self._kept.clear()
                self._kept_bytes, self._moment = 0, moment
            if address in self._kept:
                self._kept.move_to_end(address)
            return self._kept.get(address)

    def _keep(self, address: str, answer: Answer, moment: Moment | None) -> None:
        with self._lock:
            if moment != self._moment or len(answer.body) > _MOST_KEPT_BYTES // 8:
                return
            if address not in self._kept:
                self._kept_bytes += len(answer.body)
            self._kept[address] = answer
            while self._kept_bytes > _MOST_KEPT_BYTES:
                _, gone = self._kept.popitem(last=False)
                self._kept_bytes -= len(gone.body)

    def _new_answer(self, path: str, query: str) -> Answer:
        if path == "/changes.atom":
            return Answer(200, _FEED, feed_of(self._holdings, self._addressing.link))
        segments, suffix = _segments(path)
        if len(query) > _LONGEST_QUERY:
            raise UsageError("the address is too long; pick fewer values")
        try:
            picked = parse_qs(query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise UsageError("the address has too many values; pick fewer") from None
        page = page_at(self._holdings, segments, picked)
        if page is None:
            return self._sentence(404, "There is no such page, run, machine or algorithm here.")
        if not suffix:
            return Answer(200, _HTML, self._html(page))
        body = _data(page, suffix)
        if body is None:
            return self._sentence(404, "This view has no picture.")
        name = f"joulemark-{'-'.join(segments) or 'index'}.{suffix}"
        return Answer(200, _TYPES[suffix], body, name)

    def _html(self, page: Page) -> bytes:
        return html_of(page, self._addressing, forms=True, feed="/changes.atom")

    def _sentence(self, status: int, sentence: str) -> Answer:
        sentence = f"{sentence[:1].upper()}{sentence[1:]}"
        page = Page(
            Address(("",)), "Nothing to show" if status == 404 else "That cannot be shown",
            [Notes("", [sentence])],
        )  # fmt: skip
        return Answer(status, _HTML, self._html(page))


def _segments(path: str) -> tuple[tuple[str, ...], str]:
    """The segments of a path, and its ending, which asks for data or a picture."""
    parts = [unquote(word, errors="replace") for word in path.strip("/").split("/")]
    stem, _, suffix = parts[-1].rpartition(".")
    if stem and suffix in _TYPES:
        parts[-1] = stem
    else:
        suffix = ""
    return (() if parts in ([""], ["index"]) else tuple(parts)), suffix


def _data(page: Page, suffix: str) -> bytes | None:
    if suffix == "csv":
        return csv_of(page)
    return json_of(page) if suffix == "json" else picture_of(page, suffix)


def attachment(name: str) -> str:
    """The header of a file that is downloaded (RFC 6266); its name has no letters to be quoted."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    return f'attachment; filename="{safe}"'
