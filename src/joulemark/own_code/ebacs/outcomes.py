# SPDX-License-Identifier: Apache-2.0
"""The job of building an implementation once, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from joulemark.own_code.building import Compiler
from joulemark.own_code.ebacs.layout import ImplementationFolder, Primitive


class BuildVerdict(StrEnum):
    """The verdict on a build in the words of the table, and in the order of the table."""

    RIGHT = "right"
    NOT_TAKEN = "cannot be taken"
    ARCHITECTURE = "for another architecture"
    NOT_COMPILED = "does not compile"
    NEEDS = "needs what is not here"
    CPU = "needs another CPU"
    CRASHES = "crashes"
    HANGS = "hangs"
    OUTSIDE = "writes outside"
    WRONG = "wrong answer"
    NOT_KNOWN = "not in the catalogue"
    NAME = "name is taken"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class BuildJob:
    """An implementation that is to be built with a compiler and a set of flags."""

    place: ImplementationFolder
    root: Path
    """Root of the tree."""
    function: Primitive
    variant: str
    compiler: Compiler
    flag_set: str
    flags: tuple[str, ...]
    limit_s: float
    """Seconds after which the code counts as hung."""
    cpu_s: float
    """CPU time of the check, beyond the cases that are always checked."""
    folder: Path
    """Folder of kept plugins."""
    replacing: bool
    key: str = ""
    """Key of the outcome in the journal; empty before the sources were read."""

    @property
    def name(self) -> str:
        """`sha256/ref-gcc`; if the catalogue lacks the function, `crypto_hash/x/ref-gcc`."""
        return f"{self.function.algorithm or self.function.name}/{self.variant}"

    @property
    def provider(self) -> str:
        """Its name among providers."""
        return f"{self.variant}-{self.function.algorithm}"


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The outcome of a build, or of a folder that cannot be built."""

    implementation: str
    """`crypto_hash/sha256/ref`."""
    verdict: BuildVerdict
    reason: str = ""
    """Checks that a right implementation passed; of others why they failed, as a sentence."""
    name: str | None = None
    """`sha256/ref-gcc`; None: nothing was to be built."""
    compiler: str | None = None
    """Name of the compiler."""
    compiler_version: str | None = None
    flag_set: str | None = None
    flags: str | None = None
    sources_sha256: str | None = None
    """SHA-256 of names and contents of all files together."""
    checksum: str | None = None
    """checksumsmall; None if the code did not come so far."""
    entry: str | None = None
    """Folder in which the plugin is kept."""
    reads_on: bool = False
    """Whether it reads past the end of its message, which is no fault here."""
    before: bool = False
    """Whether it is known from an earlier call."""
