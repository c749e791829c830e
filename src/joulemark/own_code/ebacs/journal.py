# SPDX-License-Identifier: Apache-2.0
"""What came of earlier builds, kept beside the plugins, so that a second call goes on from there.

A result is found by all that it depends on: files, function, name, compiler, flags, limits, this
CPU, and this version of Joulemark.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
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

__all__ = ["Journal", "key_of"]

_FOLDER: Final = ".tried"
_RULES: Final = 1
"""Raised when what is tried changes."""


def key_of(job: Job, sources_sha256: str) -> str:
    """The name of a job's result."""
    function, compiler = job.function, job.compiler
    parts = [
        _RULES, __version__, platform.machine(), _core.cpu_features(), job.place.text, job.name,
        function.name, function.checksum, compiler.program, compiler.version, job.flags,
        job.limit_s, job.cpu_s, sources_sha256,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Journal:
    """Results in a folder of plugins, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER

    def found(self, key: str) -> Outcome | None:
        """What is known of a job; None if nothing is, or the file is damaged."""
        try:
            values = parse_json((self._folder / f"{key}.json").read_bytes())
            return replace(record_from_json(Outcome, values), before=True)
        except (OSError, ForeignError):
            return None

    def keep(self, key: str, outcome: Outcome) -> None:
        """Notes a result; whole, or not at all.

        Raises:
            UnavailableError: it cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, part = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(encode(outcome))
            Path(part).replace(self._folder / f"{key}.json")
        except OSError as error:
            raise UnavailableError(
                f"what was tried cannot be noted in {self._folder} ({error.strerror}); name "
                "another folder with --folder, or in JOULEMARK_PLUGINS"
            ) from None
