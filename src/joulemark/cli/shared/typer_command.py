# SPDX-License-Identifier: Apache-2.0
"""Commands of typer, made of declared ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from joulemark.cli.shared.declared import Argument, DeclaredCommand, Option, Parameter, examples

__all__ = ["add"]


def add(app: typer.Typer, name: str, declared: DeclaredCommand) -> None:
    """Adds the command to `app`, under that name."""
    app.command(name, epilog=examples(*declared.examples))(_of_typer(declared))


def _of_typer(declared: DeclaredCommand) -> Callable[..., Any]:
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
    return call


def _declaration(parameter: Parameter) -> Any:
    match parameter.declaration:
        case Argument(metavar=metavar, help=text, names=names):
            return typer.Argument(
                metavar=metavar, help=text, show_default=False, autocompletion=names
            )
        case Option(name=name, help=text, metavar=metavar):
            if parameter.type is bool:
                return typer.Option(name, help=text)
            return typer.Option(name, metavar=metavar, help=text, show_default=False)
