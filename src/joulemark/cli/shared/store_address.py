# SPDX-License-Identifier: Apache-2.0
"""Addresses of stores as the user gives them: a password is taken out before anything shows it."""

from __future__ import annotations

from typing import Any

import typer

from joulemark.errors import UsageError

__all__ = ["checked_address"]


def checked_address(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    """The address without its password, which this process remembers for the database alone.

    Args:
        context: of the command, which knows where the value came from.
        parameter: the option or argument.
        value: a path, a URL or None.

    Raises:
        UsageError: the password stands on the command line.
    """
    if context.resilient_parsing or not isinstance(value, str) or "://" not in value:
        return value
    from joulemark.store.database.server import without_password  # noqa: PLC0415 - SQLAlchemy

    shown = without_password(value)
    source = context.get_parameter_source(parameter.name or "")
    if shown != value and source is not None and source.name == "COMMANDLINE":
        raise UsageError(
            "a password on the command line can be read by every user of this machine; put the "
            "whole address into the variable JOULEMARK_STORE, or the password into the file that "
            "PGPASSFILE names"
        )
    return shown
