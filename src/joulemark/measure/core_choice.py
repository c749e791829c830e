# SPDX-License-Identifier: Apache-2.0
"""Finds the hardware cores that a user's patterns name."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.planning.trials import base_name, select
from joulemark.measure.workers.inventory import Inventory
from joulemark.records.trial import RTL

__all__ = ["chosen_cores", "hint_at_core"]


def hint_at_core(patterns: Sequence[str], inventory: Inventory, error: UsageError) -> None:
    """Refuses a pattern that names a core where software is measured, and says how to simulate it.

    Raises:
        UsageError: from `error`.
    """
    cores = {*inventory.cores, *(core.implementation for core in inventory.missing_cores)}
    for pattern in patterns:
        if pattern in cores:
            raise UsageError(f"{pattern} is a hardware core; add --target {RTL}") from error


def chosen_cores(patterns: Sequence[str], inventory: Inventory) -> list[str]:
    """Cores that the patterns name; without patterns, every core with its default parameters.

    Raises:
        UsageError: a pattern names no core.
        UnavailableError: none of the named cores can be simulated here; says why.
    """
    broken = [core for core in inventory.missing_cores if core.implementation.startswith("*/")]
    reasons = {
        core.implementation: core.reason for core in inventory.missing_cores if core not in broken
    }
    if not patterns:
        chosen = [name for name, core in inventory.cores.items() if not core.configured]
        named = [*chosen, *reasons]
    else:
        known = [*inventory.cores, *reasons]
        algorithms = ", ".join(sorted({name.split("/", 1)[0] for name in known})) or "nothing"
        for pattern in patterns:
            if base_name(pattern) != pattern:
                raise UsageError(f"'{pattern}': a simulation is exact, so a core has no twin")
        try:
            named = select(patterns, known)
        except UsageError as error:
            raise UsageError(f"on {RTL}: {error}; there are cores for {algorithms}") from error
        chosen = [name for name in named if name in inventory.cores]
    if not chosen and named:
        raise UnavailableError(f"{named[0]} is unavailable: {reasons[named[0]]}")
    if not chosen:
        why = broken[0].reason if broken else "hdl/ has none of an algorithm in the catalogue"
        raise UnavailableError(f"no hardware core can be simulated: {why}")
    return chosen
