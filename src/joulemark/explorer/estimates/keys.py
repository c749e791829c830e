# SPDX-License-Identifier: Apache-2.0
"""Keys of kept estimates: made of a run's content, and of the code that estimates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from joulemark.store.outline import RunOutline

__all__ = ["gate_key_of", "key_of"]

_FORM: Final = "1"
"""Of the file of estimates; another form has another key, so that nothing of it is found."""
_SOURCES: Final = (
    "analyse", "judging", "stats", "records", "store", "environment", "explorer/estimates",
    "report/doubt_causes.py", "report/workload.py",
)  # fmt: skip
"""What figures, their words and judgements depend on besides the samples."""


@cache
def _code() -> str:
    """Digest of the code that estimates."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256(_FORM.encode())
    for name in ("numpy", "scipy"):
        digest.update(version(name).encode())
    for name in _SOURCES:
        place = package / name
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key_of(run: RunOutline) -> str:
    """Under which the estimates of a run are kept."""
    return hashlib.sha256(f"{_code()} {run.content}".encode()).hexdigest()


def gate_key_of(before: RunOutline, run: RunOutline, algorithms: Sequence[str]) -> str:
    """Under which the judgement of a run against an earlier one is kept."""
    words = f"{_code()} {before.content} {run.content} {' '.join(algorithms)}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
