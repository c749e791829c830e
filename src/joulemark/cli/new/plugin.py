# SPDX-License-Identifier: Apache-2.0
"""`joulemark new plugin`: a plugin in C that runs as it is."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.catalogue.algorithms import algorithm_named, data_folder
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import ALGORITHM_ARGUMENT
from joulemark.errors import UnavailableError
from joulemark.measure.worker.trials import portable_kernel
from joulemark.new_plugin import plugin_source


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


COMMAND: Final = Command(
    plugin,
    (
        "joulemark new plugin sha256 > mine.c",
        "joulemark new plugin hmac-sha256 > mine.c",
        "joulemark new plugin aes128 > mine.c",
    ),
)
