# SPDX-License-Identifier: Apache-2.0
"""Puts plugins into the folder of `user_plugins`, whole and one of a name, and removes them."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.worker_messages.lines import encode
from joulemark.measure.workers.user_plugins import (
    PLUGIN_FILE,
    RECORD_FILE,
    UserPlugin,
    user_plugins,
)

__all__ = ["forget_plugin", "keep_plugin", "workshop"]

_UNFINISHED: Final = ".new-"
_LOCK: Final = "lock"


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A new folder below `folder` to build in, which is removed when the context is left.

    Folders of killed processes are removed too: their locks are free.

    Raises:
        UnavailableError: nothing can be written there.
    """
    with _refusals_of(folder):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with _alone(folder):
            _remove_abandoned(folder)
            place = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder)).resolve()
            lock = os.open(place / _LOCK, os.O_CREAT | os.O_WRONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


@contextmanager
def _refusals_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"plugins cannot be kept in {folder} ({error.strerror}); name another folder with "
            "--folder, or in JOULEMARK_PLUGINS"
        ) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds the folder, which only one command changes at a time, for a moment."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_abandoned(folder: Path) -> None:
    for place in folder.glob(f"{_UNFINISHED}*"):
        with suppress(OSError), (place / _LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(place, ignore_errors=True)


def keep_plugin(
    built: Path, record: UserPlugin, folder: Path, entry: str, *, replacing: bool
) -> Path:
    """Keeps a shared object of a workshop as the only plugin of its provider.

    Args:
        built: the shared object.
        record: the record of the plugin.
        folder: folder of the workshop.
        entry: name of the entry.
        replacing: whether it replaces a kept plugin of the provider.

    Returns:
        The folder of the entry.

    Raises:
        UsageError: a plugin of the provider is kept, and is not to be replaced.
        UnavailableError: nothing can be written there.
    """
    target = folder / entry
    with _refusals_of(folder):
        staged = Path(tempfile.mkdtemp(dir=built.parent))
        staged.chmod(0o755)
        built.rename(staged / PLUGIN_FILE)
        (staged / RECORD_FILE).write_bytes(encode(record))
        for file in (staged / PLUGIN_FILE, staged / RECORD_FILE):  # whatever the user's mask
            file.chmod(file.stat().st_mode & ~stat.S_IWOTH)
        with _alone(folder):
            old = [
                path
                for path, user_plugin in user_plugins(folder).items()
                if path == target or getattr(user_plugin, "provider", None) == record.provider
            ]
            if old and not replacing:
                raise UsageError(
                    f"{record.provider} was kept by another command meanwhile; --replace puts "
                    "this one in its place"
                )
            for number, path in enumerate(old):  # they are removed with the workshop
                path.rename(staged.with_name(f"old-{number}"))
            staged.rename(target)
    return target


def forget_plugin(path: Path) -> None:
    """Removes an entry, its record first, so that no half of an entry is found.

    Of a link, which somebody made by hand, only the link is removed.
    """
    if path.is_symlink():
        path.unlink()
        return
    (path / RECORD_FILE).unlink(missing_ok=True)
    shutil.rmtree(path)
