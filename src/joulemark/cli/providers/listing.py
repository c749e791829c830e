# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers list`: which outside libraries have a plugin, and where it is from."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION
from joulemark.cli.shared.terminal import print_json
from joulemark.foreign.text import visible
from joulemark.provider_builds import AGAIN, ListedProvider, listed, user_folder

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
        typer.echo(f"{AGAIN} compiles plugins for the libraries that are installed here.")


def print_providers(found: list[ListedProvider]) -> None:
    """Prints a line for each library: its name, and where its plugin is or why there is none."""
    width = max((len(source.provider.name) for source in found), default=0)
    for source in found:
        said = source.unavailable if source.plugin is None else f"{_whose(source)} {source.plugin}"
        typer.echo(visible(f"{source.provider.name:<{width}}  {source.provider.title}: {said}"))


def _whose(source: ListedProvider) -> str:
    ours = source.plugin is not None and source.plugin.is_relative_to(user_folder())
    return "compiled here," if ours else "from the package,"


COMMAND: Final = Command(
    list_providers, ("joulemark providers list", "joulemark providers list --json")
)
