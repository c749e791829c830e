# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the installed implementations, and workers that run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import pytest

from joulemark.errors import ImplementationError
from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.pool import CheckEffort, CheckReport, WorkerPool
from joulemark.measure.worker.sources import installed_sources


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    """All implementations that can be run here."""
    return take_inventory(installed_sources())


@pytest.fixture(scope="module")
def living(pool: WorkerPool) -> Callable[[str], bool]:
    """Whether an implementation survives its check; `test_against_references.py` fails if not.

    All other tests leave out what does not, so that one dying library is not many failures.
    """

    @cache
    def survives(name: str) -> bool:
        try:
            pool.check(name)
        except ImplementationError:
            return False
        return True

    return survives


@pytest.fixture(scope="module")
def pool(inventory: Inventory) -> Iterator[WorkerPool]:
    """A worker process for each library: outside libraries stay out of this one.

    Each worker checks vectors, lengths and batches as usual. The thorough check, which costs more
    than all requests of these tests, is short, for one implementation of each kind and library: the
    first that does not fail it. One that fails is checked again, and named, by its own test.
    """
    workers = WorkerPool(inventory, None, effort=CheckEffort(cpu_s=0.001))
    checked: dict[tuple[str, str], CheckReport] = {}
    for name, facts in inventory.facts.items():
        kind = (facts.provider, facts.kind)
        if kind not in checked:
            with suppress(ImplementationError):
                checked[kind] = workers.check(name)
        if kind in checked:
            workers.reports[name] = checked[kind]
    yield workers
    workers.close()
