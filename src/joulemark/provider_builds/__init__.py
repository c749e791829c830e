# SPDX-License-Identifier: Apache-2.0
"""Plugins of outside libraries, compiled on the user's machine: `joulemark providers build`.

The list of providers names the plugin of each, from the package or from the user's folder.
`providers.json` of the package was made with it; the user's list was written by `joulemark
providers build`. A plugin of the package is preferred. The user's list names the Joulemark that
made its plugins: those of another Joulemark are not loaded.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from joulemark import __version__
from joulemark.catalogue import data_folder
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.foreign import ForeignError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.user_folders import user_data, written_by_others

AGAIN: Final = "joulemark providers build"
LIST_FILE: Final = "providers.json"
_FOLDER: Final = re.compile(r"[0-9a-z]+")
_PACKAGE: Final = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider as CMake lists it; `libraries` are the files that it is linked with."""

    name: str
    title: str
    package: str
    """Package of Debian and Ubuntu with the library."""
    built: bool
    reason: str | None
    """Why the plugin was not built."""
    libraries: str = ""
    algorithms: str = ""
    """The only algorithms that the library has, separated by semicolons; empty: it has many."""

    def plugin(self, folder: Path) -> Path:
        """Path of the plugin in a folder of plugins."""
        return folder / f"{self.name}.so"


@dataclass(frozen=True, slots=True)
class Built:
    """The user's list."""

    joulemark_version: str
    interface: str
    """SHA-256 of the `joulemark/kernel.h` that the plugins were compiled with."""
    inputs: str
    """SHA-256 of all that the plugins depend on."""
    folder: str
    """Name of the folder of the plugins, beside the list."""
    providers: tuple[Provider, ...]


@dataclass(frozen=True, slots=True)
class ListedProvider:
    """A provider, and the plugin that is loaded for it."""

    provider: Provider
    plugin: Path | None
    unavailable: str | None
    """Why there is no plugin, with the remedy."""


@cache
def interface() -> str:
    """SHA-256 of our `joulemark/kernel.h`."""
    header = data_folder("c") / "include" / "joulemark" / "kernel.h"
    return hashlib.sha256(header.read_bytes()).hexdigest()


def user_folder() -> Path:
    """Folder of the user's list and plugins; it may be missing."""
    return user_data("providers")


def of_the_package(folder: Path | None = None) -> list[Provider]:
    """Every provider that this package knows; none if the list was not installed."""
    listing = (folder or _PACKAGE / "plugins") / LIST_FILE
    try:
        content = parse_json(listing.read_bytes()) if listing.exists() else []
        return [record_from_json(Provider, entry) for entry in content]
    except (OSError, TypeError, ForeignError) as error:
        raise JoulemarkError(
            f"{listing} cannot be read ({error}); run make setup to build the providers again"
        ) from error


def read_built(folder: Path) -> Built | None:
    """The user's list; None if nothing was built."""
    listing = folder / LIST_FILE
    try:
        built = record_from_json(Built, parse_json(listing.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ForeignError) as error:
        raise JoulemarkError(
            f"{listing} cannot be read ({error}); {AGAIN} writes it again"
        ) from error
    if not _FOLDER.fullmatch(built.folder):
        raise JoulemarkError(
            f"{listing} cannot be read (folder: this is no name of a folder beside the list); "
            f"{AGAIN} writes it again"
        )
    return built


def listed(folder: Path | None = None, user: Path | None = None) -> list[ListedProvider]:
    """Every provider, with its plugin or the reason why there is none.

    Args:
        folder: of the package's list. If it is given, a user's list counts only if `user` is too.
        user: folder of the user's list; the usual folder unless given.
    """
    package = folder or _PACKAGE / "plugins"
    entries = {
        provider.name: _in_package(provider, package) for provider in of_the_package(package)
    }
    missing = [name for name, entry in entries.items() if not entry.provider.built]
    if missing and (folder is None or user is not None):
        try:
            users_folder = user or user_folder()
            built = read_built(users_folder)
        except UnavailableError:  # no home folder, so nothing was built in it
            built = None
        except JoulemarkError as error:
            for name in missing:
                entries[name] = ListedProvider(entries[name].provider, None, str(error))
            built = None
        if built is not None:
            entries |= {
                provider.name: _of_user(provider, built, users_folder)
                for provider in built.providers
                if provider.name in missing
            }
    return list(entries.values())


def _in_package(provider: Provider, folder: Path) -> ListedProvider:
    plugin = provider.plugin(folder)
    if provider.built and plugin.exists():
        return ListedProvider(provider, plugin, None)
    reason = provider.reason or f"its plugin was not built; install {provider.package}"
    return ListedProvider(provider, None, reason)


def _of_user(provider: Provider, built: Built, folder: Path) -> ListedProvider:
    plugin = provider.plugin(folder / built.folder)
    if (built.joulemark_version, built.interface) != (__version__, interface()):
        reason = (
            f"its plugin was built for another Joulemark ({built.joulemark_version}; this is "
            f"{__version__}); {AGAIN} builds it again"
        )
    elif not provider.built:
        reason = provider.reason or f"its plugin was not built; {AGAIN} says why"
    elif not plugin.is_file():
        reason = f"its plugin {plugin} is gone; {AGAIN} builds it again"
    elif (open_place := written_by_others(plugin)) is not None:
        reason = (
            f"others than you may write {open_place}, so its plugin may be theirs; remove "
            f"{folder}, and {AGAIN} builds it again"
        )
    else:
        return ListedProvider(provider, plugin, None)
    return ListedProvider(provider, None, reason)
