# SPDX-License-Identifier: Apache-2.0
"""The user's plugins that are kept: their folder, their names, `joulemark added` and `remove`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import JsonValue

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION
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
from joulemark.own_code import shown_call
from joulemark.own_code.adding import CodeRequest
from joulemark.records import is_core

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
