# SPDX-License-Identifier: Apache-2.0
"""A function in two revisions of a repository, each made into a plugin as `joulemark add` does.

The repository needs no file of Joulemark's in either revision. Each revision is checked out apart,
built by the user's command if there is one, and compiled in its checkout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import shortened, visible
from joulemark.measure.revisions import Checkout, RevisionPair, checked_out, run_build
from joulemark.measure.worker.sources import file_sha256
from joulemark.own_code import Code, is_machine_code, source_files
from joulemark.own_code.adding import CodeRequest, RightPlugin, make_right
from joulemark.own_code.building import CompileError, Compiler, Toolchain
from joulemark.own_code.checking import RejectedError
from joulemark.own_code.making import nameless_digest, nameless_table
from joulemark.own_code.prototypes import UndeclaredError
from joulemark.records.trial import OLD


@dataclass(frozen=True, slots=True)
class SourceRecipe(RevisionPair):
    """The revisions, and the function that is compiled in each."""

    command: str | None
    """Command for the shell, which runs in the root of each checkout before; None: none is
    needed."""
    files: tuple[str, ...]
    """Paths from the current folder, or absolute: sources, headers, and what the command makes."""
    include: tuple[str, ...]
    function: str
    request: CodeRequest
    compiler: Compiler

    def made_in(self, checkout: Checkout, here: Path) -> MadeRevision:
        """The plugin of a checkout; `here` is the folder in which the user called us."""
        if self.command is not None:
            run_build(checkout, self.command)
        code = self._code_in(checkout, here)
        place = checkout.tree.with_name(f"made-{checkout.build}")
        place.mkdir()
        folder = checkout.tree / here.relative_to(checkout.root)
        self._require_no_path_of(checkout.root)
        tools = Toolchain(self.compiler, self.request.flags, place, folder)
        revision = checkout.revision
        try:
            right = make_right(code, self.request, tools)
            table = nameless_table(code, self.request, tools, right.built)
            digest = nameless_digest(code, tools, right.built, table) or right.sha256
        except UndeclaredError as error:
            if checkout.build != OLD:
                raise UsageError(f"in {revision} {error}") from None
            raise UnpairedError(f"In {revision} {error}.", checkout.build) from None
        except UsageError as error:
            raise UsageError(f"in {revision} {error}") from None
        except RejectedError as error:
            raise UnpairedError(
                f"{self.request.name} of {revision} {error.verdict}: {error.why}.", checkout.build
            ) from None
        except CompileError as error:
            first = f": {error.lines[0]}" if error.lines else ""
            raise JoulemarkError(f"in {revision} {error}{first}") from None
        _require_own_files(checkout, right)
        return MadeRevision(checkout, right, digest)

    def _code_in(self, checkout: Checkout, here: Path) -> Code:
        tree, root = checkout.tree, checkout.root
        names = [str(_below(root, here, name)) for name in self.files]
        for name in names:
            if not (tree / name).is_file():
                raise self._lacking(checkout, name)
        folders = []
        for given in self.include:
            below = _below_or_none(root, here, given)
            folder = here / given if below is None else tree / below
            if folder.is_dir():
                folders.append(folder.resolve())
            elif checkout.build != OLD:  # The new code may have a folder that the old code lacks.
                raise UsageError(
                    f"--include {shortened(given, 200)}: {checkout.revision} has no such folder"
                )
        return Code(source_files(names, tree), tuple(folders), self.function)

    def _lacking(self, checkout: Checkout, name: str) -> JoulemarkError:
        """The error for a file that a checkout does not have."""
        revision, shown = checkout.revision, shortened(name, 200)
        if self.command is not None:
            return JoulemarkError(
                f"'{self.command}' made no {shown} in {revision}, and git has none there"
            )
        if checkout.build == OLD:
            return UnpairedError(f"{shown} is not in {revision}.", checkout.build)
        untracked = self.new_revision is None and (checkout.root / name).is_file()
        remedy = f"; git does not track it: git add {shown}" if untracked else ""
        return UsageError(f"{shown} is not in {revision}{remedy}")

    def _require_no_path_of(self, root: Path) -> None:
        """Refuses flags that name the working tree, which would stand for both revisions."""
        for word in self.request.flags:
            if f"{root}{os.sep}" in word or word.endswith(str(root)):
                raise UsageError(
                    f"--flags {shortened(word, 200)}: this path is the same for both revisions; "
                    "name it as seen from this folder, in which each checkout is compiled"
                )


class UnpairedError(JoulemarkError):
    """A revision has no right code: nothing to compare with if it is the old one."""

    def __init__(self, sentence: str, build: str) -> None:
        super().__init__(sentence)
        self.build = build


@dataclass(frozen=True, slots=True)
class MadeRevision:
    """A revision as a plugin that is right."""

    checkout: Checkout
    right: RightPlugin
    code_digest: str
    """SHA-256 of its machine code, without names and paths."""

    @property
    def plugin(self) -> Path:
        """The shared object."""
        return self.right.built.plugin

    @property
    def digest(self) -> str:
        """Digest of its machine code, and of the shared libraries that it brings."""
        return "".join([self.code_digest, *(library.sha256 for library in self.right.beside)])

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """What it was made of, for JSON."""
        made = self.right.built.made_from
        return {
            "revision": self.checkout.revision,
            "commit": self.checkout.commit,
            "function": made.function,
            "signature": made.signature,
            "compiler": made.compiler,
            "flags": made.flags,
            "sources": [{"name": file.name, "sha256": file.sha256} for file in made.sources],
            "linked": [file.name for file in made.sources if is_machine_code(file.name)],
            "plugin_sha256": file_sha256(self.plugin),
        }


@contextmanager
def made_revisions(
    here: Path, recipe: SourceRecipe, scratch: Path
) -> Iterator[tuple[MadeRevision, MadeRevision]]:
    """The plugins of the old and the new revision, for as long as the context lasts.

    The new one is made first, since a slip in a name shows there.
    """
    with checked_out(here, recipe, scratch) as (old, new):
        after = recipe.made_in(new, here)
        yield recipe.made_in(old, here), after


def _below_or_none(root: Path, here: Path, name: str) -> Path | None:
    """The path from the root of the repository; None if it is outside."""
    path = Path(os.path.abspath(here / name))  # noqa: PTH100 - a link keeps its name
    for found in (path, path.parent.resolve() / path.name):
        if found.is_relative_to(root):
            return found.relative_to(root)
    return None


def _below(root: Path, here: Path, name: str) -> Path:
    found = _below_or_none(root, here, name)
    if found is None:
        raise UsageError(
            f"{shortened(name, 200)} is outside of the repository {visible(str(root))}, so one "
            "file would stand for both revisions"
        )
    return found


def _require_own_files(checkout: Checkout, right: RightPlugin) -> None:
    """Refuses code that a compiler read in the user's working tree, not in the checkout."""
    read: Sequence[Path] = [path for unit in right.built.units for path in unit.read]
    for path in read:
        if path.is_relative_to(checkout.root) and not path.is_relative_to(checkout.tree.parent):
            raise UsageError(
                f"{checkout.revision} reads {visible(str(path))} of the working tree, so one file "
                "would stand for both revisions; name it by a path within the repository"
            )
