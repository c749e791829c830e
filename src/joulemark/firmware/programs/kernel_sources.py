# SPDX-License-Identifier: Apache-2.0
"""The sources that make each implementation for firmware (`firmware/bench/kernels.toml`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.firmware.programs.target import firmware_folder
from joulemark.hardware.core.manifest import Facts, Words, read_facts

_X86: Final = re.compile(
    r"(?:^|_)(?:aesni|avx2|avx512(?:ifma)?|bmi2|gfni|shani|ssse3|v?pclmul|vaes)(?:_|$)"
)
"""Techniques in the names of variants that no firmware target has."""


class _Primitive(Facts):
    algorithms: list[Words]
    own: Words
    shared: list[Words]


class _Kernels(Facts):
    primitive: list[_Primitive]


@dataclass(frozen=True, slots=True)
class KernelSources:
    """One implementation, and the sources that must be compiled for it."""

    algorithm: str
    variant: str
    files: tuple[Path, ...]
    """Source files, the variant's file first."""

    @property
    def name(self) -> str:
        """`algorithm/variant`."""
        return f"{self.algorithm}/{self.variant}"

    @property
    def symbol(self) -> str:
        """Name of its constant table in C."""
        return f"jm_{self.algorithm.replace('-', '_')}_{self.variant}"


@cache
def kernels_folder() -> Path:
    """Folder of the installed kernels' sources, or of the source tree if none are installed."""
    installed = data_folder("kernels")
    return installed if installed.is_dir() else firmware_folder().parent / "kernels"


@cache
def every_implementation() -> dict[str, KernelSources]:
    """Every implementation that firmware can be built from, by name, in the order of the table.

    Raises:
        UsageError: the table breaks its schema.
    """
    folder = kernels_folder()
    by_name = {}
    for primitive in read_facts(firmware_folder() / "bench" / "kernels.toml", _Kernels).primitive:
        before, _, after = primitive.own.partition("{variant}")
        for path in sorted(folder.glob(f"{before}*{after}")):
            variant = str(path.relative_to(folder))[len(before) : -len(after)]
            is_name = re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", variant)
            if _X86.search(variant) or not is_name or variant == "table":
                continue
            files = (path, *(folder / name for name in primitive.shared))
            for algorithm in primitive.algorithms:
                kernel_sources = KernelSources(algorithm, variant, files)
                by_name[kernel_sources.name] = kernel_sources
    return by_name
