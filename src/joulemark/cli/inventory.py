# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine, for the commands that ask: installed sources and --plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joulemark.measure.workers.inventory import Inventory

__all__ = ["inventory_of"]


def inventory_of(plugins: Sequence[str] | None = None, *, software: bool = True) -> Inventory:
    """Opens every installed source and each plugin, every one in a process of its own.

    The hardware cores that can be simulated are found too; nothing of theirs is started.

    Args:
        plugins: files of the user's.
        software: whether anything but cores is wanted.

    Raises:
        UsageError: a plugin is not there or takes the name of another provider.
    """
    from joulemark.measure.cores.found import find_cores  # noqa: PLC0415 - pydantic is slow
    from joulemark.measure.workers.inventory import take_inventory  # noqa: PLC0415 - native module
    from joulemark.measure.workers.sources import installed_sources, plugin_source  # noqa: PLC0415

    sources = installed_sources() if software else []
    for path in plugins or ():
        sources.append(plugin_source(path, [source.name for source in sources]))
    inventory = take_inventory(sources)
    inventory.cores, inventory.missing_cores = find_cores()
    return inventory
