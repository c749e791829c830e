# SPDX-License-Identifier: Apache-2.0
"""A small store, its server, its published files, and a browser without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import many_runs
import pytest
from estimating import estimated
from serving import Served, served

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish.publish import publish

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
EVIL = "<script>document.title='x'</script><img src=x onerror=\"document.title='x'\">"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Estimates of tests are kept in a folder of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighteen runs of two machines; from run 13 on the portable code takes 30 % more.

    Run 19 has counts of firmware.
    """
    path = tmp_path_factory.mktemp("store") / "runs.db"
    many_runs.fill(path, runs=18, samples=200, machines=2, slower_from=13)
    many_runs.add_firmware(path)
    return path


@pytest.fixture(scope="session")
def hostile_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs whose implementation, machine and failure try to be markup; the last one is slower."""
    path = tmp_path_factory.mktemp("hostile") / "runs.db"
    many_runs.fill(
        path, runs=6, samples=200, machines=1, slower_from=6, cpu_model=EVIL,
        rename={"hmac-sha256/portable": f"hmac-sha256/{EVIL}"}, failure=EVIL,
    )  # fmt: skip
    return path


@pytest.fixture(scope="session")
def holdings(store_path: Path) -> Iterator[Holdings]:
    """The small store, estimated."""
    with estimated(str(store_path)) as found:
        yield found


@pytest.fixture(scope="session")
def hostile(hostile_path: Path) -> Iterator[Holdings]:
    """The hostile store, estimated."""
    with estimated(str(hostile_path)) as found:
        yield found


@pytest.fixture(scope="session")
def server(holdings: Holdings) -> Iterator[Served]:
    """The small store on a port of this machine."""
    with served(holdings) as found:
        yield found


@pytest.fixture(scope="session")
def site(store_path: Path, holdings: Holdings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small store as files, from the estimates of `holdings`."""
    del holdings
    folder = tmp_path_factory.mktemp("site") / "site"
    publish(str(store_path), folder, lambda _: None)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium from the system."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium; on Debian install the package chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()
