# SPDX-License-Identifier: Apache-2.0
"""The headers and the library of the package lie where `joulemark` says; programs can use them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(sys.executable).parent
PAGE = "docs/how-to/use-the-library.md"
SAID = "packet 5 is not authentic\n"


def shell(line: str, folder: Path, **environment: str) -> str:
    """Runs a line as a reader with `joulemark` on the path would, and returns the output."""
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env={**os.environ, "PATH": path, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, line + done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def example(repository: Path, compiler: str, tmp_path: Path) -> Path:
    """A folder with the program of the page."""
    page = (repository / PAGE).read_text("utf-8")
    found = re.search(r"^```c\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert found
    (tmp_path / "packets.c").write_text(found[1], "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("option", "file"),
    [
        ("--include-dir", "joulemark/mac.h"),
        ("--include-dir", "joulemark/kernel.h"),
        ("--include-dir", "joulemark/cpu.h"),
        ("--library-dir", "libjoulemark.a"),
        ("--cmake-dir", "joulemarkConfig.cmake"),
    ],
)
def test_the_folder_that_is_printed_has_the_file(option: str, file: str, tmp_path: Path) -> None:
    """The output is one line, an absolute path."""
    folder = Path(shell(f"joulemark {option}", tmp_path).removesuffix("\n"))
    assert folder.is_absolute()
    assert (folder / file).is_file()


@pytest.mark.parametrize("header", ["mac.h", "kernel.h", "cpu.h"])
def test_the_headers_are_those_of_the_source(header: str, repository: Path, tmp_path: Path) -> None:
    """A package that is older than its source would not test the source."""
    folder = Path(shell("joulemark --include-dir", tmp_path).strip())
    source = repository / "kernels" / "include" / "joulemark" / header
    assert (folder / "joulemark" / header).read_bytes() == source.read_bytes()


def test_a_program_compiles_with_the_folders(example: Path) -> None:
    """The program also runs without a setting that says where libraries are."""
    shell(
        'cc -Wall -Wextra -Werror -I"$(joulemark --include-dir)" -o packets packets.c '
        '-L"$(joulemark --library-dir)" -ljoulemark -pthread',
        example,
    )
    assert shell("./packets", example) == SAID


def test_a_program_compiles_with_pkg_config(example: Path) -> None:
    """The package's description for pkg-config lies beside the library."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config; on Debian or Ubuntu: apt-get install pkg-config")
    shell(
        'PKG_CONFIG_PATH="$(joulemark --library-dir)/pkgconfig"; export PKG_CONFIG_PATH; '
        "cc -o packets packets.c $(pkg-config --cflags --libs joulemark)",
        example,
    )
    assert shell("./packets", example) == SAID


@pytest.mark.parametrize("target", ["mac", "mac_static"])
def test_a_program_compiles_with_cmake(example: Path, target: str) -> None:
    """Both names of the target mean the archive, the only library that is there."""
    (example / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(p C)\nfind_package(joulemark REQUIRED)\n"
        "add_executable(packets packets.c)\n"
        f"target_link_libraries(packets PRIVATE joulemark::{target})\n",
        "utf-8",
    )
    shell('cmake -S . -B b -G Ninja -Djoulemark_DIR="$(joulemark --cmake-dir)"', example)
    shell("cmake --build b", example)
    assert shell("b/packets", example) == SAID
