# SPDX-License-Identifier: Apache-2.0
"""File trees of RAPL zones, processors and registers, as the kernel writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from joulemark.meters import Roots, Survey
from joulemark.meters.instruments.powercap import Powercap
from joulemark.records.energy_window import Domain

INTEL_RANGE_UJ: Final = 262_143_328_850
"""(2^32 - 1) * 61.035 µJ, as the kernel computes it for ESU 14."""
MEMORY_RANGE_UJ: Final = 65_712_999_613
"""(2^32 - 1) * 15.3 µJ: memory beside Haswell server processors."""
JOULE_RANGE_UJ: Final = (2**32 - 1) * 1_000_000
"""A psys that counts whole joules."""
NOBODY: Final = 65534


def zone(root: Path, name: str, title: str, **files: object) -> None:
    """One zone folder as the kernel shows it; a file given as None is left out."""
    values: dict[str, object] = {
        "name": title,
        "energy_uj": 1_000_000,
        "max_energy_range_uj": INTEL_RANGE_UJ,
        "enabled": 0,
        **files,
    }
    folder = root / "sys/class/powercap" / name
    folder.mkdir(parents=True)
    for file, value in values.items():
        if value is not None:
            (folder / file).write_text(f"{value}\n")


def cpuinfo(
    root: Path,
    vendor: str = "GenuineIntel",
    flags: str = "fpu msr sse2",
    family: object = 6,
    model: object = 0x55,
) -> None:
    """Writes /proc/cpuinfo of such a processor."""
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/cpuinfo").write_text(
        f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        f"model name\t: any\nflags\t\t: {flags}\n\nprocessor\t: 1\nmodel\t\t: 42\n"
    )


def kernel(root: Path, release: str) -> None:
    """Writes the release of the kernel."""
    (root / "proc/sys/kernel").mkdir(parents=True, exist_ok=True)
    (root / "proc/sys/kernel/osrelease").write_text(f"{release}\n")


def register(root: Path, cpu: int, low_byte: int, package: int | None = None) -> Path:
    """A CPU's file of registers, with one bit pattern at IA32_MISC_PACKAGE_CTLS."""
    path = root / f"dev/cpu/{cpu}/msr"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff" * 0xBC + bytes([low_byte]) + bytes(7) + b"\xff" * 8)
    if package is not None:
        folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{package}\n")
    return path


def meter_of(root: Path) -> Powercap:
    """The meter over a tree, with a clock that ticks at each look."""
    ticks = count(1_000, 10)
    return Powercap(Roots(sysfs=root / "sys", proc=root / "proc", now_ns=lambda: next(ticks)))


def by_id(survey: Survey) -> dict[str, Domain]:
    """The domains of a survey."""
    return {domain.id: domain for domain in survey.domains}


@contextmanager
def as_nobody(root: Path) -> Iterator[None]:
    """Runs as a user to whom file modes apply, since they do not stop root."""
    root_user = os.geteuid() == 0
    if root_user:
        for folder in (root, *root.parents):
            mode = folder.stat().st_mode
            if mode & 0o055 != 0o055:
                folder.chmod(mode | 0o055)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root_user:
            os.seteuid(0)
