# SPDX-License-Identifier: Apache-2.0
"""The explorer only reads, and answers nobody but the user of this machine."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import many_runs
import pytest
from serving import Served

from joulemark.errors import StoreError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.server import POLICY
from joulemark.store.reading import open_for_reading
from joulemark.store.repository import Store


def test_store_refuses_writes(store_path: Path) -> None:
    """The database refuses writes, not only the program, and the file stays as it was."""
    before = hashlib.sha256(store_path.read_bytes()).hexdigest()
    with open_for_reading(str(store_path)) as store:
        assert len(store.runs()) == 19
        with pytest.raises(StoreError):
            store.delete_run(1)
        with pytest.raises(StoreError):
            store.finish_run(2)
        assert len(store.runs()) == 19
    assert hashlib.sha256(store_path.read_bytes()).hexdigest() == before


def test_what_is_measured_meanwhile_is_seen(tmp_path: Path) -> None:
    """A connection that only reads sees what another process commits."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=2, samples=100, machines=1)
    with open_for_reading(str(path)) as store, Store.open(path) as writer:
        assert len(store.run_states()) == 2
        writer.delete_run(1)
        assert store.run_states() == {2: True}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_no_method_writes(server: Served, method: str) -> None:
    """Every method but GET and HEAD is refused."""
    reply = server.ask("/runs/1", method)
    assert reply.status == 405
    assert reply.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:80",
     "user@127.0.0.1:{port}", "0.0.0.0:{port}", ""],
)  # fmt: skip
def test_other_hosts_are_refused(server: Served, host: str) -> None:
    """A foreign name that leads to this server is refused, and so is our name with another port."""
    reply = server.ask("/", headers={"Host": host.format(port=server.port)})
    assert reply.status in (400, 421)
    assert b"Newest runs" not in reply.body


def test_own_names_are_answered(server: Served) -> None:
    """The server answers to the names that the user may type."""
    for host in ("127.0.0.1", "localhost"):
        assert server.ask("/", headers={"Host": f"{host}:{server.port}"}).status == 200


@pytest.mark.parametrize("path", ["/", "/nothing", "/cores.csv", "/assets/vega.js", "/runs?page=x"])
def test_headers_forbid_the_rest(server: Served, path: str) -> None:
    """Every answer forbids inline scripts and styles, frames and guessed types."""
    headers = server.ask(path).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_unchanged_pages_are_not_sent_again(server: Served) -> None:
    """A browser that has the page gets status 304 without a body."""
    first = server.ask("/machines")
    again = server.ask("/machines", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert server.ask("/machines", "HEAD").body == b""


def test_estimates_follow_the_samples(tmp_path: Path) -> None:
    """A run whose samples changed has another content; a copy of a run has the same."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=2, samples=100, machines=1)
    with open_for_reading(str(path)) as store:
        first, second = store.outlines([1, 2])
        assert first.content != second.content
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE sample SET wall_ns = wall_ns + 1 WHERE trial_id = 1"
                               " AND round_index = 0 AND window_index = 0")  # fmt: skip
        assert store.outlines([1])[0].content != first.content
        assert store.outlines([2])[0].content == second.content


def test_a_view_estimates_what_it_needs(store_path: Path, tmp_path: Path) -> None:
    """Without kept estimates a run's page is complete at once, and lists say which figures lack."""
    from joulemark.explorer.estimates.kept import KeptEstimates
    from joulemark.explorer.views.routes import page_at

    with open_for_reading(str(store_path)) as store:
        kept = KeptEstimates(tmp_path / "kept.db")
        holdings = Holdings(store, kept)
        found = page_at(holdings, ("runs", "3", "hmac-sha1"), {})
        assert found is not None
        assert len(found.data) == 10
        assert holdings.pending() == 18
        home = page_at(holdings, (), {})
        assert home is not None
        lacking = f"({holdings.pending()} of the whole store)"
        assert 0 < holdings.pending() < 18
        assert any(lacking in " ".join(getattr(block, "sentences", ())) for block in home.parts)
        kept.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_where_no_cache_can_be_kept(
    store_path: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Estimates lie in a temporary folder, which goes when the explorer ends, by either signal."""
    temporary, home = tmp_path / "tmp", tmp_path / "home"
    temporary.mkdir()
    home.write_text("no folder, so nothing can be kept in it\n")
    with subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "explore", "--store", str(store_path),
         "--port", "0"],
        env={**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(home)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        while (found := re.search(r"http://\S+", process.stdout.readline())) is None:
            assert process.poll() is None
        with urlopen(found[0], timeout=60) as page:  # so the server heeds signals by now
            assert page.status == 200
        assert [path.name[:19] for path in temporary.iterdir()] == ["joulemark-explorer-"]
        process.send_signal(number)
        try:
            assert process.wait(60) in {0, 128 + number, -number}
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []
