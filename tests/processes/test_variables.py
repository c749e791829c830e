# SPDX-License-Identifier: Apache-2.0
"""Secrets of the user's environment reach none of the processes that we start."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import joulemark
from joulemark.fleet.serving import local_cluster
from joulemark.hardware.simulation import cocotb_runs
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.sources import installed_sources
from joulemark.own_code.building import find_compiler
from joulemark.processes.child import FURTHER, named_variables, only_named_variables
from joulemark.processes.keeper import children_of
from joulemark.processes.tool import Limits, ToolRuns, ask_tool

SECRET = "planted-5f1c"
PLANTED = (
    "JOULEMARK_STORE", "JOULEMARK_SCHEDULER", "JOULEMARK_FLEET_KEYS", "PGPASSWORD", "PGPASSFILE",
    "PGSERVICEFILE", "PGHOST", "DATABASE_URL", "MAC_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN",
    "GH_TOKEN", "CI_JOB_TOKEN", "SSH_AUTH_SOCK", "http_proxy", "PIP_INDEX_URL",
    "CARGO_REGISTRY_TOKEN", "npm_config__auth", "LC_SECRET", "XDG_SECRET", "CCACHE_SECRET",
    "JOULEMARK_TOKEN", "PATH_TO_KEY", "home",
)  # fmt: skip
SOURCES = Path(joulemark.__file__).parent


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in each of the variables, and one variable that every child needs."""
    for name in PLANTED:
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("LANG", "C.UTF-8")


def program(folder: Path, name: str) -> Path:
    """A program that prints its environment, whatever its arguments."""
    path = folder / name
    path.write_text("#!/bin/sh\nexec env\n")
    path.chmod(0o755)
    return path


def of_a_compiler(folder: Path) -> str:
    """What a compiler of own code sees, when it is asked for its version and when it compiles."""
    compiler = find_compiler(str(program(folder, "gcc")), Limits())
    return compiler.run(["-c", "x.c"], folder, "gcc").output


def of_a_tool(folder: Path) -> str:
    """What a simulator of firmware, a compiler for it, Yosys or valgrind sees."""
    return ask_tool([str(program(folder, "tool"))]).output


def of_a_simulation(folder: Path) -> str:
    """What the simulation of a core sees."""
    results = '<testsuites><testcase name="t"/></testsuites>'
    simulation = folder / "simulation"
    simulation.write_text(f"#!/bin/sh\nenv\necho '{results}' > \"$COCOTB_RESULTS_FILE\"\n")
    simulation.chmod(0o755)
    core: Any = SimpleNamespace(name="core", chosen=lambda parameters: parameters)
    return verilator_log(core, simulation)


def verilator_log(core: Any, simulation: Path) -> str:
    """What the simulation of a core printed."""
    names = "cocotb_variables"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            cocotb_runs, names,
            lambda _core, _modules, _chosen, results, seed: {"COCOTB_RESULTS_FILE": str(results)},
        )  # fmt: skip
        return cocotb_runs.run(simulation, core, []).log.read_text()


def of_a_worker(_folder: Path) -> str:
    """What the kernel tells of a worker and of its keeper."""
    own = next(source for source in installed_sources() if source.kind == "builtin")
    client = WorkerClient(own, None, {"MORE": "1"})
    try:
        keeper = client._child.pid
        children = children_of(keeper)
        return "".join(environment_of(pid) for pid in (keeper, *children))
    finally:
        client.close()


def environment_of(pid: int) -> str:
    """What the kernel tells of a process, which is nothing while the process starts its program."""
    path, end_s = Path(f"/proc/{pid}/environ"), time.monotonic() + 30
    while not (text := path.read_text()) and time.monotonic() < end_s:
        time.sleep(0.01)
    return text


def of_kept_code(folder: Path) -> str:
    """What a program of ours with foreign code in it sees: the simulation of a core is one."""
    with (folder / "out").open("w+") as output:
        ToolRuns().run_kept("print_variables", b"\n", output=output, environment=named_variables(
            {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
        ))  # fmt: skip
        output.seek(0)
        return output.read()


def of_a_cluster(_folder: Path) -> str:
    """What a process that `--workers` starts sees."""
    with local_cluster(1) as client:
        seen: str = client.submit(_printed).result(60)
    assert os.environ["PGPASSWORD"] == SECRET
    return seen


def _printed() -> str:
    own = Path("/proc/self/environ").read_text()
    return "\n".join(f"{name}={value}" for name, value in os.environ.items()) + own


@pytest.mark.parametrize(
    "seen",
    [of_a_compiler, of_a_tool, of_a_simulation, of_a_worker, of_kept_code, of_a_cluster],
    ids=lambda seen: seen.__name__.removeprefix("of_"),
)
def test_no_secret_reaches_a_child(seen: Callable[[Path], str], tmp_path: Path) -> None:
    """The kind of child sees named variables, and the secret in none of them."""
    (tmp_path / "print_variables.py").write_text("import os; print(dict(os.environ))\n")
    text = seen(tmp_path)
    assert "C.UTF-8" in text
    assert SECRET not in text


def test_users_name_further_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that reads a variable of its own gets the variable by name, and no other."""
    monkeypatch.setenv(FURTHER, "MAC_KEY, LICENSE_OF_MINE,")
    monkeypatch.setenv("LICENSE_OF_MINE", "1")
    found = named_variables({"MORE": "2"})
    assert (found["LICENSE_OF_MINE"], found["MAC_KEY"], found["MORE"]) == ("1", SECRET, "2")
    assert "PGPASSWORD" not in found
    with only_named_variables():
        assert os.environ["LICENSE_OF_MINE"] == "1"
        assert "PGPASSWORD" not in os.environ
    assert os.environ["PGPASSWORD"] == SECRET


MAY_HAND_ON = {
    "processes/child.py": "names those that are handed on",
    "measure/revisions.py": "git is the user's",
    "processes/tool.py": "`check --build COMMAND` runs the user's command",
    "meters/command.py": "`energy -- COMMAND` runs the user's command",
    "explorer/estimates/holdings.py": "our own code alone, which opens the store",
}
"""Files that hand on all variables, and why they may."""
_WHOLE = re.compile(r"\*\*\(?os\.environ|environment=os\.environ|os\.environ,|dict\(os\.env")
_STARTS = re.compile(
    r"subprocess\.(?:Popen|run|call|check_\w+)\(|os\.(?:(?:posix_)?spawn\w*|exec\w+|system)\("
)
_STARTERS = {
    "hardware/flow/place.py",
    "processes/child.py", "processes/limited.py", "meters/command.py",
}  # fmt: skip
"""Files that start a program: two become one, whose variables they have got by name."""


def test_no_other_way_to_start_a_process() -> None:
    """A new start of a process goes through `Child`, and hands on no whole environment."""
    whole, starters = set(), set()
    for path in (path for path in SOURCES.rglob("*.py") if SOURCES / "data" not in path.parents):
        text, name = path.read_text("utf-8"), path.relative_to(SOURCES).as_posix()
        if _WHOLE.search(text):
            whole.add(name)
        if _STARTS.search(text):
            starters.add(name)
    assert whole == MAY_HAND_ON.keys()
    assert starters == _STARTERS
