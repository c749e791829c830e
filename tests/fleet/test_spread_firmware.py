# SPDX-License-Identifier: Apache-2.0
"""Firmware by workers, for `bench` and `footprint`: the same counts as here, and a tidy end."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from small_fleet import until

from forked_commands import COMMAND, run_joulemark
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.target import target_named
from joulemark.fleet.serving import local_cluster
from living import outliving

BENCH = [*COMMAND, "bench", "--target"]
HERE = [name for name in ("mcu:atmega128", "mcu:cortex-m4") if missing(target_named(name)) is None]
pytestmark = pytest.mark.skipif(
    not HERE, reason="no simulated microcontroller; apt-get install gcc-avr or gcc-arm-none-eabi"
)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """Options that name a scheduler with two workers, and its keys."""
    keys = tmp_path_factory.mktemp("keys") / "fleet.pem"
    with local_cluster(2) as client:
        made = client.security
        keys.write_text(f"{made.tls_client_cert}{made.tls_client_key}")
        keys.chmod(0o600)
        yield "--scheduler", str(client.scheduler_info()["address"]), "--fleet-keys", str(keys)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (("bench", "chaskey-12", "--size", "16,64", "--no-store"), "results"),
        (("footprint", "chaskey-12"), "footprints"),
    ],
)
def test_the_same_with_workers_and_without(
    words: tuple[str, ...], rows: str, scheduler: tuple[str, ...], tmp_path: Path
) -> None:
    """Core cycles, sizes and stack of each length and target are equal."""
    asked = (*words, "--target", ",".join(HERE), "--json")
    alone, spread = (
        run_joulemark(*asked, *more, cwd=tmp_path, text=True) for more in ((), scheduler)
    )
    assert (alone.returncode, spread.returncode) == (0, 0), alone.stderr + spread.stderr
    found = json.loads(alone.stdout)[rows]
    assert len(found) > len(HERE)
    assert json.loads(spread.stdout)[rows] == found
    assert "is tried again" not in spread.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("bench", "--target", f"host,{HERE[0] if HERE else ''}", "--workers", "2"),
         "'joulemark fleet bench' measures on other machines"),
        (("footprint", "--workers", "0"), "--workers 0: give a number from 1"),
        (("footprint", "--workers", "1", "--scheduler", "h:1"), "exclude one another"),
    ],
)  # fmt: skip
def test_what_is_not_spread(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    """The command refuses in one sentence, with exit code 2, before any work begins."""
    done = run_joulemark(*words, cwd=tmp_path, text=True)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def stored(path: Path) -> int:
    """Counts in a store that a run is writing."""
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(path)) as store:
        if not store.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'firmware_count'"
        ).fetchall():
            return 0
        return int(store.execute("SELECT count(*) FROM firmware_count").fetchone()[0])


def processes_of(session: int) -> list[int]:
    """Numbers of the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text("utf-8").rpartition(")")[2].split()[3]) == session:
                found.append(int(path.parent.name))
    return found


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends workers and simulators within seconds; finished counts are kept."""
    program = tmp_path / "running"
    program.mkdir()
    words = [*BENCH, HERE[0], "--workers", "2", "--store", "all.db"]
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(
            words, cwd=program, stdout=said, stderr=said, start_new_session=True
        )
    until(lambda: stored(program / "all.db") > 0, "some are counted")
    assert len(processes_of(running.pid)) > 2
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 130
    assert "the same command goes on" in (tmp_path / "said").read_text()
    assert stored(program / "all.db") > 0
    assert outliving(processes_of(running.pid)) == []
