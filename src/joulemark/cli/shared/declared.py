# SPDX-License-Identifier: Apache-2.0
"""Commands that say what they take without typer, each the `COMMAND` of its module.

    def tag(
        *,
        algorithm: Annotated[str, Argument("ALGORITHM", "A MAC of the catalogue.")],
        key_hex: Annotated[bool, Option("--key-hex", "The key is in hexadecimal.")] = False,
    ) -> int | None: ...

`typer_command` makes commands of typer of them, and `joulemark.cli.light` reads them where typer is
not installed. Truths are options without a value; an argument that is a list takes all words left.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

from joulemark.cli.shared.option_groups import with_option_groups


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
    """`inspect.Parameter.empty`: the parameter must be given."""


@dataclass(frozen=True, slots=True)
class DeclaredCommand:
    """A command; the docstring of its function is its help."""

    function: Callable[..., int | None]
    """Returns the exit code; None is 0. Its parameters may be groups of options."""
    examples: tuple[str, ...]
    """Command lines."""

    def call(self) -> Callable[..., int | None]:
        """The function, with the fields of its groups as parameters by keyword."""
        return with_option_groups(self.function)

    def parameters(self) -> Iterator[Parameter]:
        """Arguments and options, in their order."""
        for parameter in inspect.signature(self.call()).parameters.values():
            kind, *declarations = get_args(parameter.annotation)
            if len(declarations) != 1 or not isinstance(declarations[0], Argument | Option):
                raise TypeError(
                    f"{parameter.name} is declared neither as an argument nor as an option"
                )
            yield Parameter(parameter.name, kind, declarations[0], parameter.default)
