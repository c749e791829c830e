# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the installed implementations, and workers that run them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from joulemark.measure.workers.inventory import Inventory, take_inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.measure.workers.sources import installed_sources
from joulemark.measure.workers.thorough import CheckEffort, CheckReport


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    """All implementations that can be run here."""
    return take_inventory(installed_sources())


@pytest.fixture(scope="module")
def pool(inventory: Inventory) -> Iterator[WorkerPool]:
    """A worker process for each library: outside libraries stay out of this one.

    Each worker checks vectors, lengths and batches as usual. The thorough check, which costs more
    than all requests of these tests, is short, for one implementation of each kind and library.
    """
    workers = WorkerPool(inventory, None, effort=CheckEffort(cpu_s=0.001))
    checked: dict[tuple[str, str], CheckReport] = {}
    for name, facts in inventory.facts.items():
        kind = (facts.provider, facts.kind)
        if kind not in checked:
            checked[kind] = workers.check(name)
        workers.reports[name] = checked[kind]
    yield workers
    workers.close()
