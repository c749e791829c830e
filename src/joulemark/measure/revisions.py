# SPDX-License-Identifier: Apache-2.0
"""Two revisions of a user's repository, each built by the user's command in a separate folder.

Each revision is checked out as a git worktree in a temporary folder, `old` and `new`: names of
one length, since paths end up in compiled code. The folder is locked, and folders of killed runs
are removed by the next run.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.foreign import visible
from joulemark.processes.tool import ask_tool, run_shell
from joulemark.records.trial import NEW, OLD
from joulemark.user_folders import LOCK_FILE, LockedFolder

# The shared object of a build: a plugin, or the kernels of an installed Joulemark.

_KERNELS: Final = (
    "_core*.so",
    "joulemark/_core*.so",
    "lib/python*/site-packages/joulemark/_core*.so",
    "libjoulemark.so",
    "lib/libjoulemark.so",
    "lib/*/libjoulemark.so",
)
"""Files in which an installation keeps our kernels: in the package, a folder with the package, a
virtual environment, and as the C library in its folder or under its prefix."""
_IN_WHEEL: Final = "joulemark/_core"


def build_file(path: str, option: str, scratch: Path) -> Path:
    """The shared object that a path means.

    Args:
        path: a plugin or `libjoulemark.so`; a folder or a virtual environment in which Joulemark
            is installed; a wheel of Joulemark.
        option: option that the refusal names, as `--old`.
        scratch: existing folder, into which a wheel's module is unpacked.
    """
    named = Path(path)
    if named.suffix == ".whl":
        return _unpack(named, option, scratch)
    if named.is_dir():
        return _first(
            [file for pattern in _KERNELS for file in sorted(named.glob(pattern))],
            f"{option} {path}: no installed Joulemark in this folder",
        )
    if not named.is_file():
        raise UsageError(
            f"{option} {path}: no such file; name a shared object that exports joulemark_plugin"
        )
    return named.resolve()


def _first(found: Sequence[Path], refusal: str) -> Path:
    if not found:
        raise UsageError(
            f"{refusal}; name a plugin, libjoulemark.so, a wheel, or a virtual environment"
        )
    return found[0].resolve()


def _unpack(wheel: Path, option: str, scratch: Path) -> Path:
    """The extension module of a wheel, in a separate folder under `scratch`."""
    folder = scratch / option.lstrip("-")
    try:
        with zipfile.ZipFile(wheel) as content:
            names = [
                name
                for name in content.namelist()
                if name.startswith(_IN_WHEEL) and name.endswith(".so")
            ]
            found = [Path(content.extract(name, folder)) for name in names]
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{option} {wheel}: it cannot be read as a wheel ({error})") from None
    return _first(found, f"{option} {wheel}: no Joulemark in this wheel")


WORKING_TREE: Final = "the working tree"
_PREFIX: Final = "joulemark-check-"
_LAST_LINES: Final = 5
_SOMEBODY: Final = ("-c", "user.name=joulemark", "-c", "user.email=joulemark@localhost")
"""Author of a commit that nobody keeps, for git without a configured author."""


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """The two revisions that are compared."""

    old_revision: str
    new_revision: str | None
    """None stands for the tracked files of the working tree, as they are now."""


@dataclass(frozen=True, slots=True)
class Recipe(RevisionPair):
    """The revisions to build, and the way in which each becomes a plugin."""

    command: str
    """Command for the shell, which runs in the root of the checked-out tree."""
    artifact: str
    """Path of the plugin that the command makes, below that root."""

    def __post_init__(self) -> None:
        """Refuses an artifact that no checkout can hold, before anything is built."""
        path = Path(os.path.normpath(self.artifact))
        if path.is_absolute() or path.parts[:1] in {(), (os.pardir,)}:
            raise UsageError(
                f"--artifact {self.artifact}: this path is not below the root of a checkout, so "
                "one file would stand for both revisions; name the file that --build makes there"
            )


@dataclass(frozen=True, slots=True)
class Checkout:
    """A revision that is checked out."""

    build: str
    """`old` or `new`."""
    revision: str
    """The user's name for it."""
    commit: str | None
    """None for a working tree with changes."""
    tree: Path
    """Root of the checkout."""
    root: Path
    """Root of the user's own working tree."""


@contextmanager
def built_revisions(repository: Path, recipe: Recipe, scratch: Path) -> Iterator[tuple[Path, Path]]:
    """The plugins of both revisions, for as long as the context lasts."""
    with checked_out(repository, recipe, scratch) as checkouts:
        old, new = (_build(checkout, recipe) for checkout in checkouts)
        yield old, new


@contextmanager
def checked_out(
    repository: Path, pair: RevisionPair, scratch: Path
) -> Iterator[tuple[Checkout, Checkout]]:
    """Both revisions as folders of one parent, which are there for as long as the context lasts."""
    if shutil.which("git") is None:
        raise UnavailableError("revisions need git, which is not installed: apt-get install git")
    root = Path(_git(repository, "rev-parse", "--show-toplevel"))
    commits = {
        OLD: _commit(root, pair.old_revision, "--old-rev"),
        NEW: _commit(root, pair.new_revision, "--new-rev"),
    }
    _remove_abandoned(root)
    folder = LockedFolder.make(scratch, _PREFIX)
    try:
        found = {}
        for build, commit in commits.items():
            tree = folder.path / build
            _git(root, "worktree", "add", "--quiet", "--detach", str(tree), commit)
            revision = pair.old_revision if build == OLD else pair.new_revision
            kept = revision is not None or commit == _git(root, "rev-parse", "HEAD")
            named = revision or WORKING_TREE
            found[build] = Checkout(build, named, commit if kept else None, tree, root)
        yield found[OLD], found[NEW]
    finally:
        _remove(root, folder.path)
        folder.close()


def _git(folder: Path, *arguments: str) -> str:
    """The output of git."""
    # git and the command are the user's, as if started by hand: they get all variables.
    done = ask_tool(["git", *arguments], folder=folder, environment=os.environ)
    if done.code:
        lines = done.errors.strip().splitlines() or ["no reason given"]
        raise UsageError(f"git {arguments[0]} failed in {folder}: {lines[-1]}")
    return done.output.strip()


def _commit(root: Path, revision: str | None, option: str) -> str:
    """The commit that a revision means; for the working tree one that holds its tracked files."""
    if revision is None:
        # Makes a commit of the changes without touching the tree; prints nothing if there are none.
        return _git(root, *_SOMEBODY, "stash", "create") or _git(root, "rev-parse", "HEAD")
    try:
        return _git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
    except UsageError:
        raise UsageError(
            f"{option} {revision}: this repository has no such revision; a shallow "
            "clone has few (git fetch --unshallow)"
        ) from None


def run_build(checkout: Checkout, command: str) -> str:
    """Runs the user's command in a checkout; returns its last lines as the end of a sentence."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        code = run_shell(command, checkout.tree, output)
        output.seek(0)
        last = _last_lines(output)
    if code:
        raise JoulemarkError(f"'{command}' failed in {checkout.revision} (exit code {code}){last}")
    return last


def _build(checkout: Checkout, recipe: Recipe) -> Path:
    """Runs the command in the checkout and returns the artifact."""
    tree, revision = checkout.tree, checkout.revision
    last = run_build(checkout, recipe.command)
    artifact = tree / recipe.artifact
    if not artifact.is_file():
        raise JoulemarkError(
            f"'{recipe.command}' made no {recipe.artifact} in {revision}; name with --artifact "
            f"what it makes{last}"
        )
    found = artifact.resolve()
    if not found.is_relative_to(tree.resolve()):
        raise JoulemarkError(
            f"--artifact {recipe.artifact}: in {revision} this is a link to {found}, outside the "
            "checkout, so one file could stand for both revisions; let --build copy the file"
        )
    return found


def _last_lines(output: IO[str]) -> str:
    lines = deque((visible(line.strip()) for line in output if line.strip()), _LAST_LINES)
    return f"; it said last: {' / '.join(lines)}" if lines else "; it said nothing"


def _worktrees(root: Path) -> Iterator[Path]:
    for line in _git(root, "worktree", "list", "--porcelain").splitlines():
        kind, _, path = line.partition(" ")
        if kind == "worktree":
            yield Path(path)


def _remove_abandoned(root: Path) -> None:
    """Removes the folders of killed runs: their lock is free, or they are gone."""
    folders = {tree.parent for tree in _worktrees(root) if tree.parent.name.startswith(_PREFIX)}
    for folder in folders:
        if not (folder / LOCK_FILE).exists():
            _remove(root, folder)
    for left in LockedFolder.left_behind(folders):
        _remove(root, left.path)
        left.close()


def _remove(root: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for build in (OLD, NEW):  # git locks a worktree while it makes it, and does not prune it then
        ask_tool(["git", "worktree", "unlock", str(folder / build)], folder=root)
    ask_tool(["git", "worktree", "prune"], folder=root)
