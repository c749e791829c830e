# SPDX-License-Identifier: Apache-2.0
"""Sources that a manifest takes from others: its `uses` name them, and theirs come with them.

A manifest that is used need not describe a core: `name`, `title` and `sources` suffice for parts
that several cores share (`hdl/common/aes.toml`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, Field

from joulemark.errors import UsageError
from joulemark.hardware.core.facts import Facts, File, Words, read_facts

__all__ = ["Parts", "read_parts", "used_sources"]

_DEEPEST = 16


class Parts(Facts):
    """What a manifest says about its sources. The other facts of a core's are left unread."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Words
    uses: list[File] = Field(default_factory=list)
    """Manifests whose sources come before these, relative to this one."""
    sources: list[File] = Field(min_length=1)
    """In the order of compilation, relative to the manifest."""
    folder: Path
    """Where the manifest lies; not part of the file."""

    def source_paths(self) -> list[Path]:
        """Absolute paths of its own sources, in order."""
        return [(self.folder / source).resolve() for source in self.sources]


def read_parts(manifest: Path) -> Parts:
    """The parts that a manifest brings.

    Raises:
        UsageError: the file cannot be read, or breaks the schema.
    """
    return read_facts(manifest, Parts, folder=manifest.resolve().parent)


def used_sources(manifest: Path, uses: Sequence[str]) -> list[Path]:
    """Absolute paths of all sources that a manifest takes from others, each once.

    Args:
        manifest: whose `uses` they are.
        uses: manifests, relative to it.

    Returns:
        Those of a used manifest behind those that it uses itself: in the order of compilation.

    Raises:
        UsageError: a used manifest cannot be read, breaks the schema, or uses itself in the end.
    """
    read: dict[Path, list[Path]] = {}

    def collect(uses: Sequence[str], users: list[Path]) -> None:
        """Puts the sources of each manifest into `read` behind those that it uses."""
        for name in uses:
            used = (users[-1].parent / name).resolve()
            if used in read:
                continue
            if used in users:
                raise UsageError(f"{manifest}: uses: {used} uses itself")
            if len(users) > _DEEPEST:
                raise UsageError(f"{manifest}: uses: more than {_DEEPEST} manifests in a chain")
            parts = read_parts(used)
            collect(parts.uses, [*users, used])
            read[used] = parts.source_paths()

    collect(uses, [manifest.resolve()])
    return list(dict.fromkeys(path for paths in read.values() for path in paths))
