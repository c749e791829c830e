# SPDX-License-Identifier: Apache-2.0
"""Addresses of views: a value that becomes a link of the server or the name of a file."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote, urlencode

__all__ = ["Address", "Addressing", "ServerAddressing", "file_stem"]

_NAME: Final = re.compile(r"[a-z0-9+_][a-z0-9.+_-]{0,99}")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9.+_-]+")
_LONGEST_WORDS: Final = 80
_DIGITS: Final = 8
_FOLDERS: Final = {"compare", "history", "targets"}
"""Views without a page for an address that chooses nothing: a folder may have their name."""


@dataclass(frozen=True, slots=True)
class Address:
    """A view and what is chosen in it."""

    path: tuple[str, ...] = ()
    """Segments; without any it is the first page."""
    query: tuple[tuple[str, str], ...] = ()
    """Names and values, in the order of the link; a name may come several times."""

    @classmethod
    def of(cls, *path: object, **query: object) -> Address:
        """The address of these segments and values; a value that is None or empty is left out."""
        pairs: list[tuple[str, str]] = []
        for name, value in query.items():
            each = value if isinstance(value, list | tuple) else [value]
            pairs += [(name, str(wanted)) for wanted in each if wanted is not None and wanted != ""]
        return cls(tuple(map(str, path)), tuple(pairs))


class Addressing(Protocol):
    """Makes the links of a page."""

    def link(self, address: Address) -> str | None:
        """The link to a view; None if there is no page of it."""

    def data(self, address: Address, suffix: str) -> str | None:
        """The link to a view's data (`csv`, `json`) or picture (`svg`, `png`); None: no file."""

    def asset(self, name: str) -> str:
        """The link to a style sheet or script."""


class ServerAddressing:
    """Makes links that are absolute paths on the server of the page."""

    def link(self, address: Address) -> str:
        """As `Addressing`."""
        return self._path(address, "")

    def data(self, address: Address, suffix: str) -> str:
        """As `Addressing`."""
        return self._path(address, f".{suffix}")

    def asset(self, name: str) -> str:
        """As `Addressing`."""
        return f"/assets/{name}"

    @staticmethod
    def _path(address: Address, ending: str) -> str:
        # A segment of dots alone would be taken for a folder.
        segments = [quote(part, safe="").replace(".", "%2E") if set(part) == {"."}
                    else quote(part, safe="") for part in address.path]  # fmt: skip
        if ending and not segments:
            segments = ["index"]
        query = f"?{urlencode(address.query)}" if address.query else ""
        return f"/{'/'.join(segments)}{ending}{query}"


def file_stem(address: Address) -> str:
    """Path of a view's files without their ending, of letters that every web server serves.

    A name from which other letters were taken ends in a digest, which keeps names apart.
    """
    *folders, last = address.path or ("index",)
    values = [value for _, value in address.query]
    if values and last in _FOLDERS:
        folders, words = [*folders, last], "--".join(values)
    else:
        words = "--".join([last, *values])
    return "/".join([*map(_safe, folders), _safe(words)])


def _safe(text: str) -> str:
    plain = text.replace("/", "--")
    # Only small letters are kept: some file systems do not tell capitals from them.
    if _NAME.fullmatch(plain):
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    words = _NOT_IN_NAMES.sub("-", text.lower()).strip(".-")
    return f"{words[:_LONGEST_WORDS] or 'name'}-{digest}"
