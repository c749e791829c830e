# SPDX-License-Identifier: Apache-2.0
"""A scheduler and a worker that talk by TLS alone, with certificates of a made-up authority.

Certificates are made by the program `openssl`; without it the tests are skipped by name.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_fleet import SmallFleet
from typer.testing import CliRunner

from joulemark.cli.app import app

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="no openssl; apt-get install openssl"
)


def openssl(folder: Path, *words: str) -> None:
    """Runs the program in a folder."""
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> None:
    """`name.pem`, which signs others, and its key."""
    openssl(
        folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem",
    )  # fmt: skip


def make_member(folder: Path, authority: str, name: str) -> None:
    """`name.pem`: a certificate that an authority signed, and its key."""
    key, request, signed = (folder / f"{name}.{text}" for text in ("key", "csr", "crt"))
    openssl(
        folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(request),
    )  # fmt: skip
    openssl(
        folder, "x509", "-req", "-in", str(request), "-CA", f"{authority}.pem", "-CAkey",
        f"{authority}.key", "-CAcreateserial", "-days", "2", "-out", str(signed),
    )  # fmt: skip
    (folder / f"{name}.pem").touch(0o600)
    (folder / f"{name}.pem").write_bytes(signed.read_bytes() + key.read_bytes())


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[SmallFleet]:
    """A scheduler behind TLS without workers, and a certificate of another authority."""
    make_authority(tmp_path, "ours")
    make_authority(tmp_path, "theirs")
    make_member(tmp_path, "ours", "member")
    make_member(tmp_path, "theirs", "stranger")
    (tmp_path / "text.pem").touch(0o600)
    (tmp_path / "text.pem").write_text("no certificate\n")
    made = SmallFleet(tmp_path, "--tls-ca-file", "ours.pem", "--tls-cert", "member.pem")
    try:
        yield made
    finally:
        made.end()


def test_with_the_right_certificate_alone(
    encrypted: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker comes and is listed; all others are refused in one sentence, with exit code 2."""
    monkeypatch.chdir(encrypted.folder)
    assert encrypted.address.startswith("tls://127.0.0.1:")
    encrypted.worker("one")
    plain = encrypted.address.replace("tls:", "tcp:")
    stranger = ("--tls-ca-file", "ours.pem", "--tls-cert", "stranger.pem")
    text = ("--tls-ca-file", "ours.pem", "--tls-cert", "text.pem")
    asked = {
        "member": (("workers", "--scheduler", encrypted.address, *encrypted.tls), ""),
        "without": (("workers", "--scheduler", encrypted.address), "name --fleet-keys, or"),
        "plain": (("workers", "--scheduler", plain, "--without-keys"), "has an address with tls"),
        "mixed": (("workers", "--scheduler", plain, *encrypted.tls), "a scheduler without keys"),
        "stranger": (("workers", "--scheduler", encrypted.address, *stranger), "must be signed by"),
        "text": (("workers", "--scheduler", encrypted.address, *text), "no certificates in PEM"),
        "worker": (("worker", encrypted.address, *stranger), "must be signed by"),
        "bare": (("worker", encrypted.address), "name --fleet-keys, or"),
    }
    for name, (words, sentence) in asked.items():
        done = CliRunner().invoke(app, ["fleet", *words], prog_name="joulemark")
        assert sentence in done.stderr, name
        if sentence:
            assert done.exit_code == 2, name
            assert (done.stdout, done.stderr.count("\n")) == ("", 1), name
        else:
            assert done.exit_code == 0, done.stderr
            assert "1 of this build" in done.stdout
