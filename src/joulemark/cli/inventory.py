# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine, for the commands that ask: installed sources and --plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joulemark.measure.inventory import Inventory

__all__ = ["inventory_of"]


def inventory_of(plugins: Sequence[str] | None = None) -> Inventory:
    """Opens every installed source and each plugin, every one in a process of its own.

    Raises:
        UsageError: a plugin is not there or takes the name of another provider.
    """
    from joulemark.measure.inventory import take_inventory  # noqa: PLC0415 - native module
    from joulemark.measure.sources import installed_sources, plugin_source  # noqa: PLC0415

    sources = installed_sources()
    for path in plugins or ():
        sources.append(plugin_source(path, [source.name for source in sources]))
    return take_inventory(sources)
