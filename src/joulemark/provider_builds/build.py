# SPDX-License-Identifier: Apache-2.0
"""Compiles a plugin for every outside library that is here, from the sources in the package.

All happens in a folder beside the user's list, which goes however the build ends. What was built is
moved to its place, and only then the list that names it is replaced, by one rename each. So there
are the old plugins or the new ones, never a part.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from joulemark import __version__
from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import shortened
from joulemark.processes.tool import run_tool
from joulemark.provider_builds.compilers import Tools, find_tools
from joulemark.provider_builds.listing import LIST_FILE, Built, Provider, interface, read_built

__all__ = ["Outcome", "build_providers"]

_SOURCES: Final = data_folder("providers")
_HEADERS: Final = data_folder("c") / "include"
_TEMPORARY: Final = ".building-"
_LOG: Final = "build.log"
_LONGEST_S: Final = 600.0
"""Of one step; a plugin takes some seconds, a compiler that hangs takes for ever."""
_NO_SPACE: Final = os.strerror(errno.ENOSPC)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build came to."""

    providers: tuple[Provider, ...]
    compiled: bool
    """False: nothing has changed since the last build, and nothing was compiled."""


def build_providers(place: Path, say: Callable[[str], None]) -> Outcome:
    """Compiles the plugins and makes them the user's.

    Args:
        place: the folder of the user's list.
        say: is told what is being done.

    Raises:
        UnavailableError: a program is missing, the folder cannot be written, another build runs.
        JoulemarkError: the sources cannot be configured.
    """
    tools = find_tools()
    with _refusals_of(place):
        place.mkdir(parents=True, exist_ok=True)
        with _alone(place), tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=place) as working:
            return _built(tools, place, Path(working), say)


@contextmanager
def _refusals_of(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"{place} cannot be written ({error.strerror or error}); nothing was changed; mend "
            "that, or set XDG_DATA_HOME to a folder that can be written"
        ) from None


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """One build at a time; removes what one that was killed has left."""
    with (place / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnavailableError(
                f"another 'joulemark providers build' works in {place}; wait until it has ended"
            ) from None
        for left in place.glob(f"{_TEMPORARY}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _built(tools: Tools, place: Path, working: Path, say: Callable[[str], None]) -> Outcome:
    say("looking for libraries")
    made = working / "build"
    log = working / _LOG
    code = _run(
        [tools.cmake, "-S", str(_SOURCES / "alone"), "-B", str(made), "-G", tools.generator,
         f"-DCMAKE_C_COMPILER={tools.compilers[0]}", f"-DCMAKE_CXX_COMPILER={tools.compilers[1]}",
         f"-DJOULEMARK_INCLUDE_DIR={_HEADERS}"],
        log,
    )  # fmt: skip
    if code:
        raise JoulemarkError(
            f"CMake cannot configure the providers: {_last_line(log)}; {_kept(log, place)} has all "
            "that it said"
        )
    plugins = made / "providers" / "plugins"
    found = _providers(plugins / LIST_FILE)
    inputs = _inputs(tools, found)
    before = _before(place)
    if before is not None and before.inputs == inputs and _whole(before, place):
        return Outcome(before.providers, compiled=False)
    done = [_compiled(tools, provider, made, log, place, say) for provider in found]
    folder = inputs[:16]
    with suppress(FileNotFoundError):
        shutil.rmtree(place / folder)
    plugins.rename(place / folder)
    built = Built(__version__, interface(), inputs, folder, tuple(done))
    _write_list(built, place)
    for old in place.iterdir():
        if old.is_dir() and old.name not in {folder, working.name}:
            shutil.rmtree(old, ignore_errors=True)
    return Outcome(built.providers, compiled=True)


def _run(arguments: Sequence[str], log: Path) -> int:
    """Runs a program, with all that it prints in the log.

    Raises:
        OSError: the disk is full.
    """
    with log.open("ab") as output:
        try:
            code = run_tool(arguments, output=output, timeout_s=_LONGEST_S)
        except subprocess.TimeoutExpired:
            code = 1
            output.write(f"\nError: it was ended after {_LONGEST_S:g} s\n".encode())
    if code and _NO_SPACE in log.read_text("utf-8", "replace"):
        raise OSError(errno.ENOSPC, _NO_SPACE)
    return code


def _providers(listing: Path) -> list[Provider]:
    try:
        return [record_from_json(Provider, entry) for entry in parse_json(listing.read_bytes())]
    except ForeignError as error:
        raise JoulemarkError(f"CMake wrote a list that cannot be read ({error})") from None


def _inputs(tools: Tools, found: Sequence[Provider]) -> str:
    """SHA-256 of all that the plugins are made of: us, compilers, sources, libraries."""
    whole = hashlib.sha256(f"{__version__}\n{tools.versions()}\n".encode())
    for folder in (_SOURCES, _HEADERS):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                whole.update(f"{path.relative_to(folder)}\n".encode())
                whole.update(hashlib.sha256(path.read_bytes()).digest())
    for provider in found:
        whole.update(json.dumps(asdict(provider)).encode())
        for library in filter(None, provider.libraries.split(";")):
            facts = os.stat(library)  # noqa: PTH116 - through links, to the file of the library
            whole.update(f"{facts.st_size} {facts.st_mtime_ns}\n".encode())
    return whole.hexdigest()


def _before(place: Path) -> Built | None:
    try:
        return read_built(place)
    except JoulemarkError:  # what cannot be read is written again
        return None


def _whole(built: Built, place: Path) -> bool:
    return all(
        provider.plugin(place / built.folder).is_file()
        for provider in built.providers
        if provider.built
    )


def _compiled(
    tools: Tools, provider: Provider, made: Path, log: Path, place: Path, say: Callable[[str], None]
) -> Provider:
    """The provider, after its plugin was compiled; not built if that failed, with the reason."""
    if not provider.built:
        return provider
    say(f"compiling {provider.name}")
    target = f"jm_provider_{provider.name}"
    if _run([tools.cmake, "--build", str(made), "--target", target], log) == 0:
        return provider
    reason = (
        f"its plugin cannot be compiled with the library that is here; {_kept(log, place)} has "
        "what the compiler said"
    )
    return replace(provider, built=False, reason=reason)


def _kept(log: Path, place: Path) -> Path:
    """A copy of the log that stays."""
    return Path(shutil.copyfile(log, place / _LOG))


def _last_line(log: Path) -> str:
    said = filter(None, map(str.strip, log.read_text("utf-8", "replace").splitlines()))
    # A line of CMake's that names a place is followed by what is wrong there.
    lines = [next(said, line) if line.endswith("(message):") else line
             for line in said if "rror" in line]  # fmt: skip
    return shortened(lines[0] if lines else "it says nothing", 200)


def _write_list(built: Built, place: Path) -> None:
    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=place)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(asdict(built), stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, place / LIST_FILE)  # noqa: PTH105 - a name, not a path
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
