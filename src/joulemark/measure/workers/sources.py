# SPDX-License-Identifier: Apache-2.0
"""Where implementations come from: our kernels, installed plugins, Python, and users' plugins.

Nothing is loaded here. A source is opened by a worker process, so that code which crashes while
being loaded takes only that worker with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from joulemark.errors import UsageError
from joulemark.foreign.text import visible
from joulemark.measure.worker_messages.base import Opened
from joulemark.provider_builds.listing import listed

__all__ = ["Source", "installed_sources", "plugin_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One provider of implementations."""

    name: str
    title: str
    kind: Literal["builtin", "python", "plugin"]
    path: str | None
    """Shared object of a plugin; None for the other kinds and when unavailable."""
    unavailable: str | None
    """Why it cannot be used and what would mend it; None when it can."""
    from_user: bool = False
    """Named by --plugin, or added: code that somebody can mend, where a library's is as it is."""
    known: Opened | None = None
    """What it said of itself when it was kept, so that a list need not open it again."""
    passing: bool = False
    """Gone after its check, so that no command can repeat a finding."""
    may_read_on: bool = False
    """Whether it may read past the end of a message, as SUPERCOP lets its implementations do."""
    memory_bytes: int | None = None
    """Of data that its process may have; None: any."""


def installed_sources(folder: Path | None = None, user: Path | None = None) -> list[Source]:
    """Our kernels, every provider known to this build (found or not), and Python.

    A library that no package has is left to `joulemark providers`: no run could have measured it.

    Args:
        folder: where plugins and `providers.json` lie; the installed folder unless told.
        user: where the user's own are; as `joulemark.provider_builds.listing.listed`.
    """
    providers = [
        Source(
            source.provider.name,
            source.provider.title,
            "plugin",
            None if source.plugin is None else str(source.plugin),
            source.unavailable,
        )
        for source in listed(folder, user)
        if source.provider.built or source.provider.package
    ]
    return [
        Source("joulemark", "Joulemark's own kernels", "builtin", None, None),
        *providers,
        Source("python", "Python's hmac and hashlib", "python", None, None),
    ]


def plugin_source(path: str, taken: Iterable[str]) -> Source:
    """A user's plugin; named after its file.

    Raises:
        UsageError: there is no such file, or its name is one of `taken`.
    """
    file = Path(path)
    if not file.is_file():
        raise UsageError(
            f"plugin {path}: no such file; name a shared object that exports "
            "joulemark_plugin (see CONTRIBUTING.md, add a provider)"
        )
    if file.stem in set(taken):
        raise UsageError(
            f"plugin {path}: a provider named '{file.stem}' exists already; rename the file"
        )
    title = visible(f"plugin {file.name}")
    return Source(visible(file.stem), title, "plugin", str(file.resolve()), None, from_user=True)
