# SPDX-License-Identifier: Apache-2.0
"""The job of building an implementation once, its outcome, and the journal of earlier outcomes."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from joulemark import __version__, _core
from joulemark.errors import UnavailableError
from joulemark.foreign import ForeignError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.measure.worker.messages import encode
from joulemark.own_code.building import Compiler
from joulemark.own_code.ebacs import ImplementationFolder, Primitive
from joulemark.user_folders import write_whole


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


def outcome_of(job: BuildJob, verdict: BuildVerdict, reason: str) -> BuildOutcome:
    """The outcome of a job, with the facts of the job."""
    return BuildOutcome(
        job.place.text,
        verdict,
        reason,
        job.name,
        job.compiler.name,
        job.compiler.version,
        job.flag_set,
        " ".join(job.flags),
    )


# Outcomes of earlier builds, kept beside the plugins, so that a second call goes on from there.
#
# The key of an outcome is made of all that it depends on: files, function, name, compiler, flags,
# limits, this CPU, and this version of Joulemark.

_FOLDER: Final = ".tried"
_RULES: Final = 1
"""Version of the rules of a build; it is raised when the rules change."""


def key_of(job: BuildJob, sources_sha256: str) -> str:
    """The key of a job's outcome."""
    function, compiler = job.function, job.compiler
    parts = [
        _RULES,
        __version__,
        platform.machine(),
        _core.cpu_features(),
        job.place.text,
        job.name,
        function.name,
        function.checksum,
        compiler.program,
        compiler.version,
        job.flags,
        job.limit_s,
        job.cpu_s,
        sources_sha256,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class OutcomeJournal:
    """Outcomes in a folder of plugins, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER

    def outcome(self, key: str) -> BuildOutcome | None:
        """The outcome of an earlier job; None if there is none, or its file is damaged."""
        try:
            values = parse_json((self._folder / f"{key}.json").read_bytes())
            return replace(record_from_json(BuildOutcome, values), before=True)
        except (OSError, ForeignError):
            return None

    def keep(self, key: str, outcome: BuildOutcome) -> None:
        """Keeps an outcome, whole or not at all."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{key}.json", encode(outcome))
        except OSError as error:
            raise UnavailableError(
                f"what was tried cannot be noted in {self._folder} ({error.strerror}); name "
                "another folder with --folder, or in JOULEMARK_PLUGINS"
            ) from None
