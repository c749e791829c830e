# SPDX-License-Identifier: Apache-2.0
"""The sources of implementations: our kernels, installed plugins, Python, and users' plugins.

Nothing is loaded here. A worker process opens a source, so that code which crashes while it is
loaded ends only that worker.
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
    """Why the source cannot be used, and the remedy; None if it can."""
    from_user: bool = False
    """Whether --plugin names it, or it was added: such code can be mended, a library's cannot."""
    known: Opened | None = None
    """The statement of a kept plugin about itself, so that a list need not open it again."""
    passing: bool = False
    """Whether it is gone after its check, so that no command can repeat a finding."""
    may_read_on: bool = False
    """Whether it may read past the end of a message, as SUPERCOP lets its implementations do."""
    memory_bytes: int | None = None
    """Most bytes of data of its process; None: any number."""
    confined: bool = False
    """Whether its process has no network and writes into one folder alone, as far as the kernel
    offers that (`joulemark.processes.confined`)."""


def installed_sources(folder: Path | None = None) -> list[Source]:
    """Our kernels, every provider known to this build (found or not), and Python.

    A library that no package has is left to `joulemark providers`: no run could have measured it.

    Args:
        folder: folder of plugins and `providers.json`; the installed folder unless given.
    """
    providers = [
        Source(
            source.provider.name,
            source.provider.title,
            "plugin",
            None if source.plugin is None else str(source.plugin),
            source.unavailable,
        )
        for source in listed(folder)
        if source.provider.built or source.provider.package
    ]
    return [
        Source("joulemark", "Joulemark's own kernels", "builtin", None, None),
        *providers,
        Source("python", "Python's hmac and hashlib", "python", None, None),
    ]


def plugin_source(path: str, taken: Iterable[str]) -> Source:
    """The source of a user's plugin, named after its file.

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
