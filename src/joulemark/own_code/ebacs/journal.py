# SPDX-License-Identifier: Apache-2.0
"""Outcomes of earlier builds, kept beside the plugins, so that a second call goes on from there.

The key of an outcome is made of all that it depends on: files, function, name, compiler, flags,
limits, this CPU, and this version of Joulemark.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import Final

from joulemark import __version__, _core
from joulemark.errors import UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.measure.worker_messages.lines import encode
from joulemark.own_code.ebacs.outcomes import Job, Outcome
from joulemark.whole_file import write_whole

__all__ = ["Journal", "key_of"]

_FOLDER: Final = ".tried"
_RULES: Final = 1
"""Version of the rules of a build; it is raised when the rules change."""


def key_of(job: Job, sources_sha256: str) -> str:
    """The key of a job's outcome."""
    function, compiler = job.function, job.compiler
    parts = [
        _RULES, __version__, platform.machine(), _core.cpu_features(), job.place.text, job.name,
        function.name, function.checksum, compiler.program, compiler.version, job.flags,
        job.limit_s, job.cpu_s, sources_sha256,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Journal:
    """Outcomes in a folder of plugins, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER

    def outcome(self, key: str) -> Outcome | None:
        """The outcome of an earlier job; None if there is none, or its file is damaged."""
        try:
            values = parse_json((self._folder / f"{key}.json").read_bytes())
            return replace(record_from_json(Outcome, values), before=True)
        except (OSError, ForeignError):
            return None

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keeps an outcome, whole or not at all.

        Raises:
            UnavailableError: it cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{key}.json", encode(outcome))
        except OSError as error:
            raise UnavailableError(
                f"what was tried cannot be noted in {self._folder} ({error.strerror}); name "
                "another folder with --folder, or in JOULEMARK_PLUGINS"
            ) from None
