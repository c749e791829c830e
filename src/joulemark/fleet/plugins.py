# SPDX-License-Identifier: Apache-2.0
"""Plugins of a command on other machines: each has the same file at the same path, or refuses.

A file is not sent: else any user of a scheduler could put code into a machine's folders. And a
plugin needs libraries that only its own machine has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet.build import short_build
from joulemark.measure.worker.sources import (
    ImplementationSource,
    file_sha256,
    plugin_source,
)


@dataclass(frozen=True, slots=True)
class PluginFile:
    """A plugin on the machine of the command that asks."""

    path: str
    """Absolute path."""
    sha256: str


def plugin_files(paths: Sequence[str]) -> tuple[PluginFile, ...]:
    """The plugins of a command, by path and content."""
    files: dict[str, PluginFile] = {}
    for path in paths:
        source = plugin_source(path, files)
        file = Path(path).resolve()
        files[source.name] = PluginFile(str(file), file_sha256(file))
    return tuple(files.values())


def sources_with(
    plugins: Sequence[PluginFile], sources: Sequence[ImplementationSource]
) -> list[ImplementationSource]:
    """The sources of a machine, followed by the plugins."""
    all_sources = list(sources)
    for plugin in plugins:
        try:
            source = plugin_source(plugin.path, [known.name for known in all_sources])
        except UsageError as error:
            raise UnavailableError(str(error)) from None
        here = file_sha256(Path(plugin.path))
        if here != plugin.sha256:
            raise UnavailableError(
                f"plugin {plugin.path} is another file here, {short_build(here)}, than that of "
                f"whoever asks, {short_build(plugin.sha256)}; copy it"
            )
        all_sources.append(source)
    return all_sources
