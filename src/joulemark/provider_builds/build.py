# SPDX-License-Identifier: Apache-2.0
"""Compiles a plugin for every installed outside library, from the sources in the package.

A build works in a folder beside the user's list, which is removed however the build ends. One
rename moves the folder of new plugins to its place, and then another replaces the list that names
the folder. So the user has all old plugins or all new ones.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from joulemark import __version__
from joulemark.catalogue import data_folder
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.foreign import ForeignError, shortened
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.processes.tool import ask_tool, run_tool
from joulemark.provider_builds import LIST_FILE, Built, Provider, interface, read_built
from joulemark.user_folders import held, write_whole

# The programs that a build needs, and the error for a missing program.

_VERSION_S: Final = 10.0
"""Longest wait for a compiler's version, which takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs of a build."""

    cmake: str
    generator: str
    """CMake's name of the generator."""
    compilers: tuple[str, str]
    """Compilers of C and of C++."""

    def versions(self) -> str:
        """Versions of both compilers, as they print them; another compiler makes other plugins."""
        return "\n".join(map(_version, self.compilers))


def _version(compiler: str) -> str:
    try:
        return ask_tool([compiler, "--version"], timeout_s=_VERSION_S).output
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{compiler} --version does not end within {_VERSION_S:g} s; name another compiler "
            "with CC and CXX"
        ) from None


def find_tools() -> Tools:
    """Finds the programs by the variables CC and CXX, on the search path, or beside this Python."""
    cmake = _find("cmake") or _missing("CMake", "cmake", "pip install cmake")
    c = _compiler("CC", ("cc", "gcc", "clang")) or _missing("a C compiler", "gcc")
    cxx = _compiler("CXX", ("c++", "g++", "clang++")) or _missing("a C++ compiler", "g++")
    if _find("ninja"):
        generator = "Ninja"
    elif _find("make"):
        generator = "Unix Makefiles"
    else:
        _missing("make", "make", "pip install ninja")
    return Tools(cmake, generator, (c, cxx))


def _compiler(variable: str, names: tuple[str, ...]) -> str | None:
    try:
        words = shlex.split(os.environ.get(variable, ""))
    except ValueError as error:
        raise UnavailableError(f"{variable}: {str(error).lower()}; close it") from None
    return next(filter(None, map(_find, words[:1] or names)), None)


def _find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _missing(what: str, package: str, other: str | None = None) -> str:
    remedy = f"on Debian or Ubuntu: apt-get install {package}" + (f" (or {other})" if other else "")
    raise UnavailableError(f"the providers cannot be built, {what} was not found; {remedy}")


_SOURCES: Final = data_folder("providers")


_HEADERS: Final = data_folder("c") / "include"


_TEMPORARY: Final = ".building-"


_LOG: Final = "build.log"


_LONGEST_S: Final = 600.0
"""Longest time of one step, for a compiler that hangs; a plugin takes some seconds."""


_NO_SPACE: Final = os.strerror(errno.ENOSPC)


@dataclass(frozen=True, slots=True)
class ProviderOutcome:
    """The outcome of a build."""

    providers: tuple[Provider, ...]
    compiled: bool
    """False if nothing was compiled, since nothing had changed since the last build."""


def build_providers(folder: Path, say: Callable[[str], None]) -> ProviderOutcome:
    """Compiles the plugins and lists them in the user's folder."""
    tools = find_tools()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder), tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=folder) as working:
            return _build(tools, folder, Path(working), say)
    except OSError as error:
        raise UnavailableError(
            f"{folder} cannot be written ({error.strerror or error}); nothing was changed; mend "
            "that, or set XDG_DATA_HOME to a folder that can be written"
        ) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Allows one build at a time, and removes the working folders of builds that were killed."""
    try:
        with held(folder / ".lock", at_once=True):
            for left in folder.glob(f"{_TEMPORARY}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
    except BlockingIOError:
        raise UnavailableError(
            f"another 'joulemark providers build' works in {folder}; wait until it has ended"
        ) from None


def _build(
    tools: Tools, folder: Path, working: Path, say: Callable[[str], None]
) -> ProviderOutcome:
    say("looking for libraries")
    tree = working / "build"
    log = working / _LOG
    code = _run(
        [
            tools.cmake,
            "-S",
            str(_SOURCES / "alone"),
            "-B",
            str(tree),
            "-G",
            tools.generator,
            f"-DCMAKE_C_COMPILER={tools.compilers[0]}",
            f"-DCMAKE_CXX_COMPILER={tools.compilers[1]}",
            f"-DJOULEMARK_INCLUDE_DIR={_HEADERS}",
        ],
        log,
    )
    if code:
        raise JoulemarkError(
            f"CMake cannot configure the providers: {_error_line(log)}; {_keep(log, folder)} has "
            "all that it said"
        )
    plugins = tree / "providers" / "plugins"
    providers = _read_providers(plugins / LIST_FILE)
    inputs = _inputs(tools, providers)
    before = _complete_build(folder)
    if before is not None and before.inputs == inputs:
        return ProviderOutcome(before.providers, compiled=False)
    compiled = [_compile(tools, provider, tree, log, folder, say) for provider in providers]
    name = inputs[:16]
    with suppress(FileNotFoundError):
        shutil.rmtree(folder / name)
    plugins.rename(folder / name)
    built = Built(__version__, interface(), inputs, name, tuple(compiled))
    _write_list(built, folder)
    for old in folder.iterdir():
        if old.is_dir() and old.name not in {name, working.name}:
            shutil.rmtree(old, ignore_errors=True)
    return ProviderOutcome(built.providers, compiled=True)


def _run(arguments: Sequence[str], log: Path) -> int:
    """Runs a program, whose output goes to the log, and returns its exit code."""
    with log.open("ab") as output:
        try:
            code = run_tool(arguments, output=output, timeout_s=_LONGEST_S)
        except subprocess.TimeoutExpired:
            code = 1
            output.write(f"\nError: it was ended after {_LONGEST_S:g} s\n".encode())
    if code and _NO_SPACE in log.read_text("utf-8", "replace"):
        raise OSError(errno.ENOSPC, _NO_SPACE)
    return code


def _read_providers(listing: Path) -> list[Provider]:
    try:
        return [record_from_json(Provider, entry) for entry in parse_json(listing.read_bytes())]
    except ForeignError as error:
        raise JoulemarkError(f"CMake wrote a list that cannot be read ({error})") from None


def _inputs(tools: Tools, providers: Sequence[Provider]) -> str:
    """SHA-256 of all that the plugins depend on: Joulemark, compilers, sources, libraries."""
    total = hashlib.sha256(f"{__version__}\n{tools.versions()}\n".encode())
    for folder in (_SOURCES, _HEADERS):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                total.update(f"{path.relative_to(folder)}\n".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
    for provider in providers:
        total.update(json.dumps(asdict(provider)).encode())
        for library in filter(None, provider.libraries.split(";")):
            facts = os.stat(library)  # noqa: PTH116 - through links, to the file of the library
            total.update(f"{facts.st_size} {facts.st_mtime_ns}\n".encode())
    return total.hexdigest()


def _complete_build(folder: Path) -> Built | None:
    """The last build; None if its list cannot be read or a plugin of it is missing."""
    with suppress(JoulemarkError):
        built = read_built(folder)
        if built is not None and all(
            provider.plugin(folder / built.folder).is_file()
            for provider in built.providers
            if provider.built
        ):
            return built
    return None


def _compile(
    tools: Tools,
    provider: Provider,
    tree: Path,
    log: Path,
    folder: Path,
    say: Callable[[str], None],
) -> Provider:
    """Compiles the plugin of a provider; returns the provider, with a reason if that failed."""
    if not provider.built:
        return provider
    say(f"compiling {provider.name}")
    target = f"jm_provider_{provider.name}"
    if _run([tools.cmake, "--build", str(tree), "--target", target], log) == 0:
        return provider
    reason = (
        f"its plugin cannot be compiled with the library that is here; {_keep(log, folder)} has "
        "what the compiler said"
    )
    return replace(provider, built=False, reason=reason)


def _keep(log: Path, folder: Path) -> Path:
    """Copies the log to the user's folder; returns the path of the copy."""
    return Path(shutil.copyfile(log, folder / _LOG))


def _error_line(log: Path) -> str:
    lines = filter(None, map(str.strip, log.read_text("utf-8", "replace").splitlines()))
    # A line in which CMake names a place is followed by the error there.
    errors = (
        next(lines, line) if line.endswith("(message):") else line
        for line in lines
        if "rror" in line
    )
    return shortened(next(errors, "it says nothing"), 200)


def _write_list(built: Built, folder: Path) -> None:
    write_whole(folder / LIST_FILE, json.dumps(asdict(built), indent=1).encode())
