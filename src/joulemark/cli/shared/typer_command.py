# SPDX-License-Identifier: Apache-2.0
"""Commands of typer, made of declared ones."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.declared import Argument, DeclaredCommand, Parameter


def command_of(declared: DeclaredCommand) -> Command:
    """The command, with typer's declarations."""
    call = declared.call()
    shown = [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=parameter.default,
            annotation=Annotated[parameter.type, _declaration(parameter)],
        )
        for parameter in declared.parameters()
    ]
    vars(call)["__signature__"] = inspect.Signature(shown)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return Command(call, declared.examples)


def _declaration(parameter: Parameter) -> Any:
    declared = parameter.declaration
    if isinstance(declared, Argument):
        return typer.Argument(
            metavar=declared.metavar,
            help=declared.help,
            show_default=False,
            autocompletion=declared.names,
        )
    if parameter.type is bool:
        return typer.Option(declared.name, help=declared.help)
    return typer.Option(
        declared.name, metavar=declared.metavar, help=declared.help, show_default=False
    )
