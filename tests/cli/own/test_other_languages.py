# SPDX-License-Identifier: Apache-2.0
"""The page on C++, Rust, Go and Zig: its files are written and its commands run, as they stand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PAGE = Path("docs/how-to/measure-other-languages.md")
FILE = re.compile(r"`([\w./]+)`[^`\n]*:\n\n```\w+\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
Run = Callable[..., Any]


def section(repository: Path, language: str) -> str:
    """The part of the page on a language."""
    text = (repository / PAGE).read_text("utf-8")
    return text.partition(f"\n## {language}\n")[2].partition("\n## ")[0]


def follow(text: str, folder: Path, run: Run) -> Any:
    """Writes the files of a section, runs its commands, and returns the result of the last."""
    for name, content in FILE.findall(text):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
    [commands] = COMMANDS.findall(text)
    result = None
    for command in commands.strip().splitlines():
        if command.startswith("joulemark "):
            result = run(*shlex.split(command)[1:])
        else:
            subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)
    return result


def needs(program: str) -> None:
    """Skips where the language is not installed, or only a name that would fetch it."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} on the PATH")
    word = "--version" if program in {"g++", "cargo"} else "version"
    if subprocess.run([program, word], capture_output=True, check=False, timeout=60).returncode:
        pytest.skip(f"{program} does not run here")


@pytest.mark.parametrize(("language", "program", "name"), [
    ("C++", "g++", "siphash-2-4/cxx"),
    ("Rust", "cargo", "siphash-2-4/rust"),
    ("Go", "go", "hmac-sha256/go"),
])  # fmt: skip
def test_the_example_of_a_language_is_right(
    repository: Path, run: Run, language: str, program: str, name: str
) -> None:
    """What the page says for a language gives an implementation that is right and kept."""
    needs(program)
    result = follow(section(repository, language), Path.cwd(), run)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{name} is right and kept: ")
    again = run("test", name)
    assert again.exit_code == 0, again.output


@pytest.mark.exhaustive
def test_the_example_of_zig_is_right(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for Zig, from the package ziglang where no other is installed."""
    found = find_spec("ziglang")
    if found is not None and found.origin is not None:
        beside = str(Path(found.origin).parent)
        monkeypatch.setenv("PATH", f"{beside}{os.pathsep}{os.environ['PATH']}")
    needs("zig")
    result = follow(section(repository, "Zig"), Path.cwd(), run)
    assert result.exit_code == 0, result.output
