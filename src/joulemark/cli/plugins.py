# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers` and `joulemark new plugin`: plugins of others, and one of your own."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.catalogue import algorithm_named, data_folder
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import ALGORITHM_ARGUMENT, JSON_OPTION
from joulemark.cli.shared.terminal import columns, print_json, print_text
from joulemark.errors import UnavailableError
from joulemark.foreign import visible
from joulemark.measure.worker.trials import portable_kernel
from joulemark.new_plugin import plugin_source
from joulemark.provider_builds import AGAIN, ListedProvider, listed, user_folder
from joulemark.provider_builds.build import build_providers

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
