# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a small store, its server, its published files, and a browser without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import many_runs
import pytest
from estimating import estimate, estimated
from serving import Served, served

from browser_windows import Window, chromium
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish import publish
from made_once import made_once, of_all_workers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>document.title='x'</script><img src=x onerror=\"document.title='x'\">"


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of stores, estimates and published files that all workers only read."""
    return of_all_workers(tmp_path_factory) / "explorer"


@pytest.fixture(scope="session", autouse=True)
def own_cache(shared: Path) -> Iterator[None]:
    """Estimates of tests are kept in a folder of the tests."""
    (shared / "cache").mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
        yield


@pytest.fixture(scope="session")
def store_path(shared: Path) -> Path:
    """Eighteen runs of two machines; from run 13 on the portable code takes 30 % more.

    Run 19 has counts of firmware.
    """

    def make(folder: Path) -> None:
        path = folder / "runs.db"
        many_runs.fill(path, runs=18, samples=200, machines=2, slower_from=13)
        many_runs.add_firmware(path)

    return made_once(shared / "store", make) / "runs.db"


@pytest.fixture(scope="session")
def hostile_path(shared: Path) -> Path:
    """Runs whose implementation, machine and failure try to be markup; the last one is slower."""

    def make(folder: Path) -> None:
        many_runs.fill(
            folder / "runs.db", runs=6, samples=200, machines=1, slower_from=6, cpu_model=EVIL,
            rename={"hmac-sha256/portable": f"hmac-sha256/{EVIL}"}, failure=EVIL,
        )  # fmt: skip

    return made_once(shared / "hostile", make) / "runs.db"


@pytest.fixture(scope="session")
def holdings(shared: Path, store_path: Path) -> Iterator[Holdings]:
    """The small store, estimated."""
    made_once(shared / "estimates", lambda _: estimate(str(store_path)))
    with estimated(str(store_path)) as found:
        yield found


@pytest.fixture(scope="session")
def hostile(shared: Path, hostile_path: Path) -> Iterator[Holdings]:
    """The hostile store, estimated."""
    made_once(shared / "hostile_estimates", lambda _: estimate(str(hostile_path)))
    with estimated(str(hostile_path)) as found:
        yield found


@pytest.fixture(scope="session")
def server(holdings: Holdings) -> Iterator[Served]:
    """The small store on a port of this machine."""
    with served(holdings) as found:
        yield found


@pytest.fixture(scope="session")
def site(shared: Path, store_path: Path, holdings: Holdings) -> Path:
    """The small store published as files, from the estimates of `holdings`."""
    del holdings
    return made_once(
        shared / "site", lambda folder: publish(str(store_path), folder, lambda _: None)
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def window(browser: Browser) -> Window:
    """A browser window for all tests of a module, each of which turns to its pages."""
    return Window(browser)
