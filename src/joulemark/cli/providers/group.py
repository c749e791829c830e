# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers`: the outside libraries that can be measured, and plugins for them."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.providers.listing import list_providers
from joulemark.cli.shared.terminal import examples

__all__ = ["PROVIDER_COMMANDS", "register"]

PROVIDER_COMMANDS: Final = {
    "list": Entry(
        "joulemark.cli.providers.listing",
        "List the outside libraries that have a plugin, and why the others have none.",
    ),
    "build": Entry(
        "joulemark.cli.providers.build",
        "Compile a plugin for every outside library that is on this machine.",
    ),
}


class _Providers(LazyGroup):
    """Commands about outside libraries."""

    TABLE = PROVIDER_COMMANDS


def register(app: typer.Typer) -> None:
    """Adds the group."""
    providers = typer.Typer(
        name="providers",
        cls=_Providers,
        rich_markup_mode=None,
        help="Outside libraries: which can be measured here, and plugins that measure them.",
        epilog=examples("joulemark providers", "joulemark providers build"),
        invoke_without_command=True,
    )
    providers.callback()(_list_without_command)
    app.add_typer(providers)


def _list_without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_providers()
