# SPDX-License-Identifier: Apache-2.0
"""`joulemark results`: a stored run in the terminal, as `bench` showed it."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.run.showing import command_for_all, print_results
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import ALL_OPTION, DEFAULT_STORE, STORE_OPTION
from joulemark.cli.shared.stored_results import stored_results


def results(
    run: Annotated[
        int | None,
        typer.Argument(
            metavar="[N]", help="Number of the run (see 'joulemark runs'); the latest unless given."
        ),
    ] = None,
    all_of_them: Annotated[bool, ALL_OPTION] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Show a stored run again, as bench did at its end."""
    found = stored_results(store, run, raw=False)
    number = found.context["run"].get("id", 0)
    print_results(found, None, all_of_them=all_of_them, more=command_for_all(number, store))


COMMAND: Final = Command(results, ("joulemark results", "joulemark results 3 --all | less"))
