# SPDX-License-Identifier: Apache-2.0
"""The folder that is published: which files are ours, and which of them are as they should be.

A list of our files with their digests stands in the folder. Only files of that list are replaced or
removed, so nothing that somebody else put there is lost; a folder with other files and no such list
is refused.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.report.files import write_atomically

__all__ = ["LIST_NAME", "PublishedFolder"]

LIST_NAME: Final = "joulemark-files.json"
_LIST_VERSION: Final = 1
_MOST_BYTES: Final = 1 << 28


class PublishedFolder:
    """One folder while it is being written.

    Args:
        path: of the folder, which is made.

    Raises:
        UsageError: it has files that are not ours, or its list cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = _read_list(path)
        self._now: dict[str, dict[str, str]] = {}
        self.written = 0
        self.unchanged = 0
        self.removed = 0

    def key(self, name: str) -> str | None:
        """Under which key a file was written last; None where it is not there."""
        known = self._before.get(name)
        if known is None or not (self._path / name).is_file():
            return None
        return known["key"]

    def keep(self, name: str) -> None:
        """Leave a file as it was written last; to be called for a file that has a `key`."""
        self._now[name] = self._before[name]
        self.unchanged += 1

    def put(self, name: str, key: str, data: bytes) -> None:
        """Write a file, unless it has that content already.

        Args:
            name: its path in the folder, with slashes.
            key: of all that its content depends on.
            data: the content.
        """
        digest = hashlib.sha256(data).hexdigest()
        known = self._before.get(name)
        self._now[name] = {"key": key, "sha256": digest}
        path = self._path / name
        if known is not None and known["sha256"] == digest and path.is_file():
            self.unchanged += 1
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # A reader sees the old file or the new one; what a power cut loses is written again, since
        # the list is written last.
        temporary = path.with_name(f".{path.name[:200]}.tmp")
        temporary.write_bytes(data)
        temporary.replace(path)
        self.written += 1

    def finish(self) -> None:
        """Remove files that are ours and no longer published, and write the list."""
        for name in self._before.keys() - self._now.keys():
            path = self._path / name
            if path.is_file():
                path.unlink()
                self.removed += 1
        _remove_empty_folders(self._path, self._before)
        text = json.dumps({"schema_version": _LIST_VERSION, "files": self._now}, indent=0)
        write_atomically(self._path / LIST_NAME, text.encode())


def _remove_empty_folders(path: Path, names: dict[str, dict[str, str]]) -> None:
    folders = {parent for name in names for parent in Path(name).parents} - {Path()}
    for folder in sorted(folders, key=lambda file: -len(file.parts)):
        found = path / folder
        if found.is_dir() and not any(found.iterdir()):
            found.rmdir()


def _read_list(path: Path) -> dict[str, dict[str, str]]:
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
        write_atomically(file, json.dumps({"schema_version": _LIST_VERSION, "files": {}}).encode())
        return {}
    try:
        found = _checked(json.loads(file.read_bytes()))
    except (OSError, ValueError, RecursionError):
        found = None
    if found is None:
        raise UsageError(
            f"{file} is not the list of files that joulemark publish wrote; publish to a new folder"
        )
    return found


def _checked(value: Any) -> dict[str, dict[str, str]] | None:
    """The files of a list; None where it is none, or names files outside the folder."""
    if not isinstance(value, dict) or value.get("schema_version") != _LIST_VERSION:
        return None
    files = value.get("files")
    if not isinstance(files, dict):
        return None
    for name, about in files.items():
        inside = not Path(name).is_absolute() and ".." not in Path(name).parts and "\0" not in name
        known = isinstance(about, dict) and all(
            isinstance(about.get(key), str) for key in ("key", "sha256")
        )
        if not inside or not known:
            return None
    return files
