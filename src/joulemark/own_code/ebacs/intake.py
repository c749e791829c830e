# SPDX-License-Identifier: Apache-2.0
"""The files of an implementation, read once: a copy of them is compiled, as SUPERCOP does it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign.text import shortened
from joulemark.measure.workers.plugin_workshop import SourceDigest
from joulemark.own_code.ebacs.layout import ImplementationFolder, entries_of, is_folder, leads_out

_MOST_FILE_BYTES: Final = 16 << 20
_MOST_BYTES: Final = 64 << 20
_MOST_FILES: Final = 2000
_CXX: Final = frozenset({".cc", ".cpp", ".cxx", ".C"})
_COMPILED: Final = frozenset({".c", ".S", ".s"})
_ARCHITECTURES: Final = "architectures"
_OURS: Final = {"x86_64": {"amd64", "x86"}, "aarch64": {"aarch64", "arm64"}}
"""Machine as uname(1) calls it -> names that eBACS has for it."""


class TroubleError(JoulemarkError):
    """An error of files that cannot be taken; its text ends a sentence about their folder."""


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file of an implementation."""

    name: str
    """Path in the folder of the implementation, with slashes."""
    content: bytes

    @property
    def is_compiled(self) -> bool:
        """Whether it is code by itself: not a header, and not in a folder below."""
        return "/" not in self.name and Path(self.name).suffix in _COMPILED


def sources_of(place: ImplementationFolder, root: Path) -> tuple[TakenFile, ...]:
    """Every file of an implementation, by name.

    Args:
        place: the implementation.
        root: root of the tree; a link that leads out of it is refused.
    """
    if place.trouble is not None:
        raise TroubleError(place.trouble)
    found: list[TakenFile] = []
    total = 0
    for path, name in _files(place.folder, ""):
        content = _content(path, name, root)
        total += len(content)
        found.append(TakenFile(name, content))
        if total > _MOST_BYTES or len(found) > _MOST_FILES:
            raise TroubleError(
                f"holds more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB, which no "
                "implementation needs; move what is not code out of it"
            )
    cxx = next((taken.name for taken in found if Path(taken.name).suffix in _CXX), None)
    if cxx is not None:
        raise TroubleError(f"is written in C++ ({shortened(cxx)}), and C and assembler are taken")
    if not any(taken.is_compiled for taken in found):
        raise TroubleError("has no file to compile (.c, .S or .s)")
    return tuple(found)


def _files(folder: Path, before: str) -> Iterator[tuple[Path, str]]:
    """Files in a folder, and in folders below it that are no other implementation."""
    try:
        entries = entries_of(folder)
    except UsageError as error:
        where = f"{shortened(before)} in it " if before else ""
        raise TroubleError(f"{where}{error}") from None
    for entry in entries:
        name = before + entry.name
        if entry.name.startswith("."):
            continue
        if not is_folder(entry):
            yield Path(entry.path), name
        elif not (Path(entry.path) / "api.h").exists():
            if entry.is_symlink() or name.count("/") > _MOST_FILES:
                raise TroubleError(f"has a link to a folder in it, {shortened(name)}")
            yield from _files(Path(entry.path), f"{name}/")


def _content(path: Path, name: str, root: Path) -> bytes:
    shown = shortened(name)
    target = leads_out(path, root)
    if target is not None:
        raise TroubleError(f"has a link that leads out of the tree: {shown} to {target}")
    if not name.isprintable() or '"' in name or "\\" in name:
        raise TroubleError(f"has a file whose name no compiler reads, '{shown}'; rename it")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise TroubleError(f"has something in it that is no file, {shown}")
            content = file.read(_MOST_FILE_BYTES + 1)
    except OSError as error:
        raise TroubleError(f"has a file that cannot be read, {shown} ({error.strerror})") from None
    if len(content) > _MOST_FILE_BYTES:
        raise TroubleError(
            f"has a file larger than {_MOST_FILE_BYTES >> 20} MiB, {shown}, which is no source"
        )
    return content


def source_digests(sources: Iterable[TakenFile]) -> tuple[SourceDigest, ...]:
    """Name and SHA-256 of each file."""
    return tuple(
        SourceDigest(source.name, hashlib.sha256(source.content).hexdigest()) for source in sources
    )


def digest_of_sources(digests: Sequence[SourceDigest]) -> str:
    """SHA-256 of all names and contents together, in hexadecimal."""
    pairs = [(digest.name, digest.sha256) for digest in digests]
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


def copy_files(sources: Iterable[TakenFile], folder: Path) -> None:
    """Makes a folder, and writes the files into it."""
    folder.mkdir()
    for source in sources:
        path = folder / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.content)


def not_for_this_machine(sources: Iterable[TakenFile], machine: str | None = None) -> str | None:
    """Why a file `architectures` excludes this machine, as a sentence; None if it does not.

    Args:
        sources: files of an implementation.
        machine: the machine as uname(1) calls it; this machine unless given.
    """
    file = next((source for source in sources if source.name == _ARCHITECTURES), None)
    if file is None:
        return None
    lines = file.content.decode("ascii", "replace").splitlines()
    named = [words[0] for line in lines if (words := line.split())]
    here = platform.machine() if machine is None else machine
    if not named or set(named) & _OURS.get(here, {here}):
        return None
    return f"its file architectures names {shortened(', '.join(named))}, and this is {here}"
