# SPDX-License-Identifier: Apache-2.0
"""Folders that are implementations, and files that are refused, each in one clear sentence."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.own_code import ebacs
from joulemark.own_code.ebacs import (
    ImplementationFolder,
    find_tree,
    function_of,
    intake,
    tree_checksum,
)
from joulemark.own_code.ebacs.intake import TroubleError, not_for_this_machine, sources_of

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """`make("crypto_hash/md5/ref")`: a folder with api.h and a source, and other files by name."""

    def made(name: str, **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        for file, text in ({"api.h": "", "x.c": ""} | files).items():
            (folder / file).write_text(text)
        return folder

    return made


def named(folder: Path, function: str | None = None) -> dict[str, str | None]:
    """Implementations and their troubles."""
    return {place.text: place.trouble for place in find_tree(folder, function).places}


def test_what_a_folder_is_follows_from_its_path(make: Make, tmp_path: Path) -> None:
    """The path names a tree, an operation, a primitive, or one or more implementations."""
    make("crypto_hash/md5/ref")
    make("crypto_hash/echo256/aes/aes64")
    make("crypto_hash/echo256/aes/aes32")
    make("crypto_auth/hmacmd5/ref")
    make("crypto_sign/x/ref")
    found = find_tree(tmp_path, None)
    assert found.passed_over == ("crypto_sign",)
    names = ["crypto_auth/hmacmd5/ref", "crypto_hash/echo256/aes/aes32",
             "crypto_hash/echo256/aes/aes64", "crypto_hash/md5/ref"]  # fmt: skip
    assert sorted(place.text for place in found.places) == names
    assert list(named(tmp_path / "crypto_hash")) == names[1:]
    assert list(named(tmp_path / "crypto_hash" / "echo256")) == names[1:3]
    assert list(named(tmp_path / "crypto_hash" / "echo256" / "aes")) == names[1:3]
    assert list(named(tmp_path / "crypto_hash" / "echo256" / "aes" / "aes64")) == [names[2]]
    (tmp_path / "crypto_hash").rename(tmp_path / "mine")
    lone = tmp_path / "mine" / "md5" / "ref"
    assert list(named(lone, "crypto_hash/md5")) == ["crypto_hash/md5/ref"]
    with pytest.raises(UsageError, match="name that with --primitive crypto_hash/sha256"):
        find_tree(lone, None)
    (tmp_path / "crypto_hash").mkdir()
    with pytest.raises(UsageError, match="crypto_hash has no implementation in it"):
        find_tree(tmp_path / "crypto_hash", None)
    (tmp_path / "crypto_hash" / "md5").mkdir()
    with pytest.raises(UsageError, match="md5 is empty"):
        find_tree(tmp_path / "crypto_hash" / "md5", None)


def test_folders_that_are_no_implementation(make: Make, tmp_path: Path) -> None:
    """Each such folder has its reason; headers or notes beside code need none."""
    make("crypto_hash/md5/ref")
    make("crypto_hash/md5/ref/include").joinpath("api.h").unlink()
    (tmp_path / "crypto_hash" / "md5" / "empty").mkdir()
    make("crypto_hash/md5/group/sources").joinpath("api.h").unlink()
    (tmp_path / "crypto_hash" / "md5" / "notes").mkdir()
    (tmp_path / "crypto_hash" / "md5" / "notes" / "text").touch()
    (tmp_path / "crypto_hash" / "md5" / "out").symlink_to("/usr")
    (tmp_path / "crypto_hash" / "md5" / "loop").symlink_to("..")
    troubles = {name.split("/", 2)[2]: why for name, why in named(tmp_path).items()}
    assert troubles.pop("ref") is None
    assert troubles.pop("out") == "is a link that leads out of the tree, to /usr"
    assert troubles.pop("empty") == "is empty"
    assert "no api.h" in str(troubles.pop("notes"))
    assert "no api.h" in str(troubles.pop("group/sources"))
    assert troubles.pop("loop/md5") == "is a link to a folder above it, or lies too deep"
    assert troubles == {}


def test_a_folder_that_may_not_be_read(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is named with its reason, and the others are found."""
    make("crypto_hash/md5/closed")
    make("crypto_hash/md5/ref")
    scan = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert named(tmp_path / "crypto_hash") == {
        "crypto_hash/md5/closed": "cannot be read (Permission denied)",
        "crypto_hash/md5/ref": None,
    }


def trouble(folder: Path, root: Path) -> str:
    """Why the files of an implementation are not taken."""
    with pytest.raises(TroubleError) as caught:
        sources_of(ImplementationFolder("crypto_hash", "md5", folder.name, folder), root)
    return str(caught.value)


def test_files_that_are_not_taken(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link out of the tree, a pipe, too large a file, and a name no compiler reads."""
    folder = make("crypto_hash/md5/a")
    (folder / "passwd").symlink_to("/etc/passwd")
    assert trouble(folder, tmp_path).endswith("out of the tree: passwd to /etc/passwd")
    folder = make("crypto_hash/md5/b")
    os.mkfifo(folder / "pipe")
    assert trouble(folder, tmp_path) == "has something in it that is no file, pipe"
    folder = make("crypto_hash/md5/d", **{'a"\n.h': ""})
    assert (
        trouble(folder, tmp_path) == "has a file whose name no compiler reads, 'a\" .h'; rename it"
    )
    folder = make("crypto_hash/md5/e")
    (folder / "x.c").unlink()
    assert trouble(folder, tmp_path) == "has no file to compile (.c, .S, .s, or .cpp, .cc, .cxx)"
    folder = make("crypto_hash/md5/f")
    (folder / "gone.h").symlink_to("nowhere.h")
    assert trouble(folder, tmp_path).startswith("has a file that cannot be read, gone.h (No such")
    folder = make("crypto_hash/md5/g", table="0123456789" * 3)
    monkeypatch.setattr(intake, "_MOST_FILE_BYTES", 20)
    assert trouble(folder, tmp_path).endswith(", table, which is no source")
    monkeypatch.setattr(intake, "_MOST_FILE_BYTES", 30)
    monkeypatch.setattr(intake, "_MOST_BYTES", 29)
    assert trouble(folder, tmp_path).startswith("holds more than 2000 files or 0 MiB")


def test_links_inside_a_tree_and_folders_of_headers(make: Make, tmp_path: Path) -> None:
    """Both are taken; the files of another implementation that lies below are not."""
    make("crypto_hash/md5/other", **{"common.h": "common"})
    folder = make("crypto_hash/md5/ref")
    (folder / "common.h").symlink_to("../other/common.h")
    make("crypto_hash/md5/ref/headers").joinpath("api.h").unlink()
    make("crypto_hash/md5/ref/deeper")
    found = sources_of(ImplementationFolder("crypto_hash", "md5", "ref", folder), tmp_path)
    assert [(taken_file.name, taken_file.is_compiled) for taken_file in found] == [
        ("api.h", False), ("common.h", False), ("headers/x.c", False), ("x.c", True),
    ]  # fmt: skip
    assert found[1].content == b"common"


@pytest.mark.parametrize(
    ("machine", "text", "fits"),
    [
        ("x86_64", "amd64\n", True),
        ("x86_64", "armeabi\nx86\n", True),
        ("x86_64", "amd64 avx2\n", True),
        ("x86_64", "\n", True),
        ("x86_64", "armeabi neon\nppc64\n", False),
        ("aarch64", "amd64\nx86\n", False),
        ("riscv64", "riscv64\n", True),
    ],
)
def test_the_file_architectures(
    make: Make, tmp_path: Path, machine: str, text: str, fits: bool
) -> None:
    """The first word of a line is a machine."""
    folder = make("crypto_hash/md5/ref", architectures=text)
    sources = sources_of(ImplementationFolder("crypto_hash", "md5", "ref", folder), tmp_path)
    said = not_for_this_machine(sources, machine)
    assert (said is None) == fits
    assert (
        said is None or f"names {', '.join(line.split()[0] for line in text.splitlines())}" in said
    )


def test_checksums_of_functions(tmp_path: Path) -> None:
    """Our checksums are those of eBACS; a tree's checksums are read, or refused."""
    assert str(function_of("crypto_auth/siphash24").checksum).startswith("66a29d9f5bd7ac36")
    hmac = function_of("crypto_auth/hmacsha512256")
    assert str(hmac.checksum).startswith("15c0bb089c680e53")
    assert (hmac.output_bytes, hmac.whole_bytes, hmac.key_bytes) == (32, 64, 32)
    assert function_of("crypto_hash/nobody").algorithm is None
    assert tree_checksum(tmp_path) is None
    (tmp_path / "checksumsmall").write_text("0" * 64 + "\n")
    assert tree_checksum(tmp_path) == "0" * 64
    (tmp_path / "checksumsmall").write_text("none")
    with pytest.raises(UsageError, match="checksumsmall is not 64 hexadecimal digits"):
        tree_checksum(tmp_path)


def test_too_deep_is_told(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of folders without end is searched only to a limit."""
    monkeypatch.setattr(ebacs, "_DEEPEST", 2)
    make("crypto_hash/md5/a/b/c")
    assert "lies too deep" in str(named(tmp_path)["crypto_hash/md5/a/b/c"])
