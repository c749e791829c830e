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

import many_runs
import pytest
from typer.testing import CliRunner, Result

from joulemark.cli.app import app

JOULEMARK = str(Path(sys.executable).parent / "joulemark")


def run(*words: object) -> Result:
    """Runs a command that ends by itself, in this process, which has imported its modules."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="joulemark")


@pytest.mark.usefixtures("holdings")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_explore_serves_until_it_is_interrupted(
    store_path: Path, number: signal.Signals, code: int
) -> None:
    """`explore` prints its address, answers, and ends in one line; no process of it is left."""
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
    """A port that another program holds is refused in one sentence."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run("explore", "--store", store_path, "--port", port)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"joulemark: port {port} of 127.0.0.1 cannot be used")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("explore",), ("publish", "site")])
def test_a_store_that_is_not_there_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """A missing store is refused, and neither the store nor a folder is made."""
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--store", "none.db")
    assert done.exit_code == 2
    assert done.stderr.startswith("joulemark: there is no store at none.db; measure something")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_publish_says_what_it_wrote(tmp_path: Path) -> None:
    """The message names the page to begin with; a file in place of the folder is refused."""
    store_path, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store_path, runs=2, samples=100, machines=1)
    done = run("publish", folder, "--store", store_path)
    assert done.exit_code == 0, done.stderr
    assert f"begin at {folder / 'index.html'}" in done.stderr
    assert (folder / "index.html").is_file()
    (tmp_path / "file").write_text("")
    done = run("publish", tmp_path / "file", "--store", store_path)
    assert (done.exit_code, "is a file" in done.stderr) == (2, True)
