# SPDX-License-Identifier: Apache-2.0
"""The files of the gate for GitHub and GitLab, run in a user's small repository.

The commands of its how-to run in test_page_commands.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from page_places import write_library

REPOSITORY = Path(__file__).resolve().parents[2]
CI = REPOSITORY / "docs" / "how-to" / "ci"
ACTION = CI / "joulemark-check" / "action.yml"
ANSWERS = {0, 1, 5}
"""Exit codes of a check that measured; the machine decides which of them it is."""
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
SERVER = """#!/bin/sh
echo "$0 $*" >> "$CALLS"
case "$*" in *--paginate*) echo "$OLD_COMMENT" ;; esac
"""
"""Stands in for gh and curl, which nothing outside answers here."""


def load(path: Path) -> Any:
    """The content of a file in YAML."""
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.fixture
def user(tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes two revisions of a small library, the new one twice as slow."""
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")
    assert compiler
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write_library(folder)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("gh", "curl"):
        (programs / name).write_text(SERVER, "utf-8")
        (programs / name).chmod(0o755)
    script(
        "git init --quiet --initial-branch main && git add . && git commit --quiet -m one"
        " && git update-ref refs/remotes/origin/main HEAD && git switch --quiet -c change"
        " && sed -i 's/turn < 1/turn < 2/' src/fastsip.c && git commit --quiet -am two"
    )
    return folder


def script(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as continuous integration does, with `joulemark` on the path."""
    who = {f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")}  # fmt: skip
    path = f"{Path.cwd().parent / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {"CALLS": str(Path.cwd().parent / "calls"), "OLD_COMMENT": ""} | environment
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text], check=False,
        capture_output=True, text=True, timeout=120, env=os.environ | who | {"PATH": path} | given,
    )  # fmt: skip


def calls() -> list[str]:
    """Calls of gh and curl."""
    path = Path.cwd().parent / "calls"
    return path.read_text().splitlines() if path.exists() else []


def steps(given: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The steps of the action by name, with values of a workflow in place of expressions."""
    action = load(ACTION)
    assert given.keys() <= action["inputs"].keys()
    needed = {name for name, facts in action["inputs"].items() if facts.get("required")}
    assert needed <= given.keys()
    defaults = {name: facts.get("default", "") for name, facts in action["inputs"].items()}
    known = {f"inputs.{name}": value for name, value in (defaults | given).items()}
    known |= {"github.event.pull_request.number": "7", "steps.check.outputs.code": "CODE"}
    found = {}
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        environment = {
            name: EXPRESSION.sub(lambda word: known[word[1]], value)
            for name, value in step["env"].items()
        }
        found[step["name"]] = step | {"env": environment}
    return found


def of_workflow() -> dict[str, str]:
    """The values that the workflow gives to the action."""
    (job,) = load(CI / "github.yml")["jobs"].values()
    calls_of_ours = [step for step in job["steps"] if step["uses"].startswith("./")]
    (call,) = calls_of_ours
    assert call["uses"] == f"./.github/actions/{ACTION.parent.name}"
    return dict(call["with"])


def test_the_action(user: Path) -> None:
    """It measures both revisions, writes summary, files and comment, and ends with the answer."""
    known = steps(of_workflow() | {"budget": "1s", "size": "64"})
    github = {"GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": "../summary.md",
              "GITHUB_OUTPUT": "../output", "GITHUB_REPOSITORY": "me/mine"}  # fmt: skip
    done = script(known["Check"]["run"], **(known["Check"]["env"] | github))
    assert done.returncode == 0, done.stderr
    code = int((user.parent / "output").read_text().removeprefix("code="))
    assert code in ANSWERS
    summary = (user.parent / "summary.md").read_text()
    answer = {0: "ok", 1: "regressed", 5: "(too noisy|at the threshold)"}[code]
    assert re.match(rf"\*\*{answer}(: .* allowed)?\*\*: HEAD against origin/main\n", summary)
    assert "```text" in summary
    assert len(ET.parse("joulemark.xml").findall("testsuite/testcase")) == 1
    assert Path("joulemark.json").exists()
    comment = known["Comment"]
    for old_comment in ("", "12"):
        done = script(comment["run"], **(comment["env"] | github | {"OLD_COMMENT": old_comment}))
        assert done.returncode == 0, done.stderr
    listed, new, again, changed = calls()
    assert listed == again
    assert "gh api --paginate repos/me/mine/issues/7/comments --jq" in listed
    assert "gh api --method POST repos/me/mine/issues/7/comments --field body=@" in new
    assert "gh api --method PATCH repos/me/mine/issues/comments/12 --field body=@" in changed
    assert Path("joulemark-comment.md").read_text().startswith("<!-- joulemark check -->\n**")
    for answered, ends in (("6", 0), (str(code), code), ("2", 2)):
        assert script(known["Answer"]["run"], CODE=answered).returncode == ends


@pytest.mark.parametrize(
    ("changed", "code"),
    [({}, None), ({"FUNCTION": "nothing_there"}, 2)],
    ids=["answers", "refused"],
)
def test_the_job_of_gitlab(user: Path, changed: dict[str, str], code: int | None) -> None:
    """It measures both revisions, writes its files, and ends with the answer; a refusal too."""
    job = load(CI / "gitlab.yml")["joulemark"]
    (lines,) = job["script"]
    given = job["variables"] | {
        "BUDGET": "1s", "SIZE": "64", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "JOULEMARK_TOKEN": "secret", "CI_API_V4_URL": "https://gitlab/api/v4",
        "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "5",
    }  # fmt: skip
    done = script(lines, **(given | changed))
    assert done.returncode in (ANSWERS if code is None else {code}), done.stdout + done.stderr
    assert {"joulemark.md", "joulemark.xml"} <= {path.name for path in user.iterdir()}
    first = (user / "joulemark.md").read_text().splitlines()[0]
    assert first.startswith("**")
    assert ("HEAD against origin/main" in first) == (code is None)
    (call,) = calls()
    assert call.endswith("https://gitlab/api/v4/projects/3/merge_requests/5/notes")
    assert "--data-urlencode body@joulemark.md" in call


@pytest.mark.parametrize(
    ("wheel", "wanted"),
    [("dist/j.whl", "dist/j.whl[lab]"), ("https://x/j.whl", "joulemark[lab] @ https://x/j.whl")],
)
def test_a_wheel_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wheel: str, wanted: str
) -> None:
    """Joulemark comes from a wheel with what measuring needs; no compiler is there for it."""
    monkeypatch.chdir(tmp_path)
    pip = tmp_path / "joulemark/bin/pip"
    pip.parent.mkdir(parents=True)
    pip.write_text('#!/bin/sh\necho pip "$@" >> calls\n', "utf-8")
    pip.chmod(0o755)
    install = steps({"wheel": wheel})["Install Joulemark"]
    text = install["run"].replace('python3 -m venv "$RUNNER_TEMP/joulemark"\n', "")
    home = {"RUNNER_TEMP": str(tmp_path), "GITHUB_PATH": "path"}
    done = script(text, **(install["env"] | home))
    assert done.returncode == 0, done.stderr
    job = load(CI / "gitlab.yml")["joulemark"]["before_script"]
    packages, _, of_gitlab = job
    assert "g++" not in packages
    assert "make" not in packages
    of_gitlab = of_gitlab.replace("/opt/joulemark/bin/", "joulemark/bin/")
    assert script(of_gitlab, JOULEMARK_WHEEL=wheel).returncode == 0
    assert (tmp_path / "calls").read_text().splitlines() == [f"pip install --quiet {wanted}"] * 2


def test_nothing_points_to_an_example(user: Path) -> None:
    """No address in the files stands for another, and every file that they name is in the page."""
    assert user.is_dir()
    for path in (ACTION, CI / "github.yml", CI / "gitlab.yml"):
        assert "example." not in path.read_text("utf-8")
    page = (REPOSITORY / "docs/how-to/gate-a-pull-request.md").read_text("utf-8")
    assert all(f"(ci/{name})" in page for name in ("github.yml", "gitlab.yml",
                                                   "joulemark-check/action.yml"))  # fmt: skip
