# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine, for the commands that ask: installed sources and --plugin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joulemark.measure.cores.found import find_cores
from joulemark.measure.workers.inventory import Inventory, take_inventory
from joulemark.measure.workers.sources import installed_sources, plugin_source
from joulemark.measure.workers.user_plugins import user_plugin_sources

__all__ = ["inventory_of"]


def inventory_of(
    plugins: Sequence[str] | None = None, *, software: bool = True, kept_in: Path | None = None
) -> Inventory:
    """Opens every installed source, what this user keeps, and each plugin.

    Each is opened in a separate process, unless what it offers was noted down when it was kept.

    The hardware cores that can be simulated are found too; nothing of theirs is started.

    Args:
        plugins: files of the user's.
        software: whether anything but cores is wanted.
        kept_in: folder of what this user keeps; the usual one unless given.

    Raises:
        UsageError: a plugin is not there or takes the name of another provider.
    """
    sources = installed_sources() if software else []
    if software:
        sources += user_plugin_sources({source.name for source in sources}, kept_in)
    for path in plugins or ():
        sources.append(plugin_source(path, [source.name for source in sources]))
    inventory = take_inventory(sources)
    inventory.cores, inventory.missing_cores = find_cores()
    return inventory
