# SPDX-License-Identifier: Apache-2.0
"""Results as files of other kinds, one exporter per file; a new file here is a new format.

Each module says its file name ending in `SUFFIX`, what it is good for in `SUMMARY`, and makes the
file's bytes with `render(results, algorithm)`. `algorithm` limits what is exported; None means
everything, or for pictures the algorithm with most implementations.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from joulemark.analyse.results import ResultSet
from joulemark.errors import UsageError
from joulemark.report.files import write_atomically
from joulemark.report.workload import algorithms, only

__all__ = ["Exporter", "exporter", "formats", "write_export"]


class Exporter(Protocol):
    """What each module in this folder provides."""

    SUFFIX: str
    """File name ending, with its dot."""
    SUMMARY: str
    """One phrase for help texts."""

    def render(self, results: ResultSet, algorithm: str | None) -> bytes:
        """The whole file."""


def formats() -> list[str]:
    """Names of all formats, which are the file names in this folder."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def exporter(name: str) -> Exporter:
    """The exporter called `name`.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in formats():
        raise UsageError(f"'{name}' is no export format; choose one of {', '.join(formats())}.")
    return cast("Exporter", import_module(f"{__name__}.{name}"))


def write_export(
    results: ResultSet,
    path: Path,
    format: str,  # noqa: A002 - the word that the command line uses
    *,
    algorithm: str | None = None,
) -> None:
    """Write `results` to `path`, whole or not at all.

    Args:
        results: what to export.
        path: file to write; an older one is replaced.
        format: one of `formats()`.
        algorithm: export this algorithm alone.

    Raises:
        UsageError: there is no such format, or the run has no such algorithm.
        ReportError: there is nothing to draw, or the file cannot be written.
    """
    chosen = exporter(format)
    if algorithm is not None:
        known = algorithms(results.results)
        if algorithm not in known:
            has = ", ".join(known) or "none"
            raise UsageError(f"This run has no figure of '{algorithm}'; it has: {has}.")
        results = only(results, algorithm)
    write_atomically(path, chosen.render(results, algorithm))
