# SPDX-License-Identifier: Apache-2.0
"""A command as plain data: a function, whose parameters say what they are on the command line.

    def tag(
        *,
        algorithm: Annotated[str, Argument("ALGORITHM", "A MAC of the catalogue.")],
        key_hex: Annotated[bool, Option("--key-hex", "The key is in hexadecimal.")] = False,
    ) -> int | None: ...

`typer_command` makes a command of typer of it, and `joulemark.cli.light` reads it where typer is
not installed. Truths are options without a value; an argument that is a list takes all words left.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

from joulemark.cli.shared.option_groups import with_option_groups

__all__ = ["Argument", "DeclaredCommand", "Option", "Parameter", "examples"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A word of the command line by its place."""

    metavar: str
    help: str
    names: Callable[[str], list[tuple[str, str]]] | None = None
    """What the shell offers after <Tab>, given the beginning of the word: words with help."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option, with a value of text or, for a truth, without."""

    name: str
    help: str
    metavar: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a declared command."""

    name: str
    type: Any
    declaration: Argument | Option
    default: Any
    """`inspect.Parameter.empty`: it must be given."""


@dataclass(frozen=True, slots=True)
class DeclaredCommand:
    """A command."""

    function: Callable[..., int | None]
    """Returns the exit code; None is 0. Its parameters may be groups of options."""
    examples: tuple[str, ...]

    def call(self) -> Callable[..., int | None]:
        """The function, with the fields of its groups as parameters by keyword."""
        return with_option_groups(self.function)

    def parameters(self) -> Iterator[Parameter]:
        """Arguments and options, in their order.

        Raises:
            TypeError: a parameter does not say what it is.
        """
        for parameter in inspect.signature(self.call()).parameters.values():
            kind, *said = get_args(parameter.annotation)
            if len(said) != 1 or not isinstance(said[0], Argument | Option):
                raise TypeError(
                    f"{parameter.name} is declared neither as an argument nor as an option"
                )
            yield Parameter(parameter.name, kind, said[0], parameter.default)


def examples(*commands: str) -> str:
    """The last part of a command's help."""
    return "\n".join(["\b", "Examples:", *(f"  {command}" for command in commands)])
