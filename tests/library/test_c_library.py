# SPDX-License-Identifier: Apache-2.0
"""The C library as a program meets it: installed, found, linked, run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import joulemark

TOOLS = Path(sys.executable).parent
PAGE = "docs/how-to/use-the-library.md"
EXPORTS = re.compile(
    r"jm_mac_\w+|jm_version|jm_status_text|jm_builtin_plugin|jm_cpu_features?(_name)?"
)


def run(*command: str | Path, **environment: str) -> str:
    """Runs a program that must succeed and returns its standard output."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(c_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, built and installed as its page says, then moved to another folder."""
    first = tmp_path_factory.mktemp("first")
    run("cmake", "--install", c_library, "--prefix", first)
    moved = tmp_path_factory.mktemp("second") / "joulemark"
    first.rename(moved)
    return moved


@pytest.fixture(scope="module")
def example(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's program in a separate folder, with the page's CMake lines."""
    page = (repository / PAGE).read_text("utf-8")
    folder = tmp_path_factory.mktemp("example")
    for language, name, before in (
        ("c", "packets.c", ""),
        ("cmake", "CMakeLists.txt", "cmake_minimum_required(VERSION 3.24)\nproject(p C)\n"),
    ):
        found = re.search(rf"^```{language}\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
        assert found, language
        (folder / name).write_text(before + found[1], "utf-8")
    return folder


def library_folder(installed: Path) -> Path:
    """The folder of the installation that has the libraries: lib, lib64 or lib/<architecture>."""
    return next(installed.rglob("libjoulemark.a")).parent


def test_what_is_installed(installed: Path) -> None:
    """Only headers, both libraries with a version, and both package descriptions are installed."""
    folder = library_folder(installed)
    assert {path.name for path in (installed / "include" / "joulemark").iterdir()} == {
        "mac.h", "kernel.h", "cpu.h"
    }  # fmt: skip
    assert (folder / "libjoulemark.so").resolve() == (folder / "libjoulemark.so.0").resolve()
    assert (folder / "pkgconfig" / "joulemark.pc").is_file()
    assert sorted(path.name for path in installed.iterdir()) == sorted({
        "include", folder.relative_to(installed).parts[0]
    })  # fmt: skip


def test_exported_symbols(installed: Path) -> None:
    """Programs see the functions of the headers, and none of the kernels."""
    names = run("nm", "-D", "--defined-only", library_folder(installed) / "libjoulemark.so")
    symbols = {line.split()[-1] for line in names.splitlines()}
    assert "jm_mac_verify_batch" in symbols
    assert not {symbol for symbol in symbols if not EXPORTS.fullmatch(symbol)}


def test_every_declared_function_is_exported(installed: Path) -> None:
    """A program that calls anything in mac.h links."""
    header = (installed / "include" / "joulemark" / "mac.h").read_text("utf-8")
    declared = set(re.findall(r"^JM_API [^;(]*?(\w+)\(", header, flags=re.MULTILINE))
    names = run("nm", "-D", "--defined-only", library_folder(installed) / "libjoulemark.so")
    assert len(declared) > 20
    assert declared <= {line.split()[-1] for line in names.splitlines()}


def test_example_with_pkg_config(installed: Path, example: Path) -> None:
    """With pkg-config's flags the page's program compiles without a warning and runs."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config; on Debian or Ubuntu: apt-get install pkg-config")
    folder = library_folder(installed)
    flags = run("pkg-config", "--cflags", "--libs", "joulemark",
                PKG_CONFIG_PATH=str(folder / "pkgconfig")).split()  # fmt: skip
    program = example / "packets"
    run("cc", "-Wall", "-Wextra", "-Werror", "-o", program, example / "packets.c", *flags)
    assert run(program, LD_LIBRARY_PATH=str(folder)) == "packet 5 is not authentic\n"


@pytest.mark.parametrize("sysroot", [False, True])
def test_pkg_config_sets_no_path_for_the_loader(sysroot: bool, installed: Path) -> None:
    """Where the library will lie on the machine that runs the program is not known here."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config; on Debian or Ubuntu: apt-get install pkg-config")
    folder = library_folder(installed)
    environment = {"PKG_CONFIG_PATH": str(folder / "pkgconfig")}
    if sysroot:
        environment |= {"PKG_CONFIG_SYSROOT_DIR": str(installed)}
    flags = run("pkg-config", "--libs", "joulemark", **environment).split()
    assert not [flag for flag in flags if flag.startswith("-Wl")]
    (searched,) = [Path(flag.removeprefix("-L")) for flag in flags if flag.startswith("-L")]
    assert searched.resolve() == folder.resolve()


OUTER_PROJECT = """\
cmake_minimum_required(VERSION 3.24)
project(outer VERSION 7.8.9 LANGUAGES C)
%s
foreach(target joulemark::mac joulemark::mac_static)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "no ${target}")
  endif()
endforeach()
foreach(target _core openssl jm_harness arith forgets castellon2022)
  if(TARGET ${target})
    message(FATAL_ERROR "${target} is no part of the C library")
  endif()
endforeach()
if(CMAKE_BUILD_TYPE OR CMAKE_EXPORT_COMPILE_COMMANDS OR NOT PROJECT_VERSION STREQUAL "7.8.9")
  message(FATAL_ERROR "settings of the outer project are changed")
endif()
foreach(library mac mac_static)
  add_executable(packets_${library} packets.c)
  target_link_libraries(packets_${library} PRIVATE joulemark::${library})
endforeach()
"""
TAKEN_IN = {
    "add_subdirectory": "add_subdirectory({repository} joulemark)",
    "FetchContent": "include(FetchContent)\n"
    "FetchContent_Declare(joulemark SOURCE_DIR {repository})\n"
    "FetchContent_MakeAvailable(joulemark)",
}


def configured(way: str, repository: Path, example: Path, folder: Path) -> Path:
    """The build folder of a project that takes this one in."""
    lines = TAKEN_IN[way].format(repository=repository)
    (folder / "CMakeLists.txt").write_text(OUTER_PROJECT % lines, "utf-8")
    shutil.copy(example / "packets.c", folder)
    run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja")
    return folder / "build"


@pytest.mark.parametrize("way", TAKEN_IN)
def test_another_project_takes_the_library_in(
    way: str, repository: Path, example: Path, tmp_path: Path
) -> None:
    """It gets both targets, nothing but the C library, and keeps its own settings."""
    build = configured(way, repository, example, tmp_path)
    files = run("cmake", "--build", build, "--", "-t", "targets", "all")
    assert not re.search(r"harness/|bindings/|providers/|tests/", files)


@pytest.mark.exhaustive
def test_another_project_builds_with_the_library(
    repository: Path, example: Path, tmp_path: Path
) -> None:
    """The programs of such a project build and run, without a setting for the loader."""
    build = configured("add_subdirectory", repository, example, tmp_path)
    run("cmake", "--build", build)
    for program in ("packets_mac", "packets_mac_static"):
        assert run(build / program) == "packet 5 is not authentic\n"


VERSION_PROGRAM = """\
#include <joulemark/mac.h>
#include <stdio.h>
int main(void) {
    printf("%s %s %d.%d.%d", jm_version(), JOULEMARK_VERSION, JOULEMARK_VERSION_MAJOR,
           JOULEMARK_VERSION_MINOR, JOULEMARK_VERSION_PATCH);
    return 0;
}
"""


def test_version_of_header_and_library(installed: Path, tmp_path: Path) -> None:
    """Numbers and text of the header, the library, pkg-config and the package are one version."""
    source, folder = tmp_path / "version.c", library_folder(installed)
    source.write_text(VERSION_PROGRAM, "utf-8")
    run("cc", f"-I{installed / 'include'}", source, "-o", tmp_path / "version",
        folder / "libjoulemark.a", "-pthread")  # fmt: skip
    assert run(tmp_path / "version").split() == [joulemark.__version__] * 3
    described = (folder / "pkgconfig" / "joulemark.pc").read_text("utf-8")
    assert f"Version: {joulemark.__version__}\n" in described


@pytest.mark.parametrize("target", ["mac", "mac_static"])
def test_example_with_cmake(target: str, installed: Path, example: Path, tmp_path: Path) -> None:
    """The page's CMake lines find the moved installation; both targets link."""
    lines = (example / "CMakeLists.txt").read_text("utf-8")
    (tmp_path / "CMakeLists.txt").write_text(lines.replace("::mac", f"::{target}"), "utf-8")
    shutil.copy(example / "packets.c", tmp_path)
    build = tmp_path / "build"
    run("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    run("cmake", "--build", build)
    assert run(build / "packets") == "packet 5 is not authentic\n"


def test_header_serves_cpp(installed: Path, tmp_path: Path) -> None:
    """A C++ program may include the header and link."""
    source = tmp_path / "main.cpp"
    source.write_text(
        '#include <joulemark/mac.h>\nint main() { return !jm_mac_find("hmac-sha1"); }\n', "utf-8"
    )
    program, folder = tmp_path / "main", library_folder(installed)
    run("c++", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{installed / 'include'}", source,
        "-o", program, folder / "libjoulemark.a", "-pthread")  # fmt: skip
    run(program)
