# SPDX-License-Identifier: Apache-2.0
"""Software under this process: C library, Python, the packages that compute the statistics."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from joulemark import __version__
from joulemark.environment.source import SystemFiles


def read(source: SystemFiles) -> dict[str, Any]:
    """Facts about this process, by field of `Environment`."""
    return {
        "c_library": _c_library(source),
        "python_version": platform.python_version(),
        "python_implementation": platform.python_implementation(),
        **{f"{name}_version": _package(source, name) for name in ("numpy", "scipy")},
        "joulemark_version": __version__,
        "usable_cpus": len(os.sched_getaffinity(0))
        if source.live
        else source.unknown("usable_cpus", "another machine is described"),
    }


def _c_library(source: SystemFiles) -> str | None:
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        name = None
    return name or source.unknown("c_library", "the C library does not say its version")


def _package(source: SystemFiles, name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return source.unknown(f"{name}_version", f"{name} runs without being installed")
