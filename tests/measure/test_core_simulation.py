# SPDX-License-Identifier: Apache-2.0
"""Cores are simulated in a separate process: right counts, and every kind of misbehaviour."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import pytest
from toy_core import toy_core

from joulemark.errors import CrashError, HangError, ImplementationError, WrongOutputError
from joulemark.measure import core_job
from joulemark.measure.cores import (
    CountClocks,
    LengthCounts,
    find_cores,
    missing_tool,
    simulate_core,
)
from joulemark.processes.tool import ToolRuns
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode
from living import outliving

BOTH = [Mode.LATENCY, Mode.THROUGHPUT]
pytestmark = pytest.mark.skipif(missing_tool() is not None, reason=str(missing_tool()))


def counted(
    manifest: Path, lengths: list[int], *, name: str | None = None, limit_s: float = 120
) -> LengthCounts:
    """Simulates the one core of a manifest."""
    found, missing = find_cores([manifest])
    assert not missing
    core = found[name] if name else next(iter(found.values()))
    return simulate_core(core, lengths, BOTH, ToolRuns(), limit_s=limit_s)


def test_counts_are_those_of_the_core(tmp_path: Path) -> None:
    """Latency has all clocks of one message, throughput those of one more, key set-up neither."""
    manifest = toy_core(tmp_path, algorithm="hmac-sha256", key_bytes=(32,), most=70)
    name = "hmac-sha256/core_toy_slow"
    found = counted(manifest, [0, 5, 64, 71], name=name)
    assert found.refused == {71: "this core takes messages of at most 70 B"}
    assert found.clocks == {
        Mode.LATENCY: {n: ClockCount(1, 3 + 7 + n, 11) for n in (0, 5, 64)},
        Mode.THROUGHPUT: {n: ClockCount(8, 8 * (7 + n), 11) for n in (0, 5, 64)},
    }


def test_wrong_output_is_no_count(tmp_path: Path) -> None:
    """A core with one wrong bit in one result has no figures."""
    wrong = "(lambda d: bytes([d[0] ^ (len(message) == 9)]) + d[1:])(self.reference(b'', message))"
    manifest = toy_core(tmp_path, result=wrong)
    with pytest.raises(WrongOutputError, match="the reference says"):
        counted(manifest, [8, 9])


def test_core_that_does_not_compile(tmp_path: Path) -> None:
    """The error quotes the compiler."""
    manifest = toy_core(tmp_path, verilog="module toy (input wire clk_i); assign x = ; endmodule\n")
    with pytest.raises(ImplementationError, match=r"toy does not compile: %Error.*toy\.v:1"):
        counted(manifest, [0])


@pytest.mark.parametrize(
    ("most", "multiple", "length", "says"),
    [
        (16, 1, 17, "at most 16 B"),
        (None, 16, 0, "multiples of 16 bytes"),
        (None, 16, 24, "multiples of 16 bytes"),
        (None, 1, 65537, "at most 64 KiB are simulated"),
    ],
)
def test_length_that_a_core_does_not_take(
    tmp_path: Path, most: int | None, multiple: int, length: int, says: str
) -> None:
    """A length that the core does not take is refused with the reason, and nothing is built."""
    manifest = toy_core(tmp_path, most=most, multiple=multiple)
    found = counted(manifest, [length], limit_s=20)
    assert found.clocks == {}
    assert says in found.refused[length]


def test_adapter_that_crashes(tmp_path: Path) -> None:
    """The error about an adapter that dies without an answer quotes its last output."""
    line = "import os, sys; print('the sky fell', flush=True); os._exit(7)"
    with pytest.raises(CrashError, match="exit code 7: the sky fell"):
        counted(toy_core(tmp_path, first_line=line), [0])


def test_vanished_log_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No sentence sends the user to a file of a folder that is gone."""

    def stopped(_request: CountClocks) -> NoReturn:
        raise ImplementationError("it stopped", tmp_path / "a.log")

    request = CountClocks("toy.toml", {}, (0,), (Mode.LATENCY,), str(tmp_path))
    monkeypatch.setattr(core_job, "answer_to", stopped)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(asdict(request))))
    core_job.main()
    assert json.loads((tmp_path / "answer.json").read_text())["error"] == "it stopped"


def test_adapter_that_raises(tmp_path: Path) -> None:
    """The error names the file of the adapter whose Python raised."""
    with pytest.raises(ImplementationError, match=r"adapter\.py: ModuleNotFoundError: .*no_such"):
        counted(toy_core(tmp_path, first_line="import no_such_module"), [0])


def test_hang_ends_with_its_children(tmp_path: Path) -> None:
    """A simulation that gives no answer in time is ended with all processes that it started."""
    started = tmp_path / "child"
    line = hanging(started)
    with pytest.raises(HangError, match="nothing within 4 s"):
        counted(toy_core(tmp_path, first_line=line), [0], limit_s=4)
    assert ends(int(started.read_text()))


def test_stop_ends_what_runs(tmp_path: Path) -> None:
    """Stopping a run ends its simulations, and no further simulation can start."""
    started = tmp_path / "child"
    found, _ = find_cores([toy_core(tmp_path, first_line=hanging(started))])
    core = found["sha256/core_toy"]
    runs = ToolRuns()

    def stop_once_started() -> None:
        assert until(started.exists)
        runs.stop()

    stopper = threading.Thread(target=stop_once_started)
    stopper.start()
    begin = time.monotonic()
    with pytest.raises(ImplementationError):
        simulate_core(core, [0], BOTH, runs, limit_s=100)
    stopper.join()
    assert time.monotonic() - begin < 30
    assert ends(int(started.read_text()))
    with pytest.raises(ImplementationError, match="the run was stopped"):
        simulate_core(core, [0], BOTH, runs, limit_s=100)


def test_killed_parent_takes_the_simulation_along(tmp_path: Path) -> None:
    """After SIGKILL of the program that started a simulation, none of its processes goes on."""
    started = tmp_path / "child"
    manifest = toy_core(tmp_path, first_line=hanging(started))
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from joulemark.measure.cores import simulate_core\n"
        "from joulemark.measure.cores import find_cores\n"
        "from joulemark.processes.tool import ToolRuns\n"
        "from joulemark.records.trial import Mode\n"
        "[*cores], _ = find_cores([Path(sys.argv[1])])\n"
        "core = find_cores([Path(sys.argv[1])])[0][cores[0]]\n"
        "simulate_core(core, [0], [Mode.LATENCY], ToolRuns(), limit_s=100)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", code, str(manifest)], env=environment) as parent:
        assert until(started.exists)
        parent.kill()
    assert ends(int(started.read_text()))


def hanging(started: Path) -> str:
    """A line that starts a child, writes its process number and waits for ever."""
    return (
        "import os, subprocess, time; child = subprocess.Popen(['sleep', '300']); "
        f"open({str(started)!r} + '.part', 'w').write(str(child.pid)); "
        f"os.replace({str(started)!r} + '.part', {str(started)!r}); time.sleep(300)"
    )


def until(true: Callable[[], bool]) -> bool:
    """Whether the condition became true within 30 s."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.05)
    return False


def ends(process: int) -> bool:
    """Whether that process ends within 30 s; otherwise it is killed here."""
    if not outliving([process], 30):
        return True
    os.kill(process, signal.SIGKILL)
    return False
