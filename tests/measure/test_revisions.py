# SPDX-License-Identifier: Apache-2.0
"""Two revisions of a repository, built apart, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from joulemark.errors import JoulemarkError, UsageError
from joulemark.measure.revisions import Recipe, built_revisions

COPY = Recipe("HEAD~1", "HEAD", "cp source lib.so", "lib.so")


def git(folder: Path, *words: str) -> str:
    """The output of a git command that runs with an author's name."""
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def need_git() -> None:
    """Skips where git is not installed."""
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of a file `source`."""
    need_git()
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for content in ("one", "two"):
        (folder / "source").write_text(content)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", content)
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """The folder in which worktrees are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_each_revision_is_built_apart(repository: Path, scratch: Path) -> None:
    """Old and new have their own content, in folders of equally long names; then all is gone."""
    with built_revisions(repository, COPY, scratch) as (old, new):
        assert (old.read_text(), new.read_text()) == ("one", "two")
        assert len(str(old)) == len(str(new))
    assert list(scratch.iterdir()) == []
    assert len(git(repository, "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize("changed", [False, True])
def test_the_working_tree_is_the_new_code_unless_told(
    repository: Path, scratch: Path, *, changed: bool
) -> None:
    """The new code is the working tree with its uncommitted changes, and no file there changes."""
    if changed:
        (repository / "source").write_text("three")
    recipe = Recipe("HEAD", None, COPY.command, COPY.artifact)
    with built_revisions(repository, recipe, scratch) as (old, new):
        assert (old.read_text(), new.read_text()) == ("two", "three" if changed else "two")
    assert git(repository, "stash", "list") == ""
    assert git(repository, "status", "--short").split() == (["M", "source"] if changed else [])


@pytest.mark.parametrize(
    ("recipe", "kind", "says"),
    [
        (Recipe("nonsense", "HEAD", "true", "x"), UsageError, "--old-rev nonsense"),
        (Recipe("HEAD", "--all", "true", "x"), UsageError, "--new-rev --all"),
        (Recipe("HEAD", None, "echo first; echo why; exit 3", "x"), JoulemarkError,
         "failed in HEAD (exit code 3); it said last: first / why"),
        (Recipe("HEAD", None, "touch made; false", "x"), JoulemarkError,
         "failed in HEAD (exit code 1); it said nothing"),
        (Recipe("HEAD", None, "true", "lib.so"), JoulemarkError, "made no lib.so in HEAD"),
        (Recipe("HEAD", None, "ln -s /etc/passwd lib.so", "lib.so"), JoulemarkError,
         "in HEAD this is a link to /etc/passwd, outside the checkout"),
        (Recipe("HEAD", None, "ln -s .. up; cp source ../out.so", "up/out.so"), JoulemarkError,
         "outside the checkout"),
    ],
)  # fmt: skip
def test_what_cannot_be_built_says_why(
    repository: Path, scratch: Path, recipe: Recipe, kind: type[JoulemarkError], says: str
) -> None:
    """The error names the unknown revision, the failed command's last lines or the artifact."""
    with pytest.raises(kind) as refusal, built_revisions(repository, recipe, scratch):
        pass
    assert says in str(refusal.value)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "artifact",
    ["/tmp/lib.so", "../lib.so", "../../../../etc/passwd", "a/../../lib.so", ".", "a/.."],
)
def test_an_artifact_outside_the_checkout_is_refused(artifact: str) -> None:
    """A path that leaves the checkout is refused before anything is built."""
    with pytest.raises(UsageError, match="not below the root of a checkout"):
        Recipe("HEAD~1", "HEAD", "true", artifact)


@pytest.mark.parametrize("end", ["cp source lib.so", "exit 1"])
def test_what_a_build_left_running_ends_with_it(
    repository: Path, scratch: Path, tmp_path: Path, end: str
) -> None:
    """A child in the background, and a daemon in a session of its own, end with the build."""
    left = "echo $$ >> ../../../left; exec sleep 300"
    command = (
        f"sh -c '{left}' & env -i PATH=$PATH setsid sh -c '{left}' > /dev/null 2>&1 & "
        f"while [ $(cat ../../../left 2> /dev/null | wc -w) -lt 2 ]; do sleep 0.05; done; {end}"
    )
    recipe = Recipe("HEAD", "HEAD", command, "lib.so")
    with suppress(JoulemarkError), built_revisions(repository, recipe, scratch):
        pass
    numbers = (tmp_path / "left").read_text().split()
    assert len(numbers) >= 2
    assert not [number for number in numbers if Path(f"/proc/{number}").exists()]


def test_a_folder_that_is_no_repository(scratch: Path, tmp_path: Path) -> None:
    """The error is git's sentence."""
    need_git()
    with (
        pytest.raises(UsageError, match="not a git repository"),
        built_revisions(tmp_path, COPY, scratch),
    ):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_nothing_that_stays(
    repository: Path, scratch: Path, number: signal.Signals
) -> None:
    """A run that is told to end removes its folders; those of a killed run the next run removes."""
    command = [sys.executable, "-m", "joulemark.cli.entry", "check", "--old-rev", "HEAD~1",
               "--build", "sleep 20", "--artifact", "x"]  # fmt: skip
    environment = os.environ | {"TMPDIR": str(scratch)}
    process = subprocess.Popen(command, cwd=repository, env=environment)
    deadline_s = time.monotonic() + 60  # a busy machine starts Python slowly
    while not list(scratch.glob("*/old/source")):
        assert time.monotonic() < deadline_s
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(timeout=20)
    if number == signal.SIGKILL:
        assert list(scratch.glob("*/old"))
        with built_revisions(repository, COPY, scratch):
            assert len(list(scratch.glob("*/old"))) == 1
    assert not list(scratch.glob("*/old"))
    assert len(git(repository, "worktree", "list").splitlines()) == 1
