# SPDX-License-Identifier: Apache-2.0
"""Some seconds of `make fuzz`, and the damages that once showed a fault of ours."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from subjects import Subjects, whole_store
from typer.testing import CliRunner

from fuzz import NAMES, complaint, run_cases
from joulemark.cli.app import app


@pytest.mark.parametrize("seconds", [12.0, pytest.param(50.0, marks=pytest.mark.exhaustive)])
def test_damaged_files_are_refused_in_a_sentence(
    seconds: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each run takes another seed, which a failure prints."""
    monkeypatch.delenv("JOULEMARK_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    seed = random.SystemRandom().randrange(10**6)
    counts, failed = run_cases(NAMES, seed, seconds=seconds, cases=None)
    assert failed == []
    assert all(any(key.startswith(name) for key in counts) for name in NAMES)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without damage."""
    return whole_store(tmp_path_factory.mktemp("sound") / "store.db")


VALUES: dict[str, Any] = {
    "run.finished_at": 0, "run.started_at": "x", "run.study": "[]", "run.study#": "{",
    "run.environment": '{"cpu_model": [1]}', "run.environment#": '{"reasons": 1}',
    "run.loop": '{"messages": 0}', "run.conditions": '{"cpu_not_held": {}}', "run.rounds": "x",
    "run.joulemark_version": b"\xff", "run.meter": '{"domains": 7}', "run.study##": b"\xff\xfe",
    "run.environment###": '{"tsc_hz": NaN}',
    "run.study###": "[" * 5000, "run.seed": 1.5,
    "implementation.facts": '{"implementation": "x"}', "implementation.id": "gone/away",
    "trial.mix": "x", "trial.implementation": "x", "trial.size_bytes": "x", "trial.batch": 0,
    "sample.wall_ns": "x", "sample.wall_ns#": 0, "sample.wall_ns##": -1, "sample.messages": b"\x00",
    "sample.generation": 2**62, "clock_count.clocks": 0, "clock_count.messages": "x",
    "energy_window.window": '{"kind": "asleep"}', "energy_window.trial_id": 99,
    "failure.kind": "sad", "failure.reason": b"\xff", "core_report.report": '{"core": 1}',
    "core_report.report#": "{", "core_report.made_at": "yesterday",
    "joulemark_schema.version_num": "0", "joulemark_schema.version_num#": "0000",
}  # fmt: skip
"""Column -> what no version of ours wrote there."""


@pytest.mark.parametrize("column", VALUES)
def test_one_wrong_value(
    column: str, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the table and the column, or the row of another table that is missing."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.db"
    path.write_bytes(sound.read_bytes())
    table, name = column.rstrip("#").split(".")
    with closing(sqlite3.connect(path)) as connection:
        text = "" if table == "run" else f"WHERE rowid = (SELECT max(rowid) FROM {table})"
        rows = connection.execute(f"UPDATE {table} SET {name} = ? {text}", (VALUES[column],))
        assert rows.rowcount
        connection.commit()
    for line in (["runs"], ["export"], ["report"], ["check", "--baseline", "1"]):
        result = CliRunner().invoke(app, [*line, "--store", "x.db"], prog_name="joulemark")
        assert complaint(line, result, 0) is None, result.stderr
        if line == ["export"] and name != "implementation" and table != "joulemark_schema":
            assert result.exit_code == 2
            assert f"table {table}, " in result.stderr or "in the table" in result.stderr
            assert name in result.stderr or table == "implementation"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda item: item["results"][0]["samples"][0].update(wall_ns=None),
            "samples.0: wall_ns is",
        ),
        (
            lambda item: item["results"][0]["samples"][0].update(wall_ns="x"),
            "samples.0: wall_ns is",
        ),
        (lambda item: item["results"][0]["samples"][0].update(wall_ns=[]), "samples.0: wall_ns is"),
        (lambda item: item["results"][0]["samples"][0].update(wall_ns=-5), "samples.0: wall_ns is"),
        (lambda item: item["results"][0]["samples"][0].update(wall_ns=10**17), "more than a day"),
        (lambda item: item["results"][0]["samples"][0].update(more=1), "unknown field 'more'"),
        (lambda item: item["results"][0]["samples"][0].pop("messages"), "lacks messages"),
        (lambda item: item["context"].update(environment="text"), "environment: "),
        (lambda item: item["context"]["implementations"].update(x=-1), "implementations.x: "),
        (lambda item: item.update(schema_version=99), "schema_version: "),
    ],
)
def test_a_wrong_value_in_a_baseline(
    change: Callable[[Any], None], says: str, sound: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The sentence names the place of the value."""
    import json

    from joulemark.analyse.assemble import result_set
    from joulemark.store.repository import Store

    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.db").write_bytes(sound.read_bytes())
    with Store.open("x.db") as store:
        value = json.loads(result_set(store, 1, raw=True).model_dump_json())
    timed = [entry for entry in value["results"] if entry["clocks_per_message"] is None]
    value["results"] = timed
    change(value)
    Path("base.json").write_text(json.dumps(value))
    line = ["check", "--baseline", "base.json", "--store", "x.db"]
    result = CliRunner().invoke(app, line, prog_name="joulemark")
    assert (result.exit_code, says in result.stderr) == (2, True), result.stderr
    assert complaint(line, result, 0) is None


def test_a_baseline_without_end(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device file is not read until memory runs out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.db").write_bytes(sound.read_bytes())
    line = ["check", "--baseline", "/dev/zero", "--store", "x.db"]
    result = CliRunner().invoke(app, line, prog_name="joulemark")
    assert (result.exit_code, "it is a device" in result.stderr) == (2, True)


def test_the_fuzzer_complains(tmp_path: Path) -> None:
    """The fuzzer reports an internal error, two lines, a control character, and much time."""

    class Ended:
        exit_code = 70
        stdout = ""
        stderr = "joulemark: internal error\n"

    assert "exit code 70" in (complaint(["runs"], Ended, 0) or "")
    Ended.exit_code = 2
    assert complaint(["runs"], Ended, 0) is None
    assert "s" in (complaint(["runs"], Ended, 1000) or "")
    Ended.stderr = "joulemark: a\nb\n"
    assert "2 lines" in (complaint(["runs"], Ended, 0) or "")
    Ended.stderr = "joulemark: \x1b[2J\n"
    assert "control" in (complaint(["runs"], Ended, 0) or "")
    Subjects(tmp_path)


def test_a_case_that_hangs_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The case counts as failed, with the command that repeats it, and later cases still run."""
    invoke = CliRunner.invoke
    seen: list[object] = []

    def slow(self: CliRunner, *arguments: Any, **more: Any) -> Any:
        seen.append(arguments)
        while len(seen) == 1:
            pass
        return invoke(self, *arguments, **more)

    monkeypatch.setattr(CliRunner, "invoke", slow)
    monkeypatch.setattr("fuzz.HANG_S", 2)
    counts, (failed,) = run_cases(["manifests"], 7, seconds=None, cases=2)
    assert counts["manifests hung"] == 1
    assert counts.total() == 2
    assert "no end after 2 s; repeat with: python tests/fuzz/fuzz.py" in failed
    assert "--subject manifests --seed 7 --first 0 --cases 1" in capsys.readouterr().out


def test_a_case_that_no_signal_ends_is_named() -> None:
    """A process that keeps even SIGALRM out is ended from outside, and its case is printed."""
    fuzz = str(Path(__file__).with_name("fuzz.py"))
    program = (
        f"import runpy, signal, time\nfuzz = runpy.run_path({fuzz!r})\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "fuzz['watched'].__wrapped__.__globals__['STUCK_S'] = 2\n"
        "with fuzz['watched']() as begin:\n    begin('the case')\n    time.sleep(1000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert "hung for 2 s: the case" in done.stderr
