# SPDX-License-Identifier: Apache-2.0
"""The size of the buffer, and machines that are too small for it; on simulated trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UnavailableError
from joulemark.studies.castellon2022.measurement import (
    buffer_bytes,
    free_bytes,
    last_level_cache_bytes,
)

MIB = 1 << 20


def machine(root: Path, *, l3: str | None = "32768K", available_mib: int = 8192) -> Path:
    """A machine with two caches and so much memory."""
    for index, size in enumerate(["48K", l3]):
        if size is not None:
            folder = root / f"sys/devices/system/cpu/cpu0/cache/index{index}"
            folder.mkdir(parents=True)
            (folder / "size").write_text(f"{size}\n")
    (root / "proc").mkdir()
    (root / "proc/meminfo").write_text(
        f"MemTotal: 99999999 kB\nMemAvailable: {available_mib << 10} kB\n"
    )
    return root


def test_the_largest_cache_counts(tmp_path: Path) -> None:
    """32 MiB of L3 count, not 48 KiB of L1; without the kernel's files the size is None."""
    assert last_level_cache_bytes(machine(tmp_path)) == 32 * MIB
    assert last_level_cache_bytes(tmp_path / "elsewhere") is None


def test_the_buffer_is_far_beyond_the_cache(tmp_path: Path) -> None:
    """Eight times 64 MiB; 256 MiB at least."""
    assert buffer_bytes(machine(tmp_path, l3="64M")) == 512 * MIB
    small = tmp_path / "small"
    small.mkdir()
    assert buffer_bytes(machine(small, l3="1M")) == 256 * MIB


def test_too_little_memory_is_refused(tmp_path: Path) -> None:
    """Half of the free memory must hold the buffer; the sentence has both figures."""
    with pytest.raises(UnavailableError, match=r"256 MiB.*255 MiB.*--no-memory"):
        buffer_bytes(machine(tmp_path, available_mib=511))


def test_a_limited_group_counts(tmp_path: Path) -> None:
    """A container's limit less its use is what is free; `max` is no limit."""
    root = machine(tmp_path)
    group = root / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(f"{300 * MIB}\n")
    (group / "memory.current").write_text(f"{100 * MIB}\n")
    assert free_bytes(root) == 200 * MIB
    (group / "memory.max").write_text("max\n")
    assert free_bytes(root) == 8192 * MIB


def test_a_kernel_that_does_not_say_is_refused(tmp_path: Path) -> None:
    """Without MemAvailable no memory is taken."""
    root = machine(tmp_path)
    (root / "proc/meminfo").write_text("MemTotal: 1 kB\n")
    with pytest.raises(UnavailableError, match="does not say"):
        free_bytes(root)
