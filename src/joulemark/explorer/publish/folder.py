# SPDX-License-Identifier: Apache-2.0
"""The folder that is published: which files are ours, and which of them need not be written again.

A list in the folder has our files with their digests. Only files of that list are replaced or
removed, so that no file of somebody else's is lost; a folder with other files and no such list is
refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.foreign.text import ForeignError
from joulemark.report.files import write_atomically

LIST_NAME: Final = "joulemark-files.json"
_LIST_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class _WrittenFile:
    key: str
    """Key of all that its content depends on."""
    sha256: str


@dataclass(frozen=True, slots=True)
class _FileList:
    schema_version: int
    files: dict[str, _WrittenFile]
    """Path in the folder, with slashes -> the file as it was written last."""


class PublishedFolder:
    """A folder while it is being written.

    Args:
        path: the folder, which is made if need be.

    Raises:
        UsageError: it has files that are not ours, or its list cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = _read_list(path)
        self._now: dict[str, _WrittenFile] = {}
        self.written = 0
        self.unchanged = 0
        self.removed = 0

    def key(self, name: str) -> str | None:
        """The key of a file when it was written last; None if the file is not there."""
        known = self._before.get(name)
        return known.key if known is not None and (self._path / name).is_file() else None

    def keep(self, name: str) -> None:
        """Leaves a file as it was written last; for a file whose `key` is not None."""
        self._now[name] = self._before[name]
        self.unchanged += 1

    def put(self, name: str, key: str, data: bytes) -> None:
        """Writes a file, unless it has that content already.

        Args:
            name: its path in the folder, with slashes.
            key: key of all that its content depends on.
            data: the content.
        """
        digest = hashlib.sha256(data).hexdigest()
        known = self._before.get(name)
        self._now[name] = _WrittenFile(key, digest)
        path = self._path / name
        if known is not None and known.sha256 == digest and path.is_file():
            self.unchanged += 1
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # A reader sees the old file or the new one. A file that a power cut loses is written again,
        # for the list is written last.
        temporary = path.with_name(f".{path.name[:200]}.tmp")
        temporary.write_bytes(data)
        temporary.replace(path)
        self.written += 1

    def finish(self) -> None:
        """Removes files of ours that are no longer published, and writes the list."""
        for name in self._before.keys() - self._now.keys():
            path = self._path / name
            if path.is_file():
                path.unlink()
                self.removed += 1
        _remove_empty_folders(self._path, self._before)
        _write_list(self._path / LIST_NAME, self._now)


def _remove_empty_folders(path: Path, names: Iterable[str]) -> None:
    folders = {parent for name in names for parent in Path(name).parents} - {Path()}
    for relative in sorted(folders, key=lambda folder: -len(folder.parts)):
        folder = path / relative
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _write_list(file: Path, files: dict[str, _WrittenFile]) -> None:
    text = json.dumps(asdict(_FileList(_LIST_VERSION, files)), indent=0)
    write_atomically(file, text.encode())


def _read_list(path: Path) -> dict[str, _WrittenFile]:
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; name a folder to publish to")
    path.mkdir(parents=True, exist_ok=True)
    file = path / LIST_NAME
    if not file.exists():
        if any(path.iterdir()):
            raise UsageError(
                f"{path} holds files that joulemark publish did not write; name an empty folder or "
                "a new one"
            )
        _write_list(file, {})
        return {}
    try:
        found = record_from_json(_FileList, parse_json(file.read_bytes()))
    except (OSError, ForeignError):
        found = None
    if found is None or found.schema_version != _LIST_VERSION or not all(map(_inside, found.files)):
        raise UsageError(
            f"{file} is not the list of files that joulemark publish wrote; publish to a new folder"
        )
    return found.files


def _inside(name: str) -> bool:
    """Whether a path of the list stays in the folder."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts and "\0" not in name
