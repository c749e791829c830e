# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md: its index, and its commands in a checkout that is new."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from page_text import REPOSITORY, commands_of

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
INDEX = TEXT.partition("\n## ")[0]


def anchor(heading: str) -> str:
    """The fragment that a link to a heading has."""
    return "#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_index_is_the_headings() -> None:
    """The index links each part once, in the order of the page."""
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert re.findall(r"\]\((#[^)]+)\)", INDEX) == [anchor(heading) for heading in headings]


def begin_with() -> list[str]:
    """The commands with which the page tells a newcomer to begin."""
    begin = [line for line in commands_of("CONTRIBUTING.md") if line.startswith(("make", ".venv"))]
    assert [line.split()[0] for line in begin[:2]] == ["make", ".venv/bin/python"]
    return begin[:2]


def test_the_first_commands_bring_what_they_need() -> None:
    """The first verb would install the package and the locked tools, and the second names a test.

    Make is asked what it would do for a `.venv` that is not there.
    """
    first, second = begin_with()
    verb = first.split()[1]
    would = subprocess.run(
        ["make", "--dry-run", verb, "VENV=build/no-such-environment", f"PYTHON={sys.executable}"],
        cwd=REPOSITORY, env=without_make(), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "-m venv build/no-such-environment" in would
    assert re.search(r" install .*--no-build-isolation [^;]*?\.$", would, re.MULTILINE | re.DOTALL)
    (lock,) = re.findall(r"-r (requirements/dev\.lock)", would)
    module, file = second.split()[2:]
    assert f"\n{module}==" in (REPOSITORY / lock).read_text("utf-8")
    assert (REPOSITORY / file).is_file()


@pytest.mark.exhaustive
@pytest.mark.timeout(5400)
def test_the_first_commands_run_in_a_fresh_clone(tmp_path: Path) -> None:
    """A clone of the last commit, with the first commands as they stand."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("this is no git checkout")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, clone], check=True)
    path = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if ".venv" not in folder
    )
    for command in begin_with():
        done = subprocess.run(command, shell=True, cwd=clone, env={**without_make(), "PATH": path},
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert re.search(r"\d+ passed", done.stdout)


def without_make() -> dict[str, str]:
    """The environment, without what a `make` that runs these tests tells the makes below it."""
    ours = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def test_every_verb_of_make_is_there() -> None:
    """A `make VERB` in README.md or here is a target with a line in `make help`."""
    verbs = set()
    for page in ("README.md", "CONTRIBUTING.md"):
        verbs |= set(
            re.findall(
                r"(?:`|^)make ([a-z-]+)", (REPOSITORY / page).read_text("utf-8"), re.MULTILINE
            )
        )
    shown = subprocess.run(["make", "help"], cwd=REPOSITORY, env=without_make(),
                           capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert verbs
    assert verbs - {line.split()[0] for line in shown.splitlines()} == set()


def test_an_editable_install_is_refused_in_one_sentence() -> None:
    """Pip ends with an error and the sentence, in place of a program that lacks its files."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-build-isolation",
         "--no-index", "--editable", REPOSITORY],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    (line,) = [line for line in output.splitlines() if "editable install" in line]
    assert line.strip() == (
        "Joulemark has no editable install, since what is measured must be what users get: run "
        "'make dev', and after a change 'make setup' (docs/decisions/0002-wheel-not-editable.md)."
    )


@pytest.mark.parametrize(
    ("name", "answers", "says"),
    [
        ("python3", "sys.version_info: 1", "python3 is Python 3.9.2, and Joulemark needs 3.11 or"),
        ("python3", "ensurepip: 1", "the venv module of python3 not found; on Debian or Ubuntu"),
        ("python3", "ensurepip: 1", "apt-get install python3-venv"),
        ("python3.13", "ensurepip: 1", "apt-get install python3.13-venv"),
        ("python3.13", "Python.h: 1", "apt-get install python3.13-dev"),
        ("python3.12", "", ""),
    ],
)
def test_a_missing_tool_is_named_with_its_package(
    name: str, answers: str, says: str, tmp_path: Path
) -> None:
    """A stand-in for Python lacks one thing; the package named is that of the same Python."""
    lacks, _, code = answers.partition(": ")
    stand_in = tmp_path / name
    stand_in.write_text(
        f'#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2\n'
        f"case \"$*\" in *'{lacks or 'nothing'}'*) exit {code or 0} ;; esac\n"
    )
    stand_in.chmod(0o755)
    done = subprocess.run(
        ["sh", "tools/check_tools.sh", name], cwd=REPOSITORY, capture_output=True, text=True,
        check=False, env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == bool(says), done.stderr
    assert len(done.stderr.splitlines()) == bool(says)
    assert says in done.stderr
