# SPDX-License-Identifier: Apache-2.0
"""The command `joulemark` where the laboratory is not installed: what needs numpy at most.

Commands that declare what they take are read here as typer reads them. Every other command is
handed to typer, which is missing, and `endings` says how to install it.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from joulemark.cli.endings import end
from joulemark.cli.shared.declared import Argument, DeclaredCommand, Option, Parameter
from joulemark.cli.table import COMMANDS, PRINTED, PURPOSE, DeclaredEntry
from joulemark.errors import UsageError
from joulemark.lab import INSTALL
from joulemark.spelling import did_you_mean

_HELP: Final = ("-h", "--help")
_WIDTH: Final = 96


def main() -> None:
    """Runs the command that this process was given, and ends the process."""
    end(lambda: _run(sys.argv[1:]))


def _run(words: Sequence[str]) -> int:
    first = words[0] if words else "--help"
    entry = COMMANDS.get(first)
    if isinstance(entry, DeclaredEntry):
        return _call(f"joulemark {first}", entry.declared(), words[1:])
    if entry is not None:
        import_module("joulemark.cli.app")  # ends in the sentence that names what is missing
    if first in _HELP:
        print("\n".join(_help_of_all()))
    elif first in PRINTED:
        print(PRINTED[first].text)
    else:
        kind = "option" if first.startswith("-") else "command"
        known = [*PRINTED, "--help"] if kind == "option" else COMMANDS
        hint = did_you_mean(first, known)
        raise UsageError(f"no such {kind}: {first}{hint} (see joulemark --help)")
    return 0


def _call(title: str, declared: DeclaredCommand, words: Sequence[str]) -> int:
    """Calls a command with its words; returns the exit code."""
    parameters = [*declared.parameters()]
    try:
        given = _values(parameters, words)
    except UsageError as error:
        raise UsageError(f"{error} (see {title} --help)") from None
    if given is None:
        print("\n".join(_help(title, declared, parameters)))
        return 0
    return declared.call()(**given) or 0


def _values(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any] | None:
    """Values of a command's parameters by name; None if its help was asked for.

    Options may stand anywhere before `--`, with their value as the next word or after `=`.
    """
    options = {
        parameter.declaration.name: parameter
        for parameter in parameters
        if isinstance(parameter.declaration, Option)
    }
    found: dict[str, Any] = {}
    plain: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            plain.extend(left)
        elif word in _HELP:
            return None
        elif word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            option = options.get(name)
            if option is None:
                raise UsageError(f"no such option: {name}{did_you_mean(name, options)}")
            found[option.name] = _value(name, option, value if "=" in word else None, left)
        else:
            plain.append(word)
    found |= _by_place(
        [parameter for parameter in parameters if isinstance(parameter.declaration, Argument)],
        plain,
    )
    return {
        parameter.name: found.get(parameter.name, parameter.default) for parameter in parameters
    }


def _value(name: str, option: Parameter, value: str | None, left: Iterator[str]) -> str | bool:
    if option.type is bool:
        if value is not None:
            raise UsageError(f"option {name} takes no value")
        return True
    if value is None:
        value = next(left, None)
    if value is None:
        raise UsageError(f"option {name} requires a value")
    return value


def _by_place(arguments: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    left = [*words]
    for argument in arguments:
        if not left:
            if argument.default is inspect.Parameter.empty:
                raise UsageError(f"missing argument {_metavar(argument)}")
        elif _many(argument):
            found[argument.name], left = left, []
        else:
            found[argument.name] = left.pop(0)
    if left:
        raise UsageError(f"got unexpected argument {left[0]}")
    return found


def _many(parameter: Parameter) -> bool:
    return "list[" in str(parameter.type)


def _metavar(parameter: Parameter) -> str:
    return parameter.declaration.metavar or ""


def _help_of_all() -> Iterator[str]:
    here = {name: entry for name, entry in COMMANDS.items() if isinstance(entry, DeclaredEntry)}
    more = {name: entry for name, entry in COMMANDS.items() if name not in here}
    yield "Usage: joulemark [OPTIONS] COMMAND [ARGS]..."
    yield f"\n  {PURPOSE}"
    yield from _rows(
        "Options",
        {
            **{name: printed.help for name, printed in PRINTED.items()},
            "-h, --help": "Show this message and exit.",
        },
    )
    yield from _rows(
        "Commands", {name: declared_entry.summary for name, declared_entry in here.items()}
    )
    yield from _rows(
        f"Commands of the laboratory, which {INSTALL} brings",
        {name: entry.summary for name, entry in more.items()},
    )


def _help(title: str, declared: DeclaredCommand, parameters: Sequence[Parameter]) -> Iterator[str]:
    arguments = [
        parameter for parameter in parameters if isinstance(parameter.declaration, Argument)
    ]
    places = " ".join(_place(argument) for argument in arguments)
    yield f"Usage: {title} [OPTIONS] {places}"
    for part in inspect.cleandoc(declared.function.__doc__ or "").split("\n\n"):
        yield "\n" + textwrap.fill(
            " ".join(part.split()), _WIDTH, initial_indent="  ", subsequent_indent="  "
        )
    yield from _rows(
        "Arguments", {_metavar(argument): argument.declaration.help for argument in arguments}
    )
    options = {
        f"{parameter.declaration.name} {_metavar(parameter)}".rstrip(): parameter.declaration.help
        for parameter in parameters
        if isinstance(parameter.declaration, Option)
    }
    yield from _rows("Options", {**options, "-h, --help": "Show this message and exit."})
    yield "\nExamples:"
    yield from (f"  {example}" for example in declared.examples)


def _place(parameter: Parameter) -> str:
    """An argument in the first line of help; brackets if it may be left out."""
    word = _metavar(parameter) + ("..." if _many(parameter) else "")
    return word if parameter.default is inspect.Parameter.empty else f"[{word}]"


def _rows(title: str, rows: dict[str, str]) -> Iterator[str]:
    yield f"\n{title}:"
    width = max(map(len, rows)) + 4

    for name, text in rows.items():
        yield textwrap.fill(
            text, _WIDTH, initial_indent=f"  {name}".ljust(width), subsequent_indent=" " * width
        )
