# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers`: plugins compiled on this machine, whole or not at all."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joulemark import provider_builds
from joulemark.cli import entry
from joulemark.cli.plugins import print_providers
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.provider_builds import (
    Built,
    ListedProvider,
    Provider,
    build,
    interface,
    listed,
    read_built,
)

TOOLS = Path(sys.executable).parent
"""Folder of this interpreter, which has cmake and ninja."""
BUILD_LIMIT_S = 240
"""Eleven plugins take 10 s of CPU time, and other tests run at the same time."""


@pytest.fixture
def data_home(tmp_path: Path) -> Path:
    """The user's folder of data, empty."""
    return tmp_path / "data"


@pytest.fixture
def build_here(data_home: Path, command):
    """Runs `joulemark providers build` for that folder in a separate process."""

    def call(*words: str, **variables: str):
        environment = {**os.environ, "XDG_DATA_HOME": str(data_home), **variables}
        environment["PATH"] = variables.get("PATH", f"{TOOLS}{os.pathsep}{os.environ['PATH']}")
        return command("providers", *(words or ("build",)), env=environment, timeout=BUILD_LIMIT_S)

    return call


def small(folder: Path, *, code: str = "int one(void) { return 1; }") -> None:
    """Writes C sources of two providers: one needs the C library alone, one a missing header.

    The second has two lines with one package, as a library whose versions differ in their headers.
    """
    folder.mkdir(parents=True)
    package = Path(build.__file__).parents[1] / "data" / "providers"
    shutil.copytree(package / "alone", folder / "alone")
    project = folder / "alone" / "CMakeLists.txt"
    project.write_text(project.read_text().replace("LANGUAGES C CXX", "LANGUAGES C"))
    for name in ("provider.cmake", "exports.map", "compile_options.cmake"):
        shutil.copy(package / name, folder)
    (folder / "releases.json").write_text('{"releases": {}, "packages": {}}')
    (folder / "here.c").write_text(code)
    (folder / "nowhere.c").write_text(code)
    (folder / "CMakeLists.txt").write_text(
        "include(provider.cmake)\n"
        'jm_provider(here TITLE "Here" HEADER math.h LIBRARIES m PACKAGE libc6-dev)\n'
        'jm_provider(nowhere TITLE "New" HEADER nowhere2.h LIBRARIES m PACKAGE libnowhere-dev)\n'
        'jm_provider(nowhere TITLE "Nowhere" HEADER nowhere.h LIBRARIES m PACKAGE libnowhere-dev)\n'
        "jm_write_provider_list()\n"
    )


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small sources replace those of the package, and cmake and ninja are on the path."""
    folder = tmp_path / "sources"
    small(folder)
    monkeypatch.setattr(build, "_SOURCES", folder)
    monkeypatch.setenv("PATH", f"{TOOLS}{os.pathsep}{os.environ['PATH']}")
    return folder


def built(place: Path) -> build.ProviderOutcome:
    """Builds the small sources."""
    return build.build_providers(place, lambda _words: None)


def files(place: Path) -> dict[str, bytes]:
    """Contents of all files in the user's folder, except the lock."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_libraries_of_this_machine_are_built_and_found(build_here, data_home, command) -> None:
    """Each library of the installed package is built from its sources, loaded and listed."""
    packaged = {provider.name for provider in provider_builds.of_the_package() if provider.built}
    if not packaged:
        pytest.skip("no outside library is here; on Debian or Ubuntu: apt-get install nettle-dev")
    done = build_here()
    assert done.returncode == 0, done.stderr
    found = read_built(data_home / "joulemark" / "providers")
    assert {provider.name for provider in found.providers if provider.built} == packaged
    again = build_here()
    assert again.returncode == 0
    assert b"Nothing has changed" in again.stdout
    assert b"compiling" in done.stderr
    assert b"compiling" not in again.stderr


def test_a_library_without_a_package_is_named_with_the_reason(command) -> None:
    """XKCP has no plugin anywhere, and the list says why."""
    (xkcp,) = [provider for provider in provider_builds.of_the_package() if provider.name == "xkcp"]
    assert (xkcp.built, xkcp.package) == (False, "")
    assert "no package of Debian" in (xkcp.reason or "")
    lines = command("providers").stdout.decode().splitlines()
    assert [line for line in lines if line.startswith("xkcp ") and f": {xkcp.reason}" in line]


def test_a_plugin_of_the_user_is_taken(sources, tmp_path) -> None:
    """The user's plugin is taken where the package has none; the package's plugin is preferred."""
    place = tmp_path / "user"
    assert built(place).compiled
    package = package_without_plugins(tmp_path)
    entries = [
        {"name": name, "title": name, "package": "p", "built": False, "reason": "not built"}
        for name in ("here", "nowhere", "later")
    ]
    (package / "providers.json").write_text(json.dumps(entries))
    here, nowhere, later = listed(package, place)
    assert here.plugin == place / read_built(place).folder / "here.so"
    assert nowhere.unavailable == (
        "header nowhere.h not found; on Debian or Ubuntu: apt-get install libnowhere-dev, "
        "then joulemark providers build"
    )
    assert read_built(place).providers[1].title == "Nowhere"
    assert later.unavailable == "not built"
    entries[0]["built"], entries[0]["reason"] = True, None
    (package / "here.so").write_bytes(b"")
    (package / "providers.json").write_text(json.dumps(entries))
    assert listed(package, place)[0].plugin == package / "here.so"


def test_the_package_of_this_release_is_advised(sources, tmp_path) -> None:
    """The advice names the first package that this release has, or that it has none."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    if not release:
        pytest.skip("the system's release has no codename, so all packages are named")
    lines = (sources / "CMakeLists.txt").read_text()
    old = next(line for line in lines.splitlines() if "nowhere" in line)
    lines = lines.replace(old, f"{old}\n{old.replace('libnowhere-dev', 'libnowhere-1-dev')}")
    (sources / "CMakeLists.txt").write_text(lines)
    has = {"libnowhere-dev": False, "libnowhere-1-dev": True}

    def said() -> str:
        facts = {"releases": {release: "Debian 99"},
                 "packages": {name: {release: here} for name, here in has.items()}}  # fmt: skip
        (sources / "releases.json").write_text(json.dumps(facts))
        _, nowhere = built(tmp_path / "user").providers
        return f"{nowhere.package}: {nowhere.reason}"

    found = "header nowhere.h not found; on Debian 99: apt-get install"
    then = "then joulemark providers build"
    assert said() == f"libnowhere-1-dev: {found} libnowhere-1-dev, {then}"
    has["libnowhere-dev"] = True
    assert said() == f"libnowhere-dev: {found} libnowhere-dev, {then}"
    has |= {"libnowhere-dev": False, "libnowhere-1-dev": False}
    assert "Debian 99 has no package of it (libnowhere-dev or libnowhere-1-dev); " in said()


def test_nothing_is_compiled_twice(sources, tmp_path) -> None:
    """Plugins are compiled again only after a source changed, or a plugin or the list is gone."""
    place = tmp_path / "user"
    assert built(place).compiled
    before = files(place)
    assert not built(place).compiled
    assert files(place) == before
    (sources / "here.c").write_text("int two(void) { return 2; }")
    assert built(place).compiled
    assert len([path for path in place.iterdir() if path.is_dir()]) == 1
    read_built(place).providers[0].plugin(place / read_built(place).folder).unlink()
    assert built(place).compiled
    (place / "providers.json").write_text("damaged")
    assert built(place).compiled
    assert read_built(place).providers[0].built


def package_without_plugins(folder: Path) -> Path:
    """A package that knows the provider `here` and has no plugin of it."""
    package = folder / "package"
    package.mkdir()
    known = {"name": "here", "title": "H", "package": "p", "built": False, "reason": "no"}
    (package / "providers.json").write_text(json.dumps([known]))
    return package


def test_a_plugin_of_another_joulemark_is_refused(sources, tmp_path, monkeypatch) -> None:
    """A plugin of another Joulemark and a damaged list are refused with the remedy."""
    place, package = tmp_path / "user", package_without_plugins(tmp_path)
    built(place)
    for name, value in (("__version__", "9.9"), ("interface", lambda: "other")):
        with monkeypatch.context() as other:
            other.setattr(provider_builds, name, value)
            found = listed(package, place)[0]
        assert found.plugin is None
        assert "built for another Joulemark" in found.unavailable
        assert found.unavailable.endswith("joulemark providers build builds it again")
    assert listed(package, place)[0].plugin is not None
    (place / "providers.json").write_text("damaged")
    assert listed(package, place)[0].unavailable.endswith("providers build writes it again")


def test_a_plugin_that_others_may_write_is_not_loaded(sources, tmp_path, monkeypatch) -> None:
    """The command under umask 000 makes none that others may write; such a plugin is refused."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["joulemark", "providers", "build"])
    fork = multiprocessing.get_context("fork").Process
    process = fork(target=lambda: [os.umask(0), entry.main()])
    process.start()
    process.join()
    place, package = tmp_path / "joulemark" / "providers", package_without_plugins(tmp_path)
    [found] = listed(package, place)
    assert found.plugin is not None
    for path in (found.plugin, found.plugin.parent):
        mode = path.stat().st_mode
        assert not mode & stat.S_IWOTH, path
        path.chmod(mode | stat.S_IWOTH)
        [refused] = listed(package, place)
        assert f"others than you may write {path}, so its" in (refused.unavailable or "")
        path.chmod(mode)


def test_a_library_that_does_not_serve_leaves_the_others(sources, tmp_path) -> None:
    """A provider that does not compile names the compiler's log, and the other is built."""
    place = tmp_path / "user"
    (sources / "CMakeLists.txt").write_text(
        (sources / "CMakeLists.txt").read_text().replace("HEADER nowhere.h", "HEADER math.h")
    )
    (sources / "nowhere.c").write_text("#error too old\n")
    here, nowhere = built(place).providers
    assert here.built
    assert not nowhere.built
    assert str(place / "build.log") in nowhere.reason
    assert "too old" in (place / "build.log").read_text()


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        (("cmake",), "CMake was not found; on Debian or Ubuntu: apt-get install cmake"),
        (
            ("cc", "gcc", "clang"),
            "a C compiler was not found; on Debian or Ubuntu: apt-get install gcc",
        ),
        (("c++", "g++", "clang++"), "a C++ compiler was not found"),
        (("ninja", "make"), "make was not found"),
    ],
    ids=["cmake", "C", "C++", "make"],
)
def test_a_missing_program_is_named(refused, monkeypatch, tmp_path, hidden, said) -> None:
    """A missing program is named with its Debian package, and nothing is written."""
    real = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name in hidden else real(name, **more)
    )
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for variable in ("CC", "CXX"):
        monkeypatch.delenv(variable, raising=False)
    assert said in refused("providers", "build")
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_written_is_named(sources, tmp_path, monkeypatch, run) -> None:
    """A folder that cannot be written gives one sentence with a way out."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    result = run("providers", "build")
    assert result.exit_code == 2
    assert "cannot be written (Not a directory)" in result.stderr
    assert "set XDG_DATA_HOME" in result.stderr


@pytest.mark.parametrize("step", ["rename", "replace", "compile"])
def test_a_full_disk_leaves_the_old_plugins(sources, tmp_path, monkeypatch, run, step) -> None:
    """A disk that is full while compiling, moving or writing the list leaves the old plugins."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = tmp_path / "data" / "joulemark" / "providers"
    built(place)
    before = read_built(place)

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    (sources / "here.c").write_text("int two(void) { return 2; }")
    with monkeypatch.context() as broken:
        if step == "rename":
            broken.setattr(Path, "rename", full)
        elif step == "replace":
            broken.setattr(os, "replace", full)
        else:
            (sources / "here.c").write_text('#error "No space left on device"\n')
        result = run("providers", "build")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr.splitlines()[-1]
    assert "nothing was changed" in result.stderr
    assert read_built(place) == before
    assert before.providers[0].plugin(place / before.folder).is_file()
    assert list(place.glob(".building-*")) == []


def test_an_interrupted_build_leaves_nothing(data_home, command) -> None:
    """Ctrl-C during a build leaves no list, no plugin and no folder."""
    place = data_home / "joulemark" / "providers"
    environment = {**os.environ, "XDG_DATA_HOME": str(data_home),
                   "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "providers", "build"],
        env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr.readline().startswith("looking for libraries")
    while not list(place.glob(".building-*/build/CMakeCache.txt")):
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert files(place) == {}
    assert [path for path in place.iterdir() if path.is_dir()] == []


def test_what_a_killed_build_left_goes(sources, tmp_path) -> None:
    """The next build removes a killed build's folder; two builds at once are refused."""
    place = tmp_path / "user"
    built(place)
    left = place / ".building-old"
    left.mkdir()
    assert not built(place).compiled
    assert not left.exists()
    with build._alone(place), pytest.raises(build.UnavailableError, match="another"):
        built(place)


def test_the_list_says_where_plugins_are(run, monkeypatch, tmp_path) -> None:
    """Text and JSON say where each plugin is; `joulemark providers` alone prints the list."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    plain = run("providers")
    assert plain.exit_code == 0
    assert plain.stdout == run("providers", "list").stdout
    rows = json.loads(run("providers", "list", "--json").stdout)["providers"]
    assert [row["provider"] for row in rows] == [
        provider.name for provider in provider_builds.of_the_package()
    ]
    for row in rows:
        assert (row["plugin"] is None) == (row["unavailable"] is not None)
        assert f"{row['title']}: {row['unavailable'] or 'from the package'}" in plain.stdout


def test_a_list_is_read_as_it_was_written(tmp_path) -> None:
    """Each field of a written list is read back."""
    whole = Built("1", interface(), "ab", "cd", (Provider("a", "A", "p", True, None, "/x;/y"),))
    build._write_list(whole, tmp_path)
    assert read_built(tmp_path) == whole


def test_a_compiler_that_hangs_is_ended(sources, tmp_path, monkeypatch, run) -> None:
    """A compiler that hangs is ended, asked for its version or compiling; a bad CC is named."""
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nsleep 600\n")
    hanging.chmod(0o755)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("CC", str(hanging))
    monkeypatch.setattr(build, "_VERSION_S", 0.5)
    with pytest.raises(UnavailableError, match=r"--version does not end within 0.5 s; name"):
        build.find_tools().versions()
    with monkeypatch.context() as short:
        short.setattr(build, "_LONGEST_S", 2.0)
        said = run("providers", "build")
    assert said.exit_code == 2
    assert "CMake cannot configure the providers: Error: it was ended after 2 s" in said.stderr
    monkeypatch.setenv("CC", 'gcc "')
    assert "CC: no closing quotation; close it" in run("providers", "build").stderr


def test_what_cmake_found_wrong_is_said(tmp_path) -> None:
    """CMake's own message is reported, and not only the file that has the error."""
    log = tmp_path / "log"
    log.write_text("CMake Error at a.cmake:65 (message):\n\n  The C compiler is broken.\n")
    assert build._error_line(log) == "The C compiler is broken."


def test_a_list_made_by_another_hand(sources, tmp_path, capsys) -> None:
    """A changed list leads to no other folder, and its control signs do not reach the screen."""
    whole = Built("1", interface(), "ab", "../elsewhere", ())
    build._write_list(whole, tmp_path)
    with pytest.raises(JoulemarkError, match="no name of a folder beside the list"):
        read_built(tmp_path)
    print_providers([ListedProvider(Provider("a", "\x1b[2J", "p", False, None), None, "\x07")])
    assert capsys.readouterr().out == "a  \\x1b[2J: \\x07\n"
