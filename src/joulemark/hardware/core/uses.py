# SPDX-License-Identifier: Apache-2.0
"""Finds the sources that a manifest takes from others, by the `uses` of both.

A manifest that is used need not describe a core: `name`, `title` and `sources` suffice for parts
that several cores share (`hdl/common/aes.toml`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, Field

from joulemark.errors import UsageError
from joulemark.hardware.core.facts import Facts, File, Words, read_facts

__all__ = ["used_sources"]

_DEEPEST = 16


class _Parts(Facts):
    """The entries of a manifest about its sources. Its other entries are left unread."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Words
    uses: list[File] = Field(default_factory=list)
    """Manifests, relative to this one, whose sources come before the sources of this one."""
    sources: list[File] = Field(min_length=1)
    """Sources in the order of compilation, relative to the manifest."""


def used_sources(manifest: Path, uses: Sequence[str]) -> list[Path]:
    """Absolute paths of all sources that a manifest takes from others, each once.

    Args:
        manifest: the manifest.
        uses: its `uses`: manifests, relative to it.

    Returns:
        Paths in the order of compilation: each manifest's sources after those that it uses itself.

    Raises:
        UsageError: a used manifest cannot be read, breaks the schema, or uses itself in the end.
    """
    read: dict[Path, list[Path]] = {}

    def collect(uses: Sequence[str], users: list[Path]) -> None:
        """Puts the sources of each manifest into `read` after those that it uses."""
        for name in uses:
            used = (users[-1].parent / name).resolve()
            if used in read:
                continue
            if used in users:
                raise UsageError(f"{manifest}: uses: {used} uses itself")
            if len(users) > _DEEPEST:
                raise UsageError(f"{manifest}: uses: more than {_DEEPEST} manifests in a chain")
            parts = read_facts(used, _Parts)
            collect(parts.uses, [*users, used])
            read[used] = [(used.parent / source).resolve() for source in parts.sources]

    collect(uses, [manifest.resolve()])
    return list(dict.fromkeys(path for paths in read.values() for path in paths))
