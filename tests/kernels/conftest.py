# SPDX-License-Identifier: Apache-2.0
"""What is installed, and workers that run it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from joulemark.measure.workers.inventory import Inventory, take_inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.measure.workers.sources import installed_sources
from joulemark.measure.workers.thorough import CheckEffort


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    """All that can be run here."""
    return take_inventory(installed_sources())


@pytest.fixture(scope="module")
def pool(inventory: Inventory) -> Iterator[WorkerPool]:
    """A worker process for each library: outside libraries stay out of this one.

    Its own check, which other tests are about, is as short as it can be.
    """
    workers = WorkerPool(inventory, None, effort=CheckEffort(cpu_s=0.001))
    yield workers
    workers.close()
