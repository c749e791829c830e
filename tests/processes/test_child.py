# SPDX-License-Identifier: Apache-2.0
"""Child processes end with us, and their messages arrive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from joulemark.processes.child import Child
from joulemark.processes.tool import ToolRuns, ask_tool
from living import outliving

LEAVES = """
import subprocess, sys, time
file, seconds, code = sys.stdin.readline().split()
left = subprocess.Popen(["sleep", "300"], start_new_session=True)
with open(file, "w") as out:
    print(left.pid, file=out)
time.sleep(float(seconds))
sys.exit(int(code))
"""
"""A module that leaves a daemon: in a new session, where no signal to our groups reaches it."""


@pytest.fixture
def variables(tmp_path: Path) -> Mapping[str, str]:
    """An environment in which the module is found."""
    (tmp_path / "leaves.py").write_text(LEAVES)
    path = [str(tmp_path), *filter(None, sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def test_a_daemon_ends_with_the_module_that_left_it(
    variables: Mapping[str, str], tmp_path: Path
) -> None:
    """A daemon is ended when its module ends by itself, and the module's exit code is told."""
    left = tmp_path / "left"
    with (tmp_path / "log").open("wb") as log:
        code = ToolRuns().run_kept(
            "leaves", f"{left} 0 7\n".encode(), output=log, environment=variables
        )
    assert code == 7
    assert not outliving([int(left.read_text())])


def test_a_daemon_ends_with_a_module_out_of_time(
    variables: Mapping[str, str], tmp_path: Path
) -> None:
    """At the time limit the module is ended together with the daemon that it left."""
    left = tmp_path / "left"
    with (tmp_path / "log").open("wb") as log, pytest.raises(subprocess.TimeoutExpired):
        ToolRuns().run_kept(
            "leaves", f"{left} 300 0\n".encode(), output=log, environment=variables, timeout_s=3
        )
    assert not outliving([int(left.read_text())])


def test_a_daemon_ends_when_we_are_killed(variables: Mapping[str, str], tmp_path: Path) -> None:
    """A daemon ends after SIGKILL of our process, which then cannot tidy up."""
    left = tmp_path / "left"
    code = (
        "import sys; from joulemark.processes.tool import ToolRuns\n"
        f"ToolRuns().run_kept('leaves', b'{left} 300 0\\n', output=sys.stderr.buffer)"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=variables) as parent:
        end_s = time.monotonic() + 60
        while not (left.exists() and left.read_text()) and time.monotonic() < end_s:
            time.sleep(0.02)
        parent.kill()
    assert not outliving([int(left.read_text())])


def test_what_a_tool_says() -> None:
    """The tool gets its input, and its exit code, output and errors arrive apart."""
    code = "import sys; print(sys.stdin.read() * 2); print('one\\n two ', file=sys.stderr); exit(3)"
    said = ask_tool([sys.executable, "-c", code], reads="ab", timeout_s=60)
    assert (said.code, said.output, said.errors) == (3, "abab\n", "one\n two \n")
    assert said.last_line() == "two"
    assert ask_tool([sys.executable, "-c", "print('a')"]).last_line() == "a"
    assert ask_tool(["true"]).last_line() == ""


def test_what_a_tool_says_has_a_deadline() -> None:
    """A tool is ended at its deadline."""
    began_s = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        ask_tool(["sleep", "300"], timeout_s=0.2)
    assert time.monotonic() - began_s < 60


def test_a_child_that_has_ended_keeps_its_number_until_it_is_reaped() -> None:
    """The number of an ended child stays taken until it is reaped, so no signal hits a stranger."""
    child = Child(["true"])
    assert child.ended_within(60)
    assert child.code is None
    assert Path(f"/proc/{child.pid}").exists()
    child.end()
    assert child.code == 0
    assert not Path(f"/proc/{child.pid}").exists()
