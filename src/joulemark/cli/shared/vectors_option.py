# SPDX-License-Identifier: Apache-2.0
"""Reading the file that `--vectors` names."""

from __future__ import annotations

from pathlib import Path

from joulemark.errors import UsageError
from joulemark.foreign.text import ForeignError
from joulemark.foreign.vector_files import read_vectors
from joulemark.foreign.vectors import VectorFile


def usable_vectors(path: Path, use: str) -> VectorFile:
    """Reads the vectors of a file.

    Args:
        path: of the file.
        use: how a vector is used, as "that can be computed".
    """
    try:
        file = read_vectors(path)
    except ForeignError as error:
        raise UsageError(f"--vectors {path}: {error}") from None
    if not file.vectors:
        reasons = "; ".join(file.passed_over) or "it has none"
        raise UsageError(f"--vectors {path} has no vector {use}: {reasons}")
    return file
