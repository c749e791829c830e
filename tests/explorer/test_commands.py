# SPDX-License-Identifier: Apache-2.0
"""`joulemark explore` and `joulemark publish` as a user starts and ends them."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from forked_commands import run_joulemark

JOULEMARK = str(Path(sys.executable).parent / "joulemark")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_explore_serves_until_it_is_interrupted(
    store_path: Path, number: signal.Signals, code: int
) -> None:
    """It says where it is, answers, and ends in one line; nothing it started is left."""
    server = subprocess.Popen(
        [JOULEMARK, "explore", "--store", str(store_path), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    found = None
    while found is None:
        line = server.stderr.readline()
        assert line
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
    connection.request("GET", "/runs/18")
    assert "Run 18" in connection.getresponse().read().decode()
    connection.close()
    server.send_signal(number)
    rest = server.communicate(timeout=60)[1]
    assert (server.returncode, rest) == (code, "joulemark: interrupted\n")


def test_taken_port_is_one_sentence(store_path: Path) -> None:
    """And so is a store that is not there."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run_joulemark("explore", "--store", store_path, "--port", port, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"joulemark: port {port} of 127.0.0.1 cannot be used")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("holdings")
def test_publish_says_what_it_wrote(store_path: Path, tmp_path: Path) -> None:
    """Pages and files, and where to begin; a file in place of the folder is refused."""
    folder = tmp_path / "site"
    done = run_joulemark("publish", folder, "--store", store_path, text=True)
    assert done.returncode == 0, done.stderr
    assert f"begin at {folder / 'index.html'}" in done.stderr
    assert (folder / "index.html").is_file()
    (tmp_path / "file").write_text("")
    done = run_joulemark("publish", tmp_path / "file", "--store", store_path, text=True)
    assert (done.returncode, "is a file" in done.stderr) == (2, True)
