# SPDX-License-Identifier: Apache-2.0
"""The folder of the user's plugins, and what is in it, for all commands about a user's code."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import typer

from joulemark.cli.shared.inventory import inventory_of
from joulemark.errors import UsageError
from joulemark.measure.workers.user_plugins import (
    BrokenEntry,
    UserPlugin,
    user_plugins,
    user_plugins_folder,
)

__all__ = ["FOLDER_OPTION", "folder_of", "kept_by_name", "names_of_others"]

FOLDER_OPTION: Final[Any] = typer.Option(
    "--folder",
    envvar="JOULEMARK_PLUGINS",
    metavar="DIR",
    help="Where plugins are kept; joulemark/plugins in the user's data folder unless given. Other "
    "commands look where the variable says.",
)


def folder_of(given: Path | None) -> Path:
    """The folder that `--folder` names, or the usual one.

    Raises:
        UsageError: it is something else than a folder.
    """
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
