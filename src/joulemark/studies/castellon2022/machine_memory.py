# SPDX-License-Identifier: Apache-2.0
"""How much memory there is beside the caches: what decides whether a buffer is in DRAM."""

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
    """Size of the largest cache of the first CPU; None where the kernel does not say.

    Args:
        root: what stands for `/`, for tests.
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
    """Memory that may be taken: what the kernel calls available, less where a cgroup limits it.

    Raises:
        UnavailableError: the kernel does not say.
    """
    found = None
    for line in (root / "proc/meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            found = int(line.split()[1]) << 10
    if found is None:
        raise UnavailableError("the kernel does not say how much memory is available")
    group = root / "sys/fs/cgroup"
    try:
        limit = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return found
    return min(found, max(0, int(limit) - used)) if limit.isdecimal() else found


def buffer_bytes(root: Path = Path("/"), asked: int | None = None) -> int:
    """Size of the buffer of the DRAM-bound regime: eight last-level caches, 256 MiB at least.

    Args:
        root: what stands for `/`, for tests.
        asked: a size to use instead, above 0; checked against the free memory all the same.

    Raises:
        UnavailableError: half of the free memory is less than that.
    """
    cache = last_level_cache_bytes(root) or 0
    wanted = asked or max(_LEAST_BYTES, BEYOND_CACHE * cache)
    free = free_bytes(root)
    if wanted > free * _PART_OF_FREE:
        raise UnavailableError(
            f"the memory-bound part needs a buffer of {wanted >> 20} MiB, {BEYOND_CACHE} times the "
            f"last-level cache, and half of the free memory is {int(free * _PART_OF_FREE) >> 20} "
            "MiB; free some memory or leave the part out with --no-memory"
        )
    return wanted
