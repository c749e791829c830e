# SPDX-License-Identifier: Apache-2.0
"""Builds of the C sources that several tests use: kept between runs, one process at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["NATIVE_TESTS", "build"]

NATIVE_TESTS = {
    "CMAKE_BUILD_TYPE": "Release", "JOULEMARK_NATIVE_TESTS": "ON",
    "JOULEMARK_BINDINGS": "OFF", "JOULEMARK_PROVIDERS": "OFF",
    "JOULEMARK_WARNINGS_AS_ERRORS": "ON",
}  # fmt: skip
"""CMake's options for the programs in tests/native; the providers are those of `make setup`."""
_UNSANITIZED = "-fno-sanitize=all"
_TAKE = Path(__file__).with_name("take_installed_object.sh")


def build(
    repository: Path,
    name: str,
    options: Mapping[str, str],
    targets: Sequence[str] = ("all",),
    *,
    as_installed: bool = False,
    installed_at_least: str = "",
) -> Path:
    """Configures `build/<name>` with the CMake options, builds the targets, returns the folder.

    Args:
        repository: root of the source tree.
        name: of the folder.
        options: of CMake.
        targets: of CMake.
        as_installed: whether objects may be those that `make setup` compiled with the same options,
            and those without sanitizers that it compiled with any.
        installed_at_least: pattern of the sources whose objects may be those of `make setup`
            whatever compiler and options this build has.
    """
    folder = repository / "build" / name
    same = folder / "installed_objects.txt"
    if as_installed or installed_at_least:
        options = {**options, "CMAKE_C_COMPILER_LAUNCHER": f"{_TAKE};{same}"}
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}

    def run(*command: str | Path) -> None:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("cmake", "-S", repository, "-B", folder, "-G", "Ninja",
            *(f"-D{option}={value}" for option, value in options.items()))  # fmt: skip
        if as_installed or installed_at_least:
            any_way = re.compile(installed_at_least) if installed_at_least else None
            lines = _installed(repository, folder, folder.with_name("wheel"), any_way)
            same.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        run("cmake", "--build", folder, "--target", *targets)
    return folder


def _installed(
    repository: Path, folder: Path, installed: Path, any_way: re.Pattern[str] | None
) -> list[str]:
    """Pairs of an object and the same object of the installed build, whose commands agree.

    If `any_way` matches the name of an object, its commands need not agree.

    In a build with sanitizers, an object without them may be the installed one. An installed object
    that is older than any source may be of another text, and is left out.
    """
    changed_s = max(
        path.stat().st_mtime
        for part in ("kernels", "harness")
        for path in (repository / part).rglob("*")
        if path.suffix in {".c", ".h"}
    )
    theirs = _commands(installed)
    return [
        f"{output} {installed / output}"
        for output, command in _commands(folder).items()
        if (_serves(theirs.get(output, [""]), command) or (any_way and any_way.search(output)))
        and (installed / output).is_file()
        and (installed / output).stat().st_mtime > changed_s
    ]


def _serves(installed: list[str], asked: list[str]) -> bool:
    """Whether the object that one command makes may stand for the object of the other."""
    return installed == asked or (installed[0] == asked[0] and _UNSANITIZED in asked)


def _commands(folder: Path) -> dict[str, list[str]]:
    """Objects of a build with the words that compile them, under the compiler's real path."""
    try:
        entries = json.loads((folder / "compile_commands.json").read_text("utf-8"))
    except OSError:
        return {}
    found = {}
    for entry in entries:
        words = [word for word in entry["command"].split() if not word.startswith(str(_TAKE))]
        words = [word for word in words if not word.endswith("installed_objects.txt")]
        compiler = shutil.which(words[0]) or words[0]
        found[words[words.index("-o") + 1]] = [os.path.realpath(compiler), *words[1:]]
    return found
