# SPDX-License-Identifier: Apache-2.0
"""Keys of kept estimates: digests of a run's content and of the code that estimates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from joulemark.store.reading import RunOutline

_FORM: Final = "1"
"""Form of the file of estimates. Every key has it, so that a file of another form holds no key."""
_SOURCES: Final = (
    "analyse",
    "judging",
    "stats",
    "records",
    "store",
    "environment",
    "explorer/estimates",
    "report/notes.py",
    "report/workload.py",
)
"""Code on which figures, their words and judgements depend."""


@cache
def _code() -> str:
    """Digest of the code that estimates."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256(_FORM.encode())
    for name in ("numpy", "scipy"):
        digest.update(version(name).encode())
    for name in _SOURCES:
        source = package / name
        for path in [source] if source.is_file() else sorted(source.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key_of(run: RunOutline) -> str:
    """The key under which the estimates of a run are kept."""
    return hashlib.sha256(f"{_code()} {run.content}".encode()).hexdigest()


def gate_key_of(before: RunOutline, run: RunOutline, algorithms: Sequence[str]) -> str:
    """The key under which the judgement of a run against an earlier one is kept."""
    words = f"{_code()} {before.content} {run.content} {' '.join(algorithms)}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
