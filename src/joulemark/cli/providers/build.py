# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers build`: plugins for the outside libraries of this machine."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.providers.listing import print_providers
from joulemark.cli.shared.command import Command
from joulemark.errors import UnavailableError
from joulemark.provider_builds import listed, user_folder
from joulemark.provider_builds.build import build_providers


def build() -> None:
    """Compile a plugin for every outside library that is on this machine.

    It needs CMake, a C and a C++ compiler, and the libraries with their headers; of a library that
    is missing the Debian package is named. Plugins go to the user's data folder
    (XDG_DATA_HOME, or ~/.local/share), where list, bench and the others find them. Nothing is
    compiled again unless Joulemark, a compiler or a library has changed.
    """
    place = user_folder()
    outcome = build_providers(place, lambda words: typer.echo(f"{words} ...", err=True))
    print_providers(listed())
    if not outcome.compiled:
        typer.echo("Nothing has changed since the last build.")
    if not any(provider.built for provider in outcome.providers):
        raise UnavailableError(
            "no plugin could be built, since no library is here with its headers"
        )


COMMAND: Final = Command(build, ("joulemark providers build", "CC=clang joulemark providers build"))
