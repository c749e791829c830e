# SPDX-License-Identifier: Apache-2.0
"""The workflow files of the gate, run in a user's small repository.

The commands of its how-to run in test_page_commands.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from page_places import example

REPOSITORY = Path(__file__).resolve().parents[2]
HOW_TO = REPOSITORY / "docs" / "how-to"
ANSWERS = {0, 1, 5}
"""Exit codes of a check that measured; the machine decides which of them it is."""
COMPILE = f"cc -std=gnu11 -O2 -shared -fPIC -I{REPOSITORY / 'kernels' / 'include'}"


@pytest.fixture
def user(tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes two revisions of the example plugin."""
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")
    assert compiler
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.c").write_text(example("docs/how-to/measure-your-own-code.md", "c"))
    (tmp_path / "makefile").write_text(f"mine.so: mine.c\n\t{COMPILE} -o $@ $<\n")
    shell(
        "git init --quiet --initial-branch main && git add . && git commit --quiet -m one"
        " && git update-ref refs/remotes/origin/main HEAD"
        " && git switch --quiet -c change && sed -i s/1.0/1.1/ mine.c"
        " && git commit --quiet -am two"
    )
    return tmp_path


def shell(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as continuous integration does, with `joulemark` on the path."""
    who = {f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")}  # fmt: skip
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", script], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | who | {"PATH": path} | environment,
    )  # fmt: skip
    assert done.returncode in ANSWERS, done.stdout + done.stderr
    return done


def values(text: str, heading: str) -> dict[str, str]:
    """The variables of a workflow file that a user sets."""
    block = re.search(rf"^( *){heading}:\n((?:\1  .*\n)+)", text, flags=re.MULTILINE)
    assert block is not None
    pairs = (line.split(":", 1) for line in block[2].splitlines())
    return {
        name.strip(): value.split(" #")[0].strip().strip('"')
        for name, value in pairs
    }  # fmt: skip


def script_with(text: str, word: str) -> str:
    """The block of shell lines of a workflow file that holds a word."""
    blocks = re.findall(r"^( *)(?:run:|-) \|\n((?:\1  .*\n)+)", text, flags=re.MULTILINE)
    return next(textwrap.dedent(lines) for _, lines in blocks if word in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "heading", "branch", "summary"),
    [("github", "env", "GITHUB_BASE_REF", "summary.md"),
     ("gitlab", "variables", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "joulemark.md")],
)  # fmt: skip
def test_the_workflow_file(user: Path, name: str, heading: str, branch: str, summary: str) -> None:
    """The check of the workflow file finds both revisions and writes its files."""
    text = (HOW_TO / "ci" / f"{name}.yml").read_text("utf-8")
    script = script_with(text, "joulemark check").replace("check ", "check --budget 3 ", 1)
    home = {"JOULEMARK_HOME": str(REPOSITORY), branch: "main", "GITHUB_STEP_SUMMARY": "summary.md"}
    done = shell(script, **(values(text, heading) | home))
    answer = {0: "ok", 1: "regressed", 5: "(too noisy|at the threshold)"}[done.returncode]
    first = (user / summary).read_text().splitlines()[0]
    assert re.fullmatch(rf"\*\*{answer}(: .* allowed)?\*\*: HEAD against origin/main", first)
    assert len(ET.parse(user / "joulemark.xml").findall("testsuite/testcase")) == 2
    assert (user / "joulemark.json").exists()


def test_a_failing_check_fails_the_job(user: Path) -> None:
    """The pipe into a file does not hide the exit code, here that of a failed build."""
    assert user.is_dir()
    text = (HOW_TO / "ci" / "gitlab.yml").read_text("utf-8")
    script = script_with(text, "joulemark check")
    home = {"JOULEMARK_HOME": str(REPOSITORY), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    broken = values(text, "variables") | home | {"BUILD": "false"}
    done = shell(f"if ({script}); then exit 5; else test $? -eq 2; exit 1; fi", **broken)
    assert done.returncode == 1
    assert "'false' failed in origin/main" in done.stderr
