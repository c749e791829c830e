# SPDX-License-Identifier: Apache-2.0
"""A plugin that misbehaves loses its own figures; the run and all other figures go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.analyse import ResultSet
from joulemark.analyse.assemble import result_set
from joulemark.environment import capture
from joulemark.errors import CrashError
from joulemark.measure.inventory import take_inventory
from joulemark.measure.plan import Effort
from joulemark.measure.run_plan import run_plan
from joulemark.measure.study import Study
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.run_messages import ReadClocks
from joulemark.measure.worker.sources import installed_sources, plugin_source
from joulemark.records import FailureKind
from joulemark.store.repository import Store

EFFORT = Effort(rounds=4, window_ns=200_000, generations=1)
# A hang is told apart soon, and only there: on a busy machine sound code may wait for seconds.
HANG_LIMIT_S = {"HANGS_ON_64_BYTES": 2.5}
PATIENCE_S = 60.0


def measure(plugin: Path, folder: Path, hang_limit_s: float = PATIENCE_S) -> ResultSet:
    """A short run of the plugin beside our own SipHash."""
    sources = [source for source in installed_sources() if source.kind == "builtin"]
    sources.append(plugin_source(str(plugin), ["joulemark"]))
    inventory = take_inventory(sources, limit_s=PATIENCE_S)
    patterns = ["siphash-2-4/portable"]
    if "siphash-2-4/faulty" in inventory.facts:
        patterns.append("siphash-2-4/faulty")
    study = Study(patterns=tuple(patterns), sizes_bytes=(16, 64, 256), effort=EFFORT)
    with Store.open(folder / "run.db") as store:
        outcome = run_plan(
            store, inventory, study.plan(inventory), capture(), study=study.as_dict(),
            hang_limit_s=hang_limit_s,
        )  # fmt: skip
        return result_set(store, outcome.run_id)


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        pytest.param("CRASHES_WHEN_LOADED", FailureKind.CRASH, "SIGABRT",
                     marks=pytest.mark.exhaustive),
        ("CRASHES_ON_64_BYTES", FailureKind.CRASH, "SIGSEGV); replay: joulemark test"),
        ("HANGS_ON_64_BYTES", FailureKind.HANG, "no answer within"),
        (
            "WRONG_ALWAYS",
            FailureKind.WRONG_OUTPUT,
            "--replay 'one key=0+10 keys=1 msg=m0 lengths=0",
        ),
        ("WRONG_AFTER_A_WHILE", FailureKind.WRONG_OUTPUT, "withheld"),
        ("WRONG_BESIDE_WHAT_IS_TIMED", FailureKind.WRONG_OUTPUT, "after timing, a message of"),
        ("WRITES_PAST_THE_TAG", FailureKind.WRONG_OUTPUT, "touched memory beyond its output"),
        pytest.param("WRITES_INTO_THE_MESSAGE", FailureKind.WRONG_OUTPUT, "wrote into its message",
                     marks=pytest.mark.exhaustive),
        pytest.param("OLD_INTERFACE", FailureKind.UNAVAILABLE, "compile it again",
                     marks=pytest.mark.exhaustive),
        ("REFUSES_KEYS", FailureKind.ERROR, "is answered with an error"),
        ("TALKS_AND_EXITS", FailureKind.CRASH, "licence expired"),
    ],
)  # fmt: skip
def test_fault_is_recorded_and_contained(
    fault: str, kind: FailureKind, says: str, faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """Each fault becomes one failure that says what happened; the other implementation is whole."""
    plugin = faulty_plugin(fault)
    results = measure(plugin, tmp_path, HANG_LIMIT_S.get(fault, PATIENCE_S))
    failures = [failure for failure in results.failures if "faulty" in failure.implementation]
    assert [failure.kind for failure in failures] == [kind]
    assert says in failures[0].reason
    figures = {(result.implementation, result.size_bytes) for result in results.results}
    assert figures == {("siphash-2-4/portable", size) for size in (16, 64, 256)}
    for result in results.results:
        assert result.seconds_per_message is not None
        assert result.seconds_per_message.samples >= EFFORT.rounds


class SpoiltClient(WorkerClient):
    """A worker whose code writes on the pipe of its answers."""

    line = b""

    def _read_line(self, limit_s: float) -> bytes:
        super()._read_line(limit_s)
        return self.line


@pytest.mark.parametrize("line", [b"not yours", b"[1, 2]", b"7", b"\xff\xfe"])
def test_an_answer_that_is_none_is_a_crash(line: bytes) -> None:
    """An answer that is not valid is a crash of the code that spoilt it, and no error of ours."""
    source = next(source for source in installed_sources() if source.kind == "builtin")
    client = SpoiltClient(source, None)
    client.line = line
    with pytest.raises(CrashError, match="wrote on the pipe of its answers"):
        client.ask(ReadClocks(), limit_s=20)
    assert not client.alive
    client.close()


def test_what_a_plugin_started_ends_with_its_process(
    faulty_plugin: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that a plugin leaves is ended, since it would disturb the next measurements."""
    left = tmp_path / "left"
    monkeypatch.setenv("JOULEMARK_TEST_LEFT", str(left))
    measure(faulty_plugin("LEAVES_A_PROCESS"), tmp_path)
    children = [int(line) for line in left.read_text().split()]
    assert children
    deadline = time.monotonic() + PATIENCE_S
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a child outlived its process"
        time.sleep(0.05)


def test_sound_plugin_is_measured(faulty_plugin: Callable[[str], Path], tmp_path: Path) -> None:
    """The same plugin without a fault has figures like any other implementation."""
    results = measure(faulty_plugin("NONE"), tmp_path)
    assert not [failure for failure in results.failures if "siphash-2-4/faulty" in str(failure)]
    assert {result.implementation for result in results.results} == {
        "siphash-2-4/portable",
        "siphash-2-4/faulty",
    }
