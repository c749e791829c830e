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

from typing_extensions import TypedDict

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import visible
from joulemark.measure.workers.messages import Opened

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


class _Entry(TypedDict):
    """A provider that this build knows, as CMake lists it."""

    name: str
    title: str
    package: str
    reason: str | None
    built: bool


def _plugin_folder() -> Path:
    return Path(__file__).parents[2] / "plugins"


def installed_sources(folder: Path | None = None) -> list[Source]:
    """Our kernels, every provider known to this build (found or not), and Python.

    Args:
        folder: where plugins and `providers.json` lie; the installed folder unless told.
    """
    folder = folder or _plugin_folder()
    sources = [Source("joulemark", "Joulemark's own kernels", "builtin", None, None)]
    listing = folder / "providers.json"
    try:
        content = parse_json(listing.read_bytes()) if listing.exists() else []
        entries = [record_from_json(_Entry, one) for one in content]
    except (OSError, TypeError, ForeignError) as error:
        raise JoulemarkError(
            f"{listing} cannot be read ({error}); run make setup to build the providers again"
        ) from error
    for entry in entries:
        path = folder / f"{entry['name']}.so"
        built = bool(entry["built"]) and path.exists()
        reason = entry["reason"] or f"its plugin was not built; install {entry['package']}"
        sources.append(
            Source(
                entry["name"],
                entry["title"],
                "plugin",
                str(path) if built else None,
                None if built else reason,
            )
        )
    sources.append(Source("python", "Python's hmac and hashlib", "python", None, None))
    return sources


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
