# SPDX-License-Identifier: Apache-2.0
"""The block of docs/how-to/run-a-fleet.md that starts a fleet of three, as a reader pastes it."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from page_places import environment_of, shell
from page_text import fences_of

PAGE = "docs/how-to/run-a-fleet.md"
MACHINES = ("one", "two", "three")
PORT = 8786
"""Port of the block, and the default of every Dask scheduler."""


def taken() -> bool:
    """Whether a program listens at the block's port."""
    with socket.socket() as listener:
        return listener.connect_ex(("127.0.0.1", PORT)) == 0


def block_with(machines: tuple[str, ...]) -> str:
    """The block as it stands, or with fewer workers."""
    (block,) = (fence.text for fence in fences_of(PAGE) if "> three.log &" in fence.text)
    for name in set(MACHINES) - set(machines):
        block, left_out = re.subn(f".* --machine {name} .*\n", "", block)
        assert left_out == 1
    jobs = " ".join(f"%{place}" for place in range(len(machines) + 1, 0, -1))
    return block.replace("--wait 3", f"--wait {len(machines)}").replace("%4 %3 %2 %1", jobs)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "machines",
    [("one",), pytest.param(MACHINES, marks=pytest.mark.exhaustive)],
    ids=["one_worker", "as_it_stands"],
)
def test_workers_by_copy_and_paste(tmp_path: Path, machines: tuple[str, ...]) -> None:
    """All machines take part and send a run each, and nothing listens afterwards."""
    if taken():
        pytest.skip(f"port {PORT} is taken by another program")
    script = f"set -e\n{block_with(machines)}\nwait"
    done = shell(script, tmp_path, environment_of(tmp_path / "home"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(machines)} of this build" in done.stdout
    runs = re.findall(r"^(one|two|three): run ([123])$", done.stdout, re.MULTILINE)
    assert {machine for machine, _ in runs} == set(machines)
    assert sorted(int(number) for _, number in runs) == [*range(1, len(machines) + 1)]
    assert "Traceback" not in done.stderr
    assert not taken()
