# SPDX-License-Identifier: Apache-2.0
"""Parts of the fleet that need no cluster: builds, turns, addresses, files of TLS, refusals."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from distributed.security import Security
from small_fleet import COMMAND
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.cli.table import lacking
from joulemark.errors import UsageError
from joulemark.fleet import Member, alone, beside_others, build_digest, own_build, why_refused
from joulemark.fleet.serving import (
    LOOPBACK,
    Tls,
    checked_address,
    is_loopback,
    local_cluster,
    serve_worker,
    write_keys,
)


class _GaveUpError(Exception):
    """Raised in place of a wait for a turn."""


def give_up() -> None:
    """Refuses to wait for a turn."""
    raise _GaveUpError


def test_a_build_is_every_byte_and_name(tmp_path: Path) -> None:
    """Files that Python caches are no part of a build."""
    package = tmp_path / "package"
    (package / "__pycache__").mkdir(parents=True)
    (package / "one.py").write_text("1")
    (package / "_core.so").write_bytes(b"\x7fELF")
    first = build_digest(package)
    (package / "__pycache__" / "one.pyc").write_text("cached")
    assert build_digest(package) == first
    (package / "_core.so").write_bytes(b"\x7fELf")
    changed = build_digest(package)
    assert changed != first
    (package / "one.py").rename(package / "two.py")
    assert build_digest(package) not in {first, changed}


def test_another_build_is_refused_by_name() -> None:
    """The sentence names worker, machine and both builds."""

    def member(build: str) -> Member:
        return Member("tcp://192.0.2.8:1", "w1", "lab7", build, "0.1.0", 1, measures=True)

    assert why_refused(member(own_build())) is None
    why = why_refused(member("0" * 64)) or ""
    assert why.startswith("worker w1 of machine lab7 runs another build, 000000000000 ")
    assert own_build()[:12] in why


def test_who_measures_is_alone(tmp_path: Path) -> None:
    """Several reports may run together, but never during a measurement."""
    with (
        beside_others(give_up, tmp_path),
        beside_others(give_up, tmp_path),
        pytest.raises(_GaveUpError),
        alone(give_up, tmp_path),
    ):
        pass
    with alone(give_up, tmp_path):
        for other in (alone, beside_others):
            with pytest.raises(_GaveUpError), other(give_up, tmp_path):
                pass
    with alone(give_up, tmp_path):
        pass


def test_who_waits_to_measure_holds_the_door(tmp_path: Path) -> None:
    """Reports that come later do not start before a waiting measurement."""
    waits, ends = threading.Event(), threading.Event()

    def measure() -> None:
        with alone(waits.set, tmp_path):
            ends.set()

    with beside_others(give_up, tmp_path):
        thread = threading.Thread(target=measure)
        thread.start()
        assert waits.wait(10)
        with pytest.raises(_GaveUpError), beside_others(give_up, tmp_path):
            pass
    assert ends.wait(10)
    thread.join()


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "udp://h:1", "tcp://h:x", "h:99999"])
def test_addresses_that_are_none(address: str) -> None:
    """Each address is refused in one sentence with an example."""
    with pytest.raises(UsageError, match=r"tls://127\.0\.0\.1:8786"):
        checked_address(address, Tls())


def test_loopback() -> None:
    """A loopback address is recognised with protocol and port or without."""
    for text in ("127.0.0.1", "tcp://127.0.0.1:8786", "tls://[::1]:1", "localhost:8786"):
        assert is_loopback(text), text
    for text in ("0.0.0.0", "192.0.2.7", "tcp://lab:8786", "tls://[2001:db8::1]:1"):
        assert not is_loopback(text), text


def test_a_cluster_takes_no_port_that_has_a_name() -> None:
    """Two clusters of one machine, or another program's Dask, therefore do not meet."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # somebody else has it, which serves as well
            taken.bind((LOOPBACK, 8787))
            taken.listen()
        with local_cluster(0) as client:
            assert client.scheduler_info()["workers"] == {}


def test_a_worker_on_loopback_is_out_of_reach(tmp_path: Path) -> None:
    """A scheduler elsewhere would not reach such a worker, so the host must be named."""
    with pytest.raises(UsageError, match="--host"):
        serve_worker("tcp://192.0.2.7:8786", name="w", machine=None, threads=1, host=None,
                     tls=Tls(without_keys=True), ready=print)  # fmt: skip


def test_a_port_that_is_taken() -> None:
    """A scheduler that cannot listen says where, and why."""
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = str(taken.getsockname()[1])
        words = [*COMMAND, "scheduler", "--port", port, "--without-keys"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"--port {port}: nothing can listen there ([Errno 98]" in done.stderr


def test_files_of_tls(tmp_path: Path) -> None:
    """The files come together, exist and are certificates; test_fleet_tls.py has valid ones."""
    ca, cert = tmp_path / "ca.pem", tmp_path / "cert.pem"
    with pytest.raises(UsageError, match="both --tls-ca-file and --tls-cert"):
        Tls(ca_file=ca).security()
    ca.touch()
    with pytest.raises(UsageError, match="no such file"):
        Tls(ca, cert).security()
    cert.touch(0o600)
    with pytest.raises(UsageError, match="no certificates in PEM form"):
        Tls(ca, cert).security()
    made = tmp_path / "fleet.pem"
    write_keys(made)
    assert made.stat().st_mode & 0o777 == 0o600
    assert Tls(made, made).security_for("tls://h:1").require_encryption
    with pytest.raises(UsageError, match="exclude one another"):
        Tls(made, made, without_keys=True).security_for("tls://h:1")
    with pytest.raises(UsageError, match="cannot be made"):
        write_keys(made)
    made.chmod(0o604)
    with pytest.raises(UsageError, match="every user of this machine can read the key"):
        Tls(made, made).security()


def test_a_stranger_reaches_no_member_of_a_local_cluster() -> None:
    """Each port at which a process of the cluster listens refuses others' keys and no keys.

    Another user of the machine could otherwise have a worker run any code.
    """
    with local_cluster(1) as client:
        assert client.submit(os.getppid).result(60) > 0
        own = psutil.Process()
        ports = {
            connection.laddr.port
            for process in (own, *own.children(recursive=True))
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        }
        assert int(client.scheduler_info()["address"].rpartition(":")[2]) in ports
        assert len(ports) >= 3  # scheduler, nanny, worker
        for port in ports:
            assert heard(port, None) == b"", port
            assert heard(port, Security.temporary()) == b"", port
        assert heard(
            int(client.scheduler_info()["address"].rpartition(":")[2]), client.security, 30.0
        )


def heard(port: int, keys: Security | None, patience_s: float = 1.0) -> bytes:
    """What a member says to a new connection: Dask greets whoever it takes."""
    with socket.create_connection((LOOPBACK, port), timeout=patience_s) as plain:
        try:
            if keys is None:
                return plain.recv(1)
            context = keys.get_connection_args("client")["ssl_context"]
            with context.wrap_socket(plain) as encrypted:
                return bytes(encrypted.recv(1))
        except (ssl.SSLError, TimeoutError, ConnectionError):
            return b""


@pytest.mark.parametrize(
    "words",
    [
        ("fleet", "scheduler", "--port", "0"),
        ("fleet", "scheduler", "--port", "0", "--host", "0.0.0.0"),
        ("fleet", "worker", "tcp://127.0.0.1:1"),
        ("fleet", "workers", "--scheduler", "tcp://127.0.0.1:1"),
        ("fleet", "bench", "siphash-2-4", "--quick", "--scheduler", "tcp://h:1"),
        ("core", "sweep", "siphash", "--target", "generic", "--scheduler", "tcp://127.0.0.1:1"),
    ],
)  # fmt: skip
def test_nothing_starts_without_keys(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence says who could run code, how keys are made, and the option without keys."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*words], prog_name="joulemark")
    assert done.exit_code == 2, done.output
    assert done.stderr.count("\n") == 1
    for text in ("runs code as you", "joulemark fleet keys FILE", "--without-keys"):
        assert text in done.stderr


def test_without_dask() -> None:
    """The sentence names the extra and its command."""
    error = ModuleNotFoundError("No module named 'distributed'", name="distributed")
    assert (lacking(error) or "").endswith("pip install 'joulemark[fleet]'")
