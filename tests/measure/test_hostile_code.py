# SPDX-License-Identifier: Apache-2.0
"""Hostile plugins: none leaves a process, ends another's figures, or reaches the terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.environment import capture
from joulemark.errors import CrashError
from joulemark.measure.run import run_plan
from joulemark.measure.study import Effort, Study
from joulemark.measure.workers.client import WorkerClient
from joulemark.measure.workers.inventory import take_inventory
from joulemark.measure.workers.sources import installed_sources, plugin_source
from joulemark.records.failure import Failure, FailureKind
from joulemark.store.repository import Store

EFFORT = Effort(rounds=2, window_ns=100_000, generations=1)
RIVAL, HOSTILE = "siphash-2-4/portable", "siphash-2-4/hostile"


@pytest.fixture
def hostile(plugin_of: Callable[..., Path]) -> Callable[[str], Path]:
    """Compiles `tests/plugins/hostile.c` with one attack."""
    return lambda attack: plugin_of("hostile", ATTACK=attack)


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a process that a plugin leaves writes its number."""
    path = tmp_path / "left"
    path.touch()
    monkeypatch.setenv("JOULEMARK_TEST_LEFT", str(path))
    return path


def failures_of(plugin: Path, folder: Path) -> list[Failure]:
    """What becomes of the plugin; its rival must have all of its figures."""
    sources = [source for source in installed_sources() if source.kind == "builtin"]
    own_absent = take_inventory(sources).unavailable
    inventory = take_inventory([*sources, plugin_source(str(plugin), ["joulemark"])], limit_s=20)
    patterns = [name for name in (RIVAL, HOSTILE) if name in inventory.facts]
    study = Study(patterns=tuple(patterns), sizes_bytes=(16,), effort=EFFORT)
    with Store.open(folder / "run.db") as store:
        outcome = run_plan(
            store, inventory, study.plan(inventory), capture(), study=study.as_dict(),
            hang_limit_s=2.0,
        )  # fmt: skip
        samples = store.samples(outcome.run_id)
        assert [len(taken) >= 2 for one, taken in samples.items() if one.implementation == RIVAL] \
            == [True]  # fmt: skip
        absent = [one for one in inventory.unavailable if one not in own_absent]
        failed = [one for one in store.failures(outcome.run_id) if one.broken]
        return list(dict.fromkeys([*absent, *failed]))  # a run repeats what is not there


def none_lives(left: Path, least: int = 1) -> None:
    """Fails if one that was left has not ended soon."""
    children = [int(line) for line in left.read_text().split()]
    assert len(children) >= least
    end_s = time.monotonic() + 5
    while alive := [child for child in children if Path(f"/proc/{child}").exists()]:
        assert time.monotonic() < end_s, f"{alive} outlived their worker"
        time.sleep(0.02)


@pytest.mark.parametrize("attack", ["LEAVES_A_BUSY_CHILD", "LEAVES_A_DAEMON"])
def test_what_is_left_after_a_clean_end_ends_too(
    attack: str, hostile: Callable[[str], Path], left: Path, tmp_path: Path
) -> None:
    """A library that starts a helper, in its group or as a daemon, is measured like any other."""
    assert failures_of(hostile(attack), tmp_path) == []
    none_lives(left)


@pytest.mark.parametrize(
    ("attack", "kind", "says"),
    [
        ("LEAVES_A_CHILD_AND_EXITS", FailureKind.CRASH, "(exit code 3)"),
        ("LEAVES_A_DAEMON_AND_CRASHES", FailureKind.CRASH, "SIGSEGV"),
        ("LEAVES_A_DAEMON_AND_HANGS", FailureKind.HANG, "no answer within"),
        ("LEAVES_A_DAEMON_AND_ENDS_ITS_KEEPER", FailureKind.CRASH, "SIGKILL"),
    ],
)
def test_what_a_dead_worker_left_ends(
    attack: str, kind: FailureKind, says: str, hostile: Callable[[str], Path], left: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    """A child that holds the pipe of a dead worker does not turn its crash into a hang."""
    [failure] = failures_of(hostile(attack), tmp_path)
    assert (failure.kind, says in failure.reason) == (kind, True), failure
    none_lives(left)


@pytest.mark.parametrize(
    ("attack", "kind", "says"),
    [
        ("RAISES_A_REAL_TIME_SIGNAL", FailureKind.CRASH, "(signal SIGRTMIN+1)"),
        ("ENDS_ITS_KEEPER", FailureKind.CRASH, "SIGKILL"),
        (
            "TALKS_IN_CONTROL_SEQUENCES",
            FailureKind.CRASH,
            r"last: last words \x1b]0;owned\x07",
        ),
        ("WRITES_NO_JSON", FailureKind.CRASH, "wrote on the pipe"),
        ("WRITES_NO_OBJECT", FailureKind.CRASH, "no JSON object"),
        ("WRITES_AN_ANSWER_WITHOUT_FIELDS", FailureKind.CRASH, "field required"),
        ("WRITES_DEEP_JSON", FailureKind.CRASH, "nested too deeply"),
        ("WRITES_WITHOUT_END", FailureKind.CRASH, "without end"),
        ("NO_VERSION", FailureKind.CRASH, "library_version: "),
        ("NO_UTF8", FailureKind.UNAVAILABLE, "cannot be loaded"),
        ("HUGE_KEY", FailureKind.CRASH, "implementations.0.key_bytes: "),
        ("LONG_NAME", FailureKind.CRASH, "implementations.0.variant: "),
        ("EMPTY_NAME", FailureKind.CRASH, "implementations.0.variant: "),
        ("NAME_OF_TWO_LINES", FailureKind.UNAVAILABLE, "letters, digits"),
        ("NAME_OF_A_TWIN", FailureKind.UNAVAILABLE, "letters, digits"),
    ],
)
def test_an_attack_is_its_own_failure(
    attack: str, kind: FailureKind, says: str, hostile: Callable[[str], Path], tmp_path: Path
) -> None:
    """Each attack is one failure in printable words; the rival's figures stand."""
    began_s = time.monotonic()
    [failure] = failures_of(hostile(attack), tmp_path)
    assert (failure.kind, says in failure.reason) == (kind, True), failure
    assert (failure.implementation + failure.reason).isprintable()
    assert time.monotonic() - began_s < 60


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_bench(
    number: signal.Signals, hostile: Callable[[str], Path], left: Path, tmp_path: Path
) -> None:
    """Whatever ends the process that measures, the daemon of a plugin ends too."""
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "bench", HOSTILE, RIVAL, "--size", "16",
         "--plugin", str(hostile("LEAVES_A_DAEMON")), "--store", str(tmp_path / "x.db")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end_s = time.monotonic() + 60
    while len(left.read_text().split()) < 2 and time.monotonic() < end_s:
        time.sleep(0.01)
    process.send_signal(number)
    process.wait(60)
    none_lives(left, least=2)


def test_a_worker_that_dies_by_any_signal_is_a_crash() -> None:
    """Real-time signals too, which Python has no names for."""
    source = next(source for source in installed_sources() if source.kind == "builtin")
    for number in (signal.SIGBUS, 33, 35, 50, 63, 64):
        client = WorkerClient(source, None)
        client.ask("clocks", limit_s=20)
        [worker] = Path(f"/proc/{client._process.pid}/task/{client._process.pid}/children") \
            .read_text().split()  # fmt: skip
        os.kill(int(worker), number)
        with pytest.raises(CrashError, match=r"its process died \(signal [A-Z0-9+]+\)"):
            client.ask("clocks", limit_s=20)
        client.close()
