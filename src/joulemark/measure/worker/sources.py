# SPDX-License-Identifier: Apache-2.0
"""Puts plugins into the folder of `user_plugins`, whole and one of a name, and removes them."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign import ForeignError, shortened, visible
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.measure.worker.messages import Opened, encode
from joulemark.provider_builds import listed
from joulemark.user_folders import LockedFolder, held, user_data, written_by_others

# The sources of implementations: our kernels, installed plugins, Python, and users' plugins.
#
# Nothing is loaded here. A worker process opens a source, so that code which crashes while it is
# loaded ends only that worker.


@dataclass(frozen=True, slots=True)
class ImplementationSource:
    """One provider of implementations."""

    name: str
    title: str
    kind: Literal["builtin", "python", "plugin"]
    path: str | None
    """Shared object of a plugin; None for the other kinds and when unavailable."""
    unavailable: str | None
    """Why the source cannot be used, and the remedy; None if it can."""
    from_user: bool = False
    """Whether --plugin names it, or it was added: such code can be mended, a library's cannot."""
    known: Opened | None = None
    """The statement of a kept plugin about itself, so that a list need not open it again."""
    passing: bool = False
    """Whether it is gone after its check, so that no command can repeat a finding."""
    may_read_on: bool = False
    """Whether it may read past the end of a message, as SUPERCOP lets its implementations do."""
    algorithms: tuple[str, ...] = ()
    """The only algorithms that it has; empty where it has many."""
    memory_bytes: int | None = None
    """Most bytes of data of its process; None: any number."""
    confined: bool = False
    """Whether its process has no network and writes into one folder alone, as far as the kernel
    offers that (`joulemark.processes.keeper`)."""

    @property
    def is_spoilt(self) -> bool:
        """Whether it is a kept plugin that cannot be used."""
        return self.from_user and self.path is None and self.unavailable is not None


OWN_KERNELS: Final = ImplementationSource(
    "joulemark", "Joulemark's own kernels", "builtin", None, None
)


def installed_sources(folder: Path | None = None) -> list[ImplementationSource]:
    """Our kernels, every provider known to this build (found or not), and Python.

    A library that no package has is left to `joulemark providers`: no run could have measured it.
    """
    providers = [
        ImplementationSource(
            source.provider.name,
            source.provider.title,
            "plugin",
            None if source.plugin is None else str(source.plugin),
            source.unavailable,
            algorithms=tuple(filter(None, source.provider.algorithms.split(";"))),
        )
        for source in listed(folder)
        if source.provider.built or source.provider.package
    ]
    return [
        OWN_KERNELS,
        *providers,
        ImplementationSource("python", "Python's hmac and hashlib", "python", None, None),
    ]


def plugin_source(path: str, taken: Iterable[str]) -> ImplementationSource:
    """The source of a user's plugin, named after its file."""
    file = Path(path)
    if not file.is_file():
        raise UsageError(
            f"plugin {path}: no such file; name a shared object that exports "
            "joulemark_plugin (see CONTRIBUTING.md, add a provider)"
        )
    if file.stem in set(taken):
        raise UsageError(
            f"plugin {path}: a provider named '{file.stem}' exists already; rename the file"
        )
    title = visible(f"plugin {file.name}")
    return ImplementationSource(
        visible(file.stem), title, "plugin", str(file.resolve()), None, from_user=True
    )


# Plugins that were built on this machine for this user, which every command finds.
#
# Each is a folder with `plugin.so` and `plugin.json`, which gets its name only when both are whole.
# `joulemark add` makes them of a user's code; other commands that build plugins may keep them here
# too.

PLUGIN_FILE: Final = "plugin.so"
RECORD_FILE: Final = "plugin.json"
WITHOUT_AVX512: Final = "without-avx512.so"
"""File beside a plugin: the same code compiled without AVX-512, which valgrind cannot run."""


@dataclass(frozen=True, slots=True)
class SourceDigest:
    """A file that was compiled, or a header that it included."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """Sources and build of a user's code."""

    sources: tuple[SourceDigest, ...]
    digest: str
    """SHA-256 of sources, compiler, flags, function, signature and name together."""
    function: str
    signature: str
    compiler: str
    flags: str
    added: str
    """Moment at which it was added: ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class UserPlugin:
    """The record of a kept plugin."""

    provider: str
    """Name of its provider, different from all others."""
    title: str
    """Title for people."""
    sha256: str
    """SHA-256 of the shared object."""
    opened: Opened | None = None
    """The plugin's statement about itself; None if it is to be opened each time."""
    made_from: MadeFrom | None = None
    """Sources and build of the user's code; None for an outside library."""
    may_read_on: bool = False
    """Whether it may read past the end of a message."""
    beside: tuple[SourceDigest, ...] = ()
    """Files beside the plugin: shared libraries of the user, which it loads, and `WITHOUT_AVX512`
    where the compiler may use AVX-512."""

    @property
    def implementations(self) -> tuple[str, ...]:
        """Names of its implementations, if they are known without opening it."""
        entries = () if self.opened is None else self.opened.implementations
        return tuple(f"{entry.algorithm}/{entry.variant}" for entry in entries)


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """An entry that cannot be used, and why, as the end of a sentence."""

    path: Path
    reason: str


def user_plugins_folder() -> Path:
    """Folder of the plugins, which need not exist: JOULEMARK_PLUGINS, or one in the user's data."""
    given = os.environ.get("JOULEMARK_PLUGINS")
    return Path(given) if given else user_data("plugins")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def user_plugins(folder: Path) -> dict[Path, UserPlugin | BrokenEntry]:
    """Every entry of a folder, in the order of their names; empty where there is no folder."""
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return {}
    return {entry: _entry(entry) for entry in entries if _has_record(entry)}


def _has_record(entry: Path) -> bool:
    try:
        return (entry / RECORD_FILE).is_file()
    except OSError:  # the entry may not be read, and is reported as damaged
        return True


def _entry(path: Path) -> UserPlugin | BrokenEntry:
    try:
        for place in (path / PLUGIN_FILE, path / RECORD_FILE):
            if (open_place := written_by_others(place)) is not None:
                return BrokenEntry(
                    path, f"others than you may write {open_place}, so its code may be theirs"
                )
        record = record_from_json(UserPlugin, parse_json((path / RECORD_FILE).read_bytes()))
        same = file_sha256(path / PLUGIN_FILE) == record.sha256
        for library in record.beside:
            place = path / Path(library.name).name
            if place.name != library.name or file_sha256(place) != library.sha256:
                name = shortened(library.name)
                return BrokenEntry(path, f"{path}: {name} is not what was kept there")
    except (OSError, ForeignError) as error:
        return BrokenEntry(
            path, f"{path / RECORD_FILE} or the plugin beside it is damaged ({error})"
        )
    return record if same else BrokenEntry(path, f"{path / PLUGIN_FILE} is not what was kept there")


def user_plugin_sources(taken: set[str], folder: Path | None = None) -> list[ImplementationSource]:
    """The user's plugins as sources of implementations.

    Args:
        taken: names of other providers; a plugin of such a name is unavailable with a reason.
        folder: folder of the plugins; the usual one unless given.
    """
    try:
        folder = folder or user_plugins_folder()
    except UnavailableError:  # without a home there are no plugins
        return []
    taken = set(taken)
    return [_source(path, user_plugin, taken) for path, user_plugin in user_plugins(folder).items()]


def _source(path: Path, found: UserPlugin | BrokenEntry, taken: set[str]) -> ImplementationSource:
    """The source of an entry; adds its provider to `taken`."""
    if isinstance(found, BrokenEntry):
        name, remedy = visible(path.name), f"joulemark remove {visible(path.name)}"
        reason = f"{found.reason}; take it away with {remedy}"
        return ImplementationSource(
            name, f"kept plugin {name}", "plugin", None, reason, from_user=True
        )
    is_taken = found.provider in taken
    taken.add(found.provider)
    return ImplementationSource(
        found.provider,
        found.title,
        "plugin",
        None if is_taken else str(path / PLUGIN_FILE),
        f"there is a provider {found.provider} already" if is_taken else None,
        from_user=found.made_from is not None,
        known=found.opened,
        may_read_on=found.may_read_on,
    )


_UNFINISHED: Final = ".new-"


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A new folder below `folder` to build in, which is removed when the context is left.

    Folders of killed processes are removed too: their locks are free.
    """
    with _refusals_of(folder):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for left in LockedFolder.left_behind(folder.glob(f"{_UNFINISHED}*")):
            left.remove()
            left.close()
        place = LockedFolder.make(folder, _UNFINISHED)
    with place as path:
        yield path


@contextmanager
def _refusals_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"plugins cannot be kept in {folder} ({error.strerror}); name another folder with "
            "--folder, or in JOULEMARK_PLUGINS"
        ) from None


def keep_plugin(
    built: Path,
    record: UserPlugin,
    folder: Path,
    entry: str,
    *,
    replacing: bool,
    beside: Sequence[Path] = (),
) -> Path:
    """Keeps a shared object of a workshop as the only plugin of its provider.

    Args:
        built: the shared object.
        record: the record of the plugin.
        folder: folder of the workshop.
        entry: name of the entry.
        replacing: whether it replaces a kept plugin of the provider.
        beside: files that are copied beside the plugin, under their names.

    Returns:
        The folder of the entry.
    """
    target = folder / entry
    with _refusals_of(folder):
        staged = Path(tempfile.mkdtemp(dir=built.parent))
        staged.chmod(0o755)
        built.rename(staged / PLUGIN_FILE)
        (staged / RECORD_FILE).write_bytes(encode(record))
        for library in beside:
            shutil.copyfile(library, staged / library.name)
        for file in staged.iterdir():  # whatever the user's mask
            file.chmod(file.stat().st_mode & ~(stat.S_IWGRP | stat.S_IWOTH))
        with held(folder):  # one command changes it at a time
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
