# SPDX-License-Identifier: Apache-2.0
"""Every option that a message or a document names is an option of some command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from joulemark.analyse import gate
from joulemark.cli.app import app

REPOSITORY = Path(__file__).resolve().parents[2]
WORD = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
DOCUMENTS = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
OTHERS = {
    "--assert": "verilator",
    "--binary": "verilator",
    "--cflags": "pkg-config",
    "--config": "joulemark.meters.simulated",
    "--dumptasks": "sby",
    "--eval": "make",
    "--install": "cmake",
    "--libs": "pkg-config",
    "--no-route": "nextpnr",
    "--options": "joulemark.meters.simulated",
    "--output-split": "verilator",
    "--output-split-cfuncs": "verilator",
    "--prefix": "cmake",
    "--pwprompt": "createuser",
    "--remove": "joulemark.meters.simulated",
    "--resources": "dask",
    "--root": "joulemark.meters.simulated",
    "--sdf": "nextpnr",
    "--security-opt": "docker",
    "--timing": "verilator",
    "--toolchain": "cmake",
    "--top": "verilator",
    "--unshallow": "git",
    "--variable": "pkg-config",
    "--watch": "joulemark.meters.simulated",
}
"""Options of other programs, with the program's name, which must stand nearby."""


def options_of(command: Any) -> set[str]:
    """Every option of a command and its subcommands."""
    own = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return own.union(*(options_of(entry) for entry in getattr(command, "commands", {}).values()))


@cache
def known() -> set[str]:
    """Every option of `joulemark`; found on demand, since that imports all commands."""
    return options_of(get_command(app)) | {"--help"}


def messages(source: Path) -> Iterator[str]:
    """Texts of a source file that may be sentences: those with a space."""
    tree = ast.parse(source.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def unknown(text: str) -> list[str]:
    """Words in the form of an option that neither our commands nor listed programs take."""
    return [word for word in WORD.findall(text) if word not in known() | OTHERS.keys()]


def test_options_are_found() -> None:
    """Options of a command and a subcommand are known, and a false option is not."""
    assert {"--threshold", "--old", "--liberty"} <= known()
    assert unknown("use --generations, --rounds or --no-such-thing") == [
        "--generations",
        "--no-such-thing",
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_options_that_exist(document: Path) -> None:
    """Every option in prose and commands of a document exists."""
    assert unknown(document.read_text("utf-8")) == []


def test_messages_name_options_that_exist() -> None:
    """Every option in a refusal or a help text exists."""
    wrong = {
        f"{path.relative_to(REPOSITORY)}: {text}"
        for path in sorted((REPOSITORY / "src" / "joulemark").rglob("*.py"))
        for text in messages(path)
        if unknown(text)
    }
    assert not wrong


def test_the_advice_of_the_gate_names_options() -> None:
    """Options in the advice of the gate are those of the command that it is about."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    takes = options_of(commands["check"])
    assert set(WORD.findall(gate.ADVICE_BUILDS)) <= takes
    assert set(WORD.findall(gate.ADVICE_RUNS)) <= takes | options_of(commands["bench"])
    assert "--budget" in gate.ADVICE_BUILDS
    assert "--rounds" in gate.ADVICE_RUNS
