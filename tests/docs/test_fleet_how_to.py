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
PORT = 8786
"""Of the block, and of every Dask scheduler that is not told otherwise."""


def taken() -> bool:
    """Whether somebody listens at the block's port."""
    with socket.socket() as listener:
        return listener.connect_ex(("127.0.0.1", PORT)) == 0


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_three_workers_by_copy_and_paste(tmp_path: Path) -> None:
    """Three machines take part and send a run each, and nothing listens afterwards."""
    if taken():
        pytest.skip(f"port {PORT} is taken by another program")
    (block,) = (fence.text for fence in fences_of(PAGE) if "> three.log &" in fence.text)
    done = shell(f"set -e\n{block}\nwait", tmp_path, environment_of(tmp_path / "home"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of this build" in done.stdout
    runs = re.findall(r"^(one|two|three): run ([123])$", done.stdout, re.MULTILINE)
    assert {machine for machine, _ in runs} == {"one", "two", "three"}
    assert sorted(number for _, number in runs) == ["1", "2", "3"]
    assert "Traceback" not in done.stderr
    assert not taken()
