# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers list`: which outside libraries have a plugin, and where it is from."""

from __future__ import annotations

from typing import Annotated

import typer

from joulemark.cli.shared.options import JSON_OPTION
from joulemark.cli.shared.terminal import examples, print_json
from joulemark.foreign.text import visible
from joulemark.provider_builds.listing import AGAIN, Listed, listed, user_folder

__all__ = ["list_providers", "print_providers", "register"]

LIST_VERSION = 1
"""Of the JSON that `providers list` writes."""


def register(app: typer.Typer) -> None:
    """Adds `list`."""
    app.command(
        "list", epilog=examples("joulemark providers list", "joulemark providers list --json")
    )(list_providers)


def list_providers(json_: Annotated[bool, JSON_OPTION] = False) -> None:
    """List the outside libraries that have a plugin, and why the others have none.

    A plugin comes with the package, or was compiled by 'joulemark providers build'.
    """
    found = listed()
    if json_:
        rows = [
            {
                "provider": one.provider.name,
                "title": one.provider.title,
                "package": one.provider.package,
                "plugin": None if one.plugin is None else str(one.plugin),
                "unavailable": one.unavailable,
            }
            for one in found
        ]
        print_json({"schema_version": LIST_VERSION, "providers": rows})
        return
    print_providers(found)
    if any(one.plugin is None for one in found):
        typer.echo(f"{AGAIN} compiles plugins for the libraries that are installed here.")


def print_providers(found: list[Listed]) -> None:
    """A line for each: its name, and where its plugin is or why there is none."""
    width = max((len(one.provider.name) for one in found), default=0)
    for one in found:
        said = one.unavailable if one.plugin is None else f"{_whose(one)} {one.plugin}"
        typer.echo(visible(f"{one.provider.name:<{width}}  {one.provider.title}: {said}"))


def _whose(one: Listed) -> str:
    ours = one.plugin is not None and one.plugin.is_relative_to(user_folder())
    return "compiled here," if ours else "from the package,"
