# SPDX-License-Identifier: Apache-2.0
"""Results as files of other kinds, one exporter per file; a new file here is a new format.

Each module states the ending of file names in `SUFFIX` and the use of the format in `SUMMARY`, and
makes the bytes of the file with `render(results, algorithm)`. Results other than those of
`algorithm` are left out; None means all results, or for pictures the algorithm with most
implementations.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Protocol, cast

from joulemark.analyse import ResultSet
from joulemark.errors import UsageError


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
    """The exporter called `name`."""
    if name not in formats():
        raise UsageError(f"'{name}' is no export format; choose one of {', '.join(formats())}.")
    return cast("Exporter", import_module(f"{__name__}.{name}"))
