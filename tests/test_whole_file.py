# SPDX-License-Identifier: Apache-2.0
"""joulemark.user_folders: a file is there whole, or the old one stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from joulemark.user_folders import write_whole


def test_the_old_content_is_replaced(tmp_path: Path) -> None:
    """The new file has the mode that a plain `open` gives, and nothing else is in the folder."""
    path = tmp_path / "figures.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    mask = os.umask(0o027)
    try:
        write_whole(path, b"new")
        assert os.umask(0o027) == 0o027, "the mask of the process stays"
    finally:
        os.umask(mask)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """The old file stays if a full disk or Ctrl-C ends the write of the new content."""

    def fail(_: int) -> None:
        raise error

    path = tmp_path / "figures.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """If the folder is missing, the error names the system's reason."""
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "figures.json", b"new")


def test_a_link_a_device_and_a_pipe_stay(tmp_path: Path) -> None:
    """What they lead to is written; a rename would put a plain file in their place."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(tmp_path / "pipe", b"new")
        assert os.read(reader, 9) == b"new"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    leader, follower = os.openpty()
    try:
        write_whole(Path(os.ttyname(follower)), b"new")
        assert os.read(leader, 9) == b"new"
    finally:
        os.close(leader)
        os.close(follower)
