# SPDX-License-Identifier: Apache-2.0
"""What is asked of one build of an implementation, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from joulemark.own_code.compilers import Compiler
from joulemark.own_code.ebacs.functions import Function
from joulemark.own_code.ebacs.layout import ImplementationFolder

__all__ = ["Job", "Outcome", "Verdict"]


class Verdict(StrEnum):
    """In the words of the table."""

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


_ORDER: Final = tuple(Verdict)


@dataclass(frozen=True, slots=True)
class Job:
    """One implementation, to be built with one compiler and one set of flags."""

    place: ImplementationFolder
    root: Path
    function: Function
    variant: str
    compiler: Compiler
    flag_set: str
    flags: tuple[str, ...]
    limit_s: float
    """Seconds after which the code counts as hung."""
    cpu_s: float
    """Of the check, beyond what is always done."""
    folder: Path
    """Where plugins are kept."""
    replacing: bool
    key: str = ""
    """By which what came of it is found again; empty before the sources were read."""

    @property
    def name(self) -> str:
        """`sha256/ref-gcc`; of what the catalogue lacks, `crypto_hash/x/ref-gcc`."""
        return f"{self.function.algorithm or self.function.name}/{self.variant}"

    @property
    def provider(self) -> str:
        """Its name among providers."""
        return f"{self.variant}-{self.function.algorithm}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a build, or of a folder that cannot be built."""

    implementation: str
    """`crypto_hash/sha256/ref`."""
    verdict: Verdict
    reason: str = ""
    """Of a right one, what was checked; else what was wrong, as a sentence without its subject."""
    name: str | None = None
    """`sha256/ref-gcc`; None: nothing was to be built."""
    compiler: str | None = None
    """Its name."""
    compiler_version: str | None = None
    flag_set: str | None = None
    flags: str | None = None
    sources_sha256: str | None = None
    """Of names and contents of all files together."""
    checksum: str | None = None
    """checksumsmall, where the code came so far."""
    entry: str | None = None
    """Folder in which the plugin is kept."""
    reads_on: bool = False
    """Past the end of its message, which is no fault here."""
    before: bool = False
    """Known from an earlier call."""

    @property
    def rank(self) -> int:
        """ImplementationFolder of the verdict in a table."""
        return _ORDER.index(self.verdict)
