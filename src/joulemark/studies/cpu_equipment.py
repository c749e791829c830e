# SPDX-License-Identifier: Apache-2.0
"""What a study that measures on the CPU of this machine has at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from joulemark.environment import Environment
from joulemark.measure.observer import RunObserver
from joulemark.measure.planning.energy import EnergyPlan
from joulemark.measure.workers.inventory import Inventory
from joulemark.store.repository import Store

__all__ = ["CpuEquipment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuEquipment:
    """What can be run, how it is metered, and where series are kept."""

    inventory: Inventory
    store: Store
    """Where samples of the harness go, and what is continued from."""
    environment: Environment
    """Of this machine."""
    folder: Path
    """Where raw series that the harness does not take are kept; exists."""
    energy: EnergyPlan | None = None
    observer: RunObserver | None = None
    """Told of the harness's progress."""
    say: Callable[[str], None] = lambda _text: None
    """Told, in words, which part begins."""
