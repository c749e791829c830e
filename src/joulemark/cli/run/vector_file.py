# SPDX-License-Identifier: Apache-2.0
"""The vectors of a file that a user gives to `joulemark test`, and implementations held to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joulemark.cli.shared.vectors_option import usable_vectors
from joulemark.errors import ImplementationError, UsageError
from joulemark.foreign.vectors import VectorFile
from joulemark.measure.workers.inventory import Inventory, failure_of
from joulemark.measure.workers.pool import WorkerPool
from joulemark.measure.workers.vectors_of_others import VectorReport, hold_to_vectors

__all__ = ["check_vectors", "vector_file"]


def vector_file(path: Path, names: list[str]) -> VectorFile:
    """Reads a file of vectors, of which some must be of an algorithm that is tested.

    Raises:
        UsageError: it cannot be read, or has none that fits.
    """
    file = usable_vectors(path, "that can be computed")
    tested = sorted({name.partition("/")[0] for name in names})
    if not any(vector.is_of(algorithm) for vector in file.vectors for algorithm in tested):
        found = ", ".join(sorted({vector.algorithm for vector in file.vectors}))
        raise UsageError(f"--vectors {path} has vectors of {found}, none of {', '.join(tested)}")
    return file


def check_vectors(
    name: str, inventory: Inventory, pool: WorkerPool, file: VectorFile, text: str
) -> dict[str, Any]:
    """Holds an implementation that is otherwise right to a file of vectors."""
    try:
        report = hold_to_vectors(
            inventory.facts[name], file.vectors, lambda cases: pool.outputs(name, cases)
        )
    except ImplementationError as error:
        kind = failure_of(name, error).kind.value
        return {"right": False, "kind": kind, "text": f"{name} failed ({kind}): {error}"}
    skipped = {**report.passed_over, **file.passed_over}
    entry = {
        "vectors": {
            "form": file.form, "passed": report.passed, "failed": len(report.failed),
            "skipped": skipped,
        },
        "text": f"{text}\n  {_vector_words(report, file.form, skipped)}",
    }  # fmt: skip
    if not report.failed:
        return entry
    return entry | {"right": False, "kind": "wrong output"}


def _vector_words(report: VectorReport, form: str, skipped: dict[str, int]) -> str:
    words = [f"{form} vectors: {report.passed} passed"]
    if report.failed:
        first = report.failed[0]
        comment = f" ({first.vector.comment})" if first.vector.comment else ""
        words.append(f"{len(report.failed)} failed, the first {first.vector.name}{comment}: "
                     f"{first.wrong}")  # fmt: skip
    words += [f"{number} skipped: {reason}" for reason, number in skipped.items()]
    return "; ".join(words)
