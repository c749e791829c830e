# SPDX-License-Identifier: Apache-2.0
"""Plugins of outside libraries, the beginning of a new one, and those that this user keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import JsonValue

from joulemark.catalogue import algorithm_named, data_folder
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import ALGORITHM_ARGUMENT, JSON_OPTION
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text
from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign import did_you_mean, shortened, visible
from joulemark.measure.inventory import inventory_of
from joulemark.measure.worker.sources import (
    BrokenEntry,
    UserPlugin,
    forget_plugin,
    user_plugins,
    user_plugins_folder,
)
from joulemark.measure.worker.trials import portable_kernel
from joulemark.own_code import shown_call
from joulemark.own_code.adding import CodeRequest
from joulemark.provider_builds import AGAIN, ListedProvider, listed, plugin_source, user_folder
from joulemark.provider_builds.build import build_providers
from joulemark.records import is_core

LIST_VERSION = 1
"""Version of the JSON that `providers list` writes."""


def list_providers(json_: Annotated[bool, JSON_OPTION] = False) -> None:
    """List the outside libraries that have a plugin, and why the others have none.

    A plugin comes with the package, or was compiled by 'joulemark providers build'.
    """
    found = listed()
    if json_:
        rows = [
            {
                "provider": source.provider.name,
                "title": source.provider.title,
                "package": source.provider.package,
                "plugin": None if source.plugin is None else str(source.plugin),
                "unavailable": source.unavailable,
            }
            for source in found
        ]
        print_json({"schema_version": LIST_VERSION, "providers": rows})
        return
    print_providers(found)
    if any(source.plugin is None for source in found):
        print_text(f"{AGAIN} compiles plugins for the libraries that are installed here.")


def print_providers(found: list[ListedProvider]) -> None:
    """Prints a line for each library: its name, and where its plugin is or why there is none."""
    rows = []
    for source in found:
        said = source.unavailable if source.plugin is None else f"{_whose(source)} {source.plugin}"
        rows.append((source.provider.name, visible(f"{source.provider.title}: {said}")))
    columns(rows, indent=0, prose=(1,))


def _whose(source: ListedProvider) -> str:
    ours = source.plugin is not None and source.plugin.is_relative_to(user_folder())
    return "compiled here," if ours else "from the package,"


LIST: Final = Command(
    list_providers, ("joulemark providers list", "joulemark providers list --json")
)


def build() -> None:
    """Compile a plugin for every outside library that is on this machine.

    It needs CMake, a C and a C++ compiler, and the libraries with their headers; of a library that
    is missing the Debian package is named. Plugins go to the user's data folder
    (XDG_DATA_HOME, or ~/.local/share), where list, bench and the others find them. Nothing is
    compiled again unless Joulemark, a compiler or a library has changed.
    """
    place = user_folder()
    outcome = build_providers(place, lambda words: print_text(f"{words} ...", err=True))
    print_providers(listed())
    if not outcome.compiled:
        print_text("Nothing has changed since the last build.")
    if not any(provider.built for provider in outcome.providers):
        raise UnavailableError(
            "no plugin could be built, since no library is here with its headers"
        )


BUILD: Final = Command(build, ("joulemark providers build", "CC=clang joulemark providers build"))


# `joulemark new plugin`: a plugin in C that runs as it is.


def plugin(algorithm: Annotated[str, ALGORITHM_ARGUMENT]) -> None:
    """Print a plugin in C for an algorithm, which compiles and can be measured at once.

    The comment at its top has the command that compiles it. Joulemark's portable kernel stands in
    for your code until you have put it there, so check and measurement work from the beginning.
    """
    facts = algorithm_named(algorithm)
    if facts.nonce_bytes:
        raise UnavailableError(
            f"{facts.id} needs a nonce for each message, and the printed plugin has no place for "
            "it; write its set_nonce by hand, as joulemark/kernel.h says"
        )
    stand_in = portable_kernel(algorithm)
    if stand_in is None:
        raise UnavailableError(
            f"there is no kernel of ours for {algorithm} that could stand in for your code; "
            "begin with another algorithm of its kind"
        )
    header = (data_folder("c") / "include" / "joulemark" / "kernel.h").read_text("utf-8")
    typer.echo(plugin_source(stand_in, facts.title, header), nl=False)


NEW: Final = Command(
    plugin,
    (
        "joulemark new plugin sha256 > mine.c",
        "joulemark new plugin hmac-sha256 > mine.c",
        "joulemark new plugin aes128 > mine.c",
    ),
)


# Code that was added: `joulemark added` lists it, `remove` takes it away, and `add` names it.

# The folder of the user's plugins, and what is in it, for all commands about a user's code.

FOLDER_OPTION: Final[Any] = typer.Option(
    "--folder",
    envvar="JOULEMARK_PLUGINS",
    metavar="DIR",
    help="Where plugins are kept; joulemark/plugins in the user's data folder unless given. Other "
    "commands look where the variable says.",
)


def folder_of(given: Path | None) -> Path:
    """The folder that `--folder` names, or the usual one."""
    folder = given or user_plugins_folder()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--folder {folder}: this is not a folder")
    return folder


def kept_by_name(folder: Path) -> dict[str, tuple[Path, UserPlugin | BrokenEntry]]:
    """Plugins in the folder by the name that `joulemark remove` takes, each with its path.

    That is the implementation's, or for lack of one the provider's; of a broken one the entry's.
    """
    found: dict[str, tuple[Path, UserPlugin | BrokenEntry]] = {}
    for path, user_plugin in user_plugins(folder).items():
        name = path.name
        if isinstance(user_plugin, UserPlugin):
            name = (
                user_plugin.implementations[0]
                if user_plugin.made_from and user_plugin.implementations
                else user_plugin.provider
            )
        found[name] = (path, user_plugin)
    return found


def names_of_others(folder: Path) -> set[str]:
    """Names of implementations, cores too, that are not in the folder."""
    inventory = inventory_of(kept_in=folder)
    missing = (*inventory.unavailable, *inventory.missing_cores)
    names = {*inventory.facts, *inventory.cores, *(failure.implementation for failure in missing)}
    return names - kept_by_name(folder).keys()


# Names that a user's code may have.

_VARIANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,47}")


def require_variant(variant: str) -> None:
    """Refuses what cannot be the name of a variant."""
    if not _VARIANT.fullmatch(variant):
        raise UsageError(
            f"'{shortened(variant)}' cannot be the name of a variant: give with --name 1 to 48 "
            "letters, digits or . _ + -, a letter or a digit first"
        )


def refuse_taken(asked: Sequence[CodeRequest], *, replacing: bool) -> None:
    """Refuses names that other implementations have."""
    kept = kept_by_name(asked[0].folder)
    if not replacing and (before := next((wish for wish in asked if wish.name in kept), None)):
        raise UsageError(
            f"{before.name} was added already; --replace puts the new code in its place, --name "
            f"gives another name, joulemark remove {before.name} takes it away"
        )
    known = names_of_others(asked[0].folder)
    for wish in asked:
        if wish.name in known or is_core(wish.name):
            raise UsageError(
                f"{wish.algorithm.id} has an implementation {wish.variant} already, or the name is "
                "one of cores; give another with --name"
            )


# `joulemark added`: what the user keeps, and what it was made of.

ADDED_VERSION = 1
"""Version of the JSON that `--json` prints."""


def added(
    folder: Annotated[Path | None, FOLDER_OPTION] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List what was added, with compiler, flags and sources.

    'joulemark remove NAME' takes one of them away.
    """
    place = folder_of(folder)
    kept = kept_by_name(place)
    if as_json:
        entries = [_entry(name, *path_and_entry) for name, path_and_entry in sorted(kept.items())]
        print_json({"schema_version": ADDED_VERSION, "folder": str(place), "added": entries})
        return
    if not kept:
        print_text(f"nothing was added; joulemark add puts plugins into {visible(str(place))}")
        return
    for name, (path, entry) in sorted(kept.items()):
        heading(visible(name))
        columns(_rows(path, entry), prose=(1,))


def _entry(name: str, path: Path, entry: UserPlugin | BrokenEntry) -> Mapping[str, JsonValue]:
    values = {"name": name, "path": str(path)}
    if isinstance(entry, BrokenEntry):
        return {**values, "damaged": entry.reason, "plugin": None}
    return {**values, "damaged": None, "plugin": asdict(entry)}


def _rows(path: Path, entry: UserPlugin | BrokenEntry) -> list[tuple[str, str]]:
    rows = [("kept", visible(str(path)))]
    if isinstance(entry, BrokenEntry):
        return [("damaged", visible(entry.reason)), *rows]
    made = entry.made_from
    if made is None:
        return [("provider", visible(entry.title)), *rows]
    sources = ", ".join(f"{file.name} {file.sha256[:12]}..." for file in made.sources)
    return [
        ("function", visible(shown_call(made.function, made.signature))),
        ("compiled", visible(f"{made.compiler}, {made.flags or 'no flags'}")),
        ("sources", visible(sources)),
        ("added", visible(made.added)),
        *rows,
    ]


ADDED: Final = Command(added, ("joulemark added", "joulemark added --json"))


# `joulemark remove`: takes away what `joulemark add` kept.


def remove(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="As 'joulemark added' lists them: sha256/mine."),
    ],
    folder: Annotated[Path | None, FOLDER_OPTION] = None,
) -> None:
    """Take away what was added. Stored runs of it stay."""
    place = folder_of(folder)
    kept = kept_by_name(place)
    for name in names:
        if name not in kept:
            raise UsageError(
                f"'{shortened(name)}' was not added{did_you_mean(name, kept)} (joulemark added "
                "lists what was)"
            )
    for name in dict.fromkeys(names):
        try:
            forget_plugin(kept[name][0])
        except OSError as error:
            raise UnavailableError(
                f"{visible(name)} cannot be taken from {kept[name][0]} ({error.strerror})"
            ) from None
        print_text(f"{visible(name)} is gone")


REMOVE: Final = Command(
    remove, ("joulemark remove sha256/mine", "joulemark remove sha256/mine-gcc sha256/mine-clang")
)
