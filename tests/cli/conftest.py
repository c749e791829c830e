# SPDX-License-Identifier: Apache-2.0
"""Fixtures that run `joulemark` in this process and in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from joulemark.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, quick_workers: None) -> Run:
    """`run("list", "--json", input=b"")` runs in an empty folder, without settings of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JOULEMARK_STORE", raising=False)
    for name in ("JOULEMARK_DEBUG", "JOULEMARK_SYSFS", "JOULEMARK_PROC"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: object, **more: Any) -> Result:
        return CliRunner().invoke(
            app, [str(argument) for argument in arguments], prog_name="joulemark", **more
        )

    return call


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Runs a command that must be refused (exit code 2, no output); returns its one line."""

    def call(*arguments: object, **more: Any) -> str:
        result = run(*arguments, **more)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("joulemark: ")
        assert "Traceback" not in lines[0]
        return lines[0]

    return call


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the real command in a separate process."""

    def call(*arguments: object, **more: Any) -> subprocess.CompletedProcess[bytes]:
        line = [
            sys.executable,
            "-m",
            "joulemark.cli.entry",
            *(str(argument) for argument in arguments),
        ]
        more = {"env": os.environ.copy(), "timeout": 60, **more}
        return subprocess.run(line, capture_output=True, check=False, **more)

    return call


@pytest.fixture
def key_file(tmp_path: Path) -> Callable[..., Path]:
    """Makes a key file that its owner alone may read."""

    def make(content: bytes, name: str = "key", mode: int = 0o600) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    return make
