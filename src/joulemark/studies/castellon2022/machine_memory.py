# SPDX-License-Identifier: Apache-2.0
"""Sizes of caches and of free memory, which decide whether a buffer lies in DRAM."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError

__all__ = ["BEYOND_CACHE", "buffer_bytes", "free_bytes", "last_level_cache_bytes"]

BEYOND_CACHE: Final = 8
"""The buffer is this many times the last-level cache, so that a random line of it is cached with a
chance of one in eight at most."""
_LEAST_BYTES: Final = 256 << 20
_PART_OF_FREE: Final = 0.5
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def last_level_cache_bytes(root: Path = Path("/")) -> int | None:
    """Returns the size of the largest cache of the first CPU; None if Linux does not tell it.

    Args:
        root: the folder that stands for `/` in tests.
    """
    sizes = []
    folder = root / "sys/devices/system/cpu/cpu0/cache"
    for path in folder.glob("index*/size"):
        text = path.read_text("ascii").strip()
        number, unit = text[:-1], text[-1:]
        if number.isdecimal() and unit in _UNITS:
            sizes.append(int(number) * _UNITS[unit])
    return max(sizes, default=None)


def free_bytes(root: Path = Path("/")) -> int:
    """Returns the memory that Linux calls available, or less if the limit of a cgroup leaves less.

    Raises:
        UnavailableError: Linux does not tell it.
    """
    lines = (root / "proc/meminfo").read_text("ascii").splitlines()
    available = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    if not available:
        raise UnavailableError("the kernel does not say how much memory is available")
    group = root / "sys/fs/cgroup"
    try:
        limit = int((group / "memory.max").read_text("ascii"))
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return available[0]
    return min(available[0], max(0, limit - used))


def buffer_bytes(root: Path = Path("/"), size_bytes: int | None = None) -> int:
    """Returns the size of the buffer in DRAM: eight last-level caches, at least 256 MiB.

    Args:
        root: the folder that stands for `/` in tests.
        size_bytes: another size, above 0, which must fit the free memory too.

    Raises:
        UnavailableError: the buffer is larger than half of the free memory.
    """
    cache = last_level_cache_bytes(root) or 0
    wanted = size_bytes or max(_LEAST_BYTES, BEYOND_CACHE * cache)
    free = free_bytes(root)
    if wanted > free * _PART_OF_FREE:
        raise UnavailableError(
            f"the memory-bound part needs a buffer of {wanted >> 20} MiB, {BEYOND_CACHE} times the "
            f"last-level cache, and half of the free memory is {int(free * _PART_OF_FREE) >> 20} "
            "MiB; free some memory or leave the part out with --no-memory"
        )
    return wanted
