# SPDX-License-Identifier: Apache-2.0
"""Plugins of whoever asks, on other machines: the same file at the same path, or a refusal.

A file is not sent: whoever reaches a scheduler could then put code into a machine's folders, and a
plugin needs libraries that only its own machine has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet.build import short_build
from joulemark.measure.workers.sources import Source, plugin_source
from joulemark.measure.workers.user_plugins import file_sha256

__all__ = ["PluginFile", "plugin_files", "sources_with"]


@dataclass(frozen=True, slots=True)
class PluginFile:
    """A plugin as whoever asks has it."""

    path: str
    """Absolute."""
    sha256: str


def plugin_files(paths: Sequence[str]) -> tuple[PluginFile, ...]:
    """The plugins of a command, by path and content.

    Raises:
        UsageError: one is not there, or two have one name.
    """
    found: dict[str, PluginFile] = {}
    for path in paths:
        source = plugin_source(path, found)
        file = Path(path).resolve()
        found[source.name] = PluginFile(str(file), file_sha256(file))
    return tuple(found.values())


def sources_with(plugins: Sequence[PluginFile], sources: Sequence[Source]) -> list[Source]:
    """Sources of a machine, and those plugins behind them.

    Raises:
        UnavailableError: a plugin is not there, is another file, or has another provider's name.
    """
    found = list(sources)
    for plugin in plugins:
        try:
            source = plugin_source(plugin.path, [known.name for known in found])
        except UsageError as error:
            raise UnavailableError(str(error)) from None
        here = file_sha256(Path(plugin.path))
        if here != plugin.sha256:
            raise UnavailableError(
                f"plugin {plugin.path} is another file here, {short_build(here)}, than that of "
                f"whoever asks, {short_build(plugin.sha256)}; copy it"
            )
        found.append(source)
    return found
