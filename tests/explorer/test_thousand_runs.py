# SPDX-License-Identifier: Apache-2.0
"""Two thousand runs with a million samples: views in time, memory, and publishing."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from joulemark.explorer.estimates.holdings import Fillers, missing_estimates
from joulemark.explorer.estimates.kept import KeptEstimates, cache_file
from joulemark.explorer.estimates.known import Index, KnownRuns
from joulemark.explorer.publish import publish
from joulemark.store.reading import open_for_reading

pytestmark = [pytest.mark.exhaustive, pytest.mark.timing, pytest.mark.timeout(3000)]
LARGE_STORE = Path(__file__).parents[1] / "store" / "large_store.py"
CLIENTS = 8
REQUESTS = 60
"""Requests of each client, each for another view."""
LIMIT_S = 0.300
MOST_BYTES = 400e6
MOST_PUBLISH_S = 60


def large_store() -> Any:
    """The generator of stores, of the tests of the store."""
    spec = spec_from_file_location("large_store", LARGE_STORE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["large_store"] = module  # the dataclasses of the module look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store; its estimates are kept."""
    path = tmp_path_factory.mktemp("large") / "runs.db"
    large_store().fill_large(str(path), runs=2000, samples=1_000_000)
    with open_for_reading(str(path)) as store, cache_file(store.location) as file:
        kept, known = KeptEstimates(file), Index(store).known()
        fillers = Fillers(str(path), file, len(os.sched_getaffinity(0)))
        while fillers.running:
            time.sleep(1)
        fillers.end()
        assert missing_estimates(known, kept).nothing
        kept.close()
    return path


def addresses(known: KnownRuns, chance: random.Random) -> Iterator[str]:
    """Views in any order, with things chosen by chance, so that few come twice."""
    names = sorted({trial.implementation for run in known.runs.values() for trial in run.trials})
    machines = list(known.machines)
    while True:
        run = chance.choice(list(known.runs.values()))
        before = next(iter(known.before(run)), None)
        algorithm = chance.choice(run.algorithms)
        yield from chance.sample(
            [
                "/", "/machines", f"/machines/{chance.choice(machines)}",
                f"/runs?page={chance.randint(1, 40)}", f"/runs/{run.id}",
                f"/runs/{run.id}/{algorithm}", "/algorithms", f"/algorithms/{algorithm}",
                f"/figures?algorithm={algorithm}&length={chance.choice([16, 64, 256])}",
                *([f"/compare?before={before}&after={run.id}"] if before else []),
                "/compare?before={}&after={}".format(*chance.sample(machines, 2)),
                f"/history?implementation={chance.choice(names)}&length=16",
                f"/targets?algorithm={algorithm}", "/cores", "/changes",
            ],
            14,
        )  # fmt: skip


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_views_with_eight_clients(large: Path) -> None:
    """Each view within 300 ms in 95 % of cases; memory of the server below 400 MB."""
    with open_for_reading(str(large)) as store:
        known = Index(store).known()
    server = subprocess.Popen(
        [Path(sys.executable).parent / "joulemark", "explore", "--store", large, "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    said = re.search(r"127\.0\.0\.1:(\d+)/", server.stderr.readline())
    assert said is not None
    port, times = int(said[1]), dict[str, list[float]]()
    lock = threading.Lock()

    def client(number: int) -> None:
        views = addresses(known, random.Random(number))
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            for _ in range(REQUESTS):
                path = next(views)
                start = time.perf_counter()
                connection.request("GET", path)
                reply = connection.getresponse()
                reply.read()
                took = time.perf_counter() - start
                kind = re.sub(r"/[^/?]*\d[^/?]*", "/N", path.partition("?")[0])
                with lock:
                    assert reply.status in (200, 400), path  # machines without a common trial
                    times.setdefault(kind, []).append(took)

    before_s = cpu_seconds(server.pid)
    try:
        threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        status = Path(f"/proc/{server.pid}/status").read_text()
        work_s = cpu_seconds(server.pid) - before_s
    finally:
        server.terminate()
        server.wait(30)
        server.stderr.close()
    every = sorted(took for found in times.values() for took in found)
    assert len(every) == CLIENTS * REQUESTS
    slow = {kind: sorted(found)[int(0.95 * len(found))] for kind, found in times.items()}
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    peak_bytes = 1024 * int(peak[1])
    print(f"95 %: {every[int(0.95 * len(every))]:.3f} s of all, by view {slow}; peak {peak_bytes}")
    print(f"CPU time of the server for a request: {work_s / len(every):.4f} s")
    assert max(slow.values()) < LIMIT_S, slow
    assert peak_bytes < MOST_BYTES


def test_thousand_runs_are_published_in_a_minute(tmp_path: Path) -> None:
    """The first time has no kept estimates; the second time takes a fraction of the first."""
    path = tmp_path / "runs.db"
    large_store().fill_large(str(path), runs=1000, samples=500_000)
    start = time.monotonic()
    found = publish(str(path), tmp_path / "site", lambda _: None)
    took = time.monotonic() - start
    start = time.monotonic()
    again = publish(str(path), tmp_path / "site", lambda _: None)
    took_again = time.monotonic() - start
    print(f"{found.pages} pages: {took:.1f} s, then {took_again:.1f} s")
    assert again.written == 0
    assert took < MOST_PUBLISH_S
    assert took_again < took / 3
