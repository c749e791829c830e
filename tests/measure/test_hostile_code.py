# SPDX-License-Identifier: Apache-2.0
"""Workers of hostile plugins: no process of theirs outlives the bench, or holds it up.

`tests/cli/hostile/test_hostile_plugins.py` has the outcome of each attack.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.errors import CrashError, HangError
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.run_messages import ComputeOutputs, OutputCase, ReadClocks
from joulemark.measure.worker.sources import installed_sources

RIVAL, HOSTILE = "siphash-2-4/portable", "siphash-2-4/leaves_a_daemon"


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which a process that a plugin leaves writes its number."""
    path = tmp_path / "left"
    path.touch()
    monkeypatch.setenv("JOULEMARK_TEST_LEFT", str(path))
    return path


def none_lives(left: Path, least: int = 1) -> None:
    """Fails if a process that was left behind has not ended soon."""
    children = [int(line) for line in left.read_text().split()]
    assert len(children) >= least
    end_s = time.monotonic() + 5
    while alive := [child for child in children if Path(f"/proc/{child}").exists()]:
        assert time.monotonic() < end_s, f"{alive} outlived their worker"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [
    signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive),
])  # fmt: skip
def test_nothing_outlives_the_bench(
    number: signal.Signals, hostile_plugins: Callable[..., list[Path]], left: Path, tmp_path: Path
) -> None:
    """Whatever ends the process that measures, the daemon of a plugin ends too."""
    [plugin] = hostile_plugins("leaves_a_daemon")
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "bench", HOSTILE, RIVAL, "--size", "16",
         "--plugin", str(plugin), "--store", str(tmp_path / "x.db")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end_s = time.monotonic() + 60
    while len(left.read_text().split()) < 2 and time.monotonic() < end_s:
        time.sleep(0.01)
    process.send_signal(number)
    process.wait(60)
    none_lives(left, least=2)


def worker_of(client: WorkerClient) -> int:
    """The process that runs the code, below its keeper."""
    keeper = client._child.pid
    [worker] = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
    return int(worker)


def test_a_worker_that_dies_by_any_signal_is_a_crash() -> None:
    """Death by a signal is a crash, for real-time signals too, which Python has no names for."""
    source = next(source for source in installed_sources() if source.kind == "builtin")
    for number in (signal.SIGBUS, 33, 35, 50, 63, 64):
        client = WorkerClient(source, None)
        client.ask(ReadClocks(), limit_s=20)
        os.kill(worker_of(client), number)
        with pytest.raises(CrashError, match=r"its process died \(signal [A-Z0-9+]+\)"):
            client.ask(ReadClocks(), limit_s=20)
        client.close()


@pytest.mark.timeout(60)
def test_a_worker_that_reads_no_more_is_hung() -> None:
    """A worker that stops reading is hung, even if the request is longer than a pipe holds."""
    source = next(source for source in installed_sources() if source.kind == "builtin")
    client = WorkerClient(source, None)
    client.ask(ReadClocks(), limit_s=20)
    worker = worker_of(client)
    os.kill(worker, signal.SIGSTOP)
    with pytest.raises(HangError, match="no answer within 1 s"):
        client.ask(ComputeOutputs(RIVAL, (OutputCase(message=bytes(500_000)),)), limit_s=1.0)
    assert not Path(f"/proc/{worker}").exists()
    client.close()
