# SPDX-License-Identifier: Apache-2.0
"""Plugins that were built on this machine for this user, which every command finds.

Each is a folder with `plugin.so` and `plugin.json`, which gets its name only when both are whole.
`joulemark add` makes them of a user's code; other commands that build plugins may keep them here
too.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import visible
from joulemark.measure.worker_messages.base import Opened
from joulemark.measure.workers.sources import Source
from joulemark.user_folders import user_data, written_by_others

__all__ = [
    "PLUGIN_FILE",
    "RECORD_FILE",
    "BrokenEntry",
    "MadeFrom",
    "SourceDigest",
    "UserPlugin",
    "file_sha256",
    "user_plugin_sources",
    "user_plugins",
    "user_plugins_folder",
]

PLUGIN_FILE: Final = "plugin.so"
RECORD_FILE: Final = "plugin.json"


@dataclass(frozen=True, slots=True)
class SourceDigest:
    """A file that was compiled, or a header that it included."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """Sources and build of a user's code."""

    sources: tuple[SourceDigest, ...]
    digest: str
    """SHA-256 of sources, compiler, flags, function, signature and name together."""
    function: str
    signature: str
    compiler: str
    flags: str
    added: str
    """Moment at which it was added: ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class UserPlugin:
    """The record of a kept plugin."""

    provider: str
    """Name of its provider, different from all others."""
    title: str
    """Title for people."""
    sha256: str
    """SHA-256 of the shared object."""
    opened: Opened | None = None
    """The plugin's statement about itself; None if it is to be opened each time."""
    made_from: MadeFrom | None = None
    """Sources and build of the user's code; None for an outside library."""
    may_read_on: bool = False
    """Whether it may read past the end of a message."""

    @property
    def implementations(self) -> tuple[str, ...]:
        """Names of its implementations, if they are known without opening it."""
        entries = () if self.opened is None else self.opened.implementations
        return tuple(f"{entry.algorithm}/{entry.variant}" for entry in entries)


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """An entry that cannot be used, and why, as the end of a sentence."""

    path: Path
    reason: str


def user_plugins_folder() -> Path:
    """Folder of the plugins: JOULEMARK_PLUGINS, or else one in the user's data; it need not exist.

    Raises:
        UnavailableError: the user has no home folder.
    """
    given = os.environ.get("JOULEMARK_PLUGINS")
    return Path(given) if given else user_data("plugins")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def user_plugins(folder: Path) -> dict[Path, UserPlugin | BrokenEntry]:
    """Every entry of a folder, in the order of their names; empty where there is no folder."""
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return {}
    return {entry: _entry(entry) for entry in entries if _has_record(entry)}


def _has_record(entry: Path) -> bool:
    try:
        return (entry / RECORD_FILE).is_file()
    except OSError:  # the entry may not be read, and is reported as damaged
        return True


def _entry(path: Path) -> UserPlugin | BrokenEntry:
    try:
        for place in (path / PLUGIN_FILE, path / RECORD_FILE, path):
            if (open_place := written_by_others(place)) is not None:
                return BrokenEntry(path, f"others than you may write {open_place}, so its code may "
                                   "be theirs")  # fmt: skip
        record = record_from_json(UserPlugin, parse_json((path / RECORD_FILE).read_bytes()))
        same = file_sha256(path / PLUGIN_FILE) == record.sha256
    except (OSError, ForeignError) as error:
        return BrokenEntry(
            path, f"{path / RECORD_FILE} or the plugin beside it is damaged ({error})"
        )
    return record if same else BrokenEntry(path, f"{path / PLUGIN_FILE} is not what was kept there")


def user_plugin_sources(taken: set[str], folder: Path | None = None) -> list[Source]:
    """The user's plugins as sources of implementations.

    Args:
        taken: names of other providers; a plugin of such a name is unavailable with a reason.
        folder: folder of the plugins; the usual one unless given.
    """
    try:
        folder = folder or user_plugins_folder()
    except UnavailableError:  # without a home there are no plugins
        return []
    taken = set(taken)
    return [_source(path, user_plugin, taken) for path, user_plugin in user_plugins(folder).items()]


def _source(path: Path, found: UserPlugin | BrokenEntry, taken: set[str]) -> Source:
    """The source of an entry; adds its provider to `taken`."""
    if isinstance(found, BrokenEntry):
        name, remedy = visible(path.name), f"joulemark remove {visible(path.name)}"
        reason = f"{found.reason}; take it away with {remedy}"
        return Source(name, f"kept plugin {name}", "plugin", None, reason, from_user=True)
    is_taken = found.provider in taken
    taken.add(found.provider)
    return Source(
        found.provider, found.title, "plugin", None if is_taken else str(path / PLUGIN_FILE),
        f"there is a provider {found.provider} already" if is_taken else None,
        from_user=found.made_from is not None, known=found.opened, may_read_on=found.may_read_on,
    )  # fmt: skip
