# SPDX-License-Identifier: Apache-2.0
"""Implementations and cores of this machine, for the commands that need them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joulemark.measure.cores import find_cores
from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.worker.sources import (
    installed_sources,
    plugin_source,
    user_plugin_sources,
)


def inventory_of(
    plugins: Sequence[str] | None = None, *, software: bool = True, kept_in: Path | None = None
) -> Inventory:
    """Opens every installed source, the plugins that this user keeps, and the plugins named.

    Each is opened in a separate process, except a kept one whose offers were noted down. Hardware
    cores that can be simulated are found too; no simulation is started.

    Args:
        plugins: the files of `--plugin`.
        software: whether implementations in software are wanted.
        kept_in: folder of the plugins that this user keeps; None: the usual one.
    """
    sources = installed_sources() if software else []
    if software:
        sources += user_plugin_sources({source.name for source in sources}, kept_in)
    for path in plugins or ():
        sources.append(plugin_source(path, [source.name for source in sources]))
    inventory = take_inventory(sources)
    inventory.cores, inventory.missing_cores = find_cores()
    return inventory
