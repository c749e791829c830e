# SPDX-License-Identifier: Apache-2.0
"""Makes a new folder that appears with all of its files or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joulemark.errors import UsageError


def check_new_folder(option: str, path: Path) -> None:
    """Refuses a folder that could not be filled; `option` is the option that names it."""
    try:
        _refuse_occupied(option, path)
        trial = _beside(path)
        trial.mkdir()
        trial.rmdir()
    except OSError as error:
        raise _refusal(option, path, error) from None


@contextmanager
def new_folder(option: str, path: Path) -> Iterator[Path]:
    """A hidden folder beside `path`, which is renamed to `path` when all is written.

    An error leaves no folder behind; only SIGKILL leaves the hidden one.
    """
    try:
        _refuse_occupied(option, path)
        work = _beside(path)
        work.mkdir()
        try:
            yield work
            work.replace(path.resolve())
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise _refusal(option, path, error) from None


def _refuse_occupied(option: str, path: Path) -> None:
    if path.is_dir():
        if any(path.iterdir()):
            raise UsageError(f"{option} {path}: the folder is not empty; name a new one")
    elif path.exists():
        raise UsageError(f"{option} {path} is a file; name a new folder")
    elif not path.resolve().parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.resolve().parent}")


def _beside(path: Path) -> Path:
    final = path.resolve()
    return final.parent / f".{final.name}.unfinished-{os.getpid()}-{secrets.token_hex(4)}"


def _refusal(option: str, path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{option} {path} cannot be written ({error.strerror}); name a folder in another place"
    )
