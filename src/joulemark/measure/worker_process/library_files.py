# SPDX-License-Identifier: Apache-2.0
"""Finds the files that an outside library was loaded from, and their SHA-256.

A library's version does not tell which build was measured, and some libraries do not tell their
patch level. The file that the loader took does. Only Linux lists the files that a process has
mapped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from joulemark.records.implementation import LibraryFile

_SONAME: Final = re.compile(rb"\0([\w.+-]+\.so(?:\.[\w.]+)?)(?=\0)")
"""A name as the dynamic section of a shared object has it, between zeros of its string table."""
_RUNTIME: Final = frozenset(
    {
        "ld-linux-x86-64",
        "ld-linux-aarch64",
        "libc",
        "libdl",
        "libgcc_s",
        "libm",
        "libpthread",
        "librt",
        "libstdc++",
    }
)
"""Libraries that every program is linked with; they are not measured."""
_MAPS: Final = Path("/proc/self/maps")


def files_behind(plugin: str) -> tuple[LibraryFile, ...]:
    """`library_files` of this process, which has loaded the shared object, as it is mapped now."""
    return library_files(Path(plugin), mapped_libraries())


def mapped_libraries(maps: Path = _MAPS) -> list[Path]:
    """Paths of the shared objects of this process; none where the system does not tell.

    Args:
        maps: file in the form of proc_pid_maps(5).
    """
    try:
        lines = maps.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    fields = (line.split(maxsplit=5) for line in lines)
    found = {field[5] for field in fields if len(field) == 6 and ".so" in field[5]}
    return [Path(path) for path in sorted(found) if path.startswith("/")]


def library_files(plugin: Path, mapped: Iterable[Path]) -> tuple[LibraryFile, ...]:
    """Name and SHA-256 of each file that `plugin` is linked with, the runtime's left out.

    Args:
        plugin: a shared object that this process has loaded.
        mapped: shared objects that the process has mapped since.

    Returns:
        The files by name, without unreadable ones, such as a file replaced while it was mapped.
    """
    try:
        needed = {name.decode() for name in _SONAME.findall(plugin.read_bytes())}
    except OSError:
        return ()
    found = {}
    for path in mapped:
        if path == plugin or path.name.split(".so", 1)[0] in _RUNTIME:
            continue
        if any(_is_file_of(path, name) for name in needed):
            try:
                found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError:
                continue
    return tuple(LibraryFile(name, digest) for name, digest in sorted(found.items()))


def _is_file_of(path: Path, name: str) -> bool:
    """Whether the loader takes a file for a name, by the file's name or through a link.

    `libcrypto.so.3` is a file; `libsodium.so.23` a link to `libsodium.so.23.3.0`, and
    `libmbedcrypto.so.7` one to `libmbedcrypto.so.2.28.3`.
    """
    if path.name == name or path.name.startswith(f"{name}."):
        return True
    try:
        return path.with_name(name).samefile(path)
    except OSError:
        return False
