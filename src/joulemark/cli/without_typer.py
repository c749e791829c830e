# SPDX-License-Identifier: Apache-2.0
"""The base installation: commands that need numpy at most, and `joulemark` where typer is missing.

argparse reads the words of these commands, also where typer is installed, whose import would take
two thirds of their time. There `command_group` tells typer what they take, for the list of
commands and for <Tab>.
"""

from __future__ import annotations

import shutil
import sys
from argparse import SUPPRESS, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import cleandoc
from textwrap import fill, indent
from typing import Any, Final

from joulemark.cli.table import COMMANDS, INSTALL, PRINTED, PURPOSE, BaseEntry, end
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, folded_text

_HELP: Final[Mapping[str, Any]] = {"action": "store_true", "help": "Show this message and exit."}
_WIDTH: Final = 96


class _Help(RawDescriptionHelpFormatter):
    """Help in the look of the commands that typer reads."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        """The first line."""
        super().add_usage(usage, actions, groups, prefix or "Usage: ")


def _parser(
    title: str, usage: str, purpose: str, last_part: str = "", width: int | None = None
) -> ArgumentParser:
    """A parser without groups and options, whose errors are exceptions.

    The words `title` call the command, and `usage` follows them in the first line of the help,
    which is as wide as the terminal unless `width` is given.
    """
    width = width or min(_WIDTH, shutil.get_terminal_size().columns)
    filled = partial(fill, width=width, initial_indent="  ", subsequent_indent="  ")
    parser = ArgumentParser(
        prog=title,
        usage=f"%(prog)s {usage}",
        description="\n\n".join(map(filled, purpose.split("\n\n"))),
        epilog=indent(last_part, "  "),
        formatter_class=partial(_Help, max_help_position=30, width=width),
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    # From Python 3.14 on help would have colours, which typer's help has not; older ones know none.
    vars(parser)["color"] = False
    return parser


def _add_rows(parser: ArgumentParser, title: str, rows: Mapping[str, str]) -> None:
    """Adds words to the help, each with its sentence; the parser leaves them to its caller."""
    group = parser.add_argument_group(title)
    for word, sentence in rows.items():
        group.add_argument(word, nargs=SUPPRESS, default=SUPPRESS, help=sentence)


@dataclass(frozen=True, slots=True)
class BaseCommand:
    """A command that takes a word, perhaps more words, and options."""

    function: Callable[..., int | None]
    """Gets the first word, the list of the others, and the options by name; returns the exit code,
    None for 0. Its docstring is the help."""
    usage: str
    """Its arguments in the first line of the help."""
    arguments: Mapping[str, str]
    """The same words, each with its help."""
    options: Mapping[str, Mapping[str, Any]]
    """Option -> its declaration, as `ArgumentParser.add_argument` takes it. All values are text."""
    examples: tuple[str, ...]
    """Command lines."""
    names: Callable[[str], list[tuple[str, str]]]
    """What the shell offers for the first word after its beginning: words with help."""

    def parser(self, title: str, width: int | None = None) -> ArgumentParser:
        """Reads the options of the command `title`, and makes its help, `width` columns wide."""
        lines = [line for command in self.examples for line in folded_text(f"  {command}", 80)]
        examples = "\n".join(["Examples:", *lines])
        purpose = cleandoc(self.function.__doc__ or "")
        parser = _parser(title, f"[OPTIONS] {self.usage}", purpose, examples, width)
        _add_rows(parser, "Arguments", self.arguments)
        group = parser.add_argument_group("Options")
        for name, declaration in self.options.items():
            group.add_argument(name, **declaration)
        group.add_argument("-h", "--help", **_HELP)
        return parser

    def run(self, title: str, words: Sequence[str]) -> int:
        """Runs the command with the words after its name; returns the exit code.

        Options may stand anywhere before `--`, with their value as the next word or after `=`.
        """
        parser = self.parser(title)
        try:
            given, places = self._read(parser, words)
        except UsageError as error:
            raise UsageError(f"{error} (see {title} --help)") from None
        if given.pop("help"):
            print(parser.format_help(), end="")
            return 0
        return self.function(places[0], places[1:], **given) or 0

    def _read(
        self, parser: ArgumentParser, words: Sequence[str]
    ) -> tuple[dict[str, Any], list[str]]:
        """Values of the options, and the words by their place."""
        end = words.index("--") if "--" in words else len(words)
        try:
            found, left = parser.parse_known_args(words[:end])
        except ArgumentError as error:
            # Its own sentence repeats the value, which may be a key.
            name = str(error.argument_name)
            takes = (
                "takes no value"
                if "action" in self.options.get(name, _HELP)
                else "requires a value"
            )
            raise UsageError(f"option {name} {takes}") from None
        for word in left:
            if word.startswith("-") and word != "-":
                name = word.partition("=")[0]
                raise UsageError(f"no such option: {name}{did_you_mean(name, self.options)}")
        places = [*left, *words[end + 1 :]]
        given = vars(found)
        if not places and not given["help"]:
            raise UsageError(f"missing argument {next(iter(self.arguments))}")
        return given, places


# The command `joulemark` itself.


def run() -> None:
    """Runs the command that this process was given, and ends the process."""
    end(lambda: _run(sys.argv[1:]))


def _run(words: Sequence[str]) -> int:
    first = words[0] if words else "--help"
    entry = COMMANDS.get(first)
    if isinstance(entry, BaseEntry):
        return entry.base().run(f"joulemark {first}", words[1:])
    if entry is not None:
        import_module("joulemark.cli.app")  # ends in the sentence that names what is missing
    if first in ("-h", "--help"):
        print(_whole().format_help(), end="")
    elif first in PRINTED:
        print(PRINTED[first].text)
    else:
        kind = "option" if first.startswith("-") else "command"
        known = [*PRINTED, "--help"] if kind == "option" else COMMANDS
        hint = did_you_mean(first, known)
        raise UsageError(f"no such {kind}: {first}{hint} (see joulemark --help)")
    return 0


def _whole() -> ArgumentParser:
    """The help of `joulemark` itself: what works without the laboratory comes first."""
    parser = _parser("joulemark", "[OPTIONS] COMMAND [ARGS]...", PURPOSE)
    options = parser.add_argument_group("Options")
    for name, printed in PRINTED.items():
        options.add_argument(name, action="store_true", help=printed.help)
    options.add_argument("-h", "--help", **_HELP)
    here = {name: entry.summary for name, entry in COMMANDS.items() if isinstance(entry, BaseEntry)}
    more = {name: entry.summary for name, entry in COMMANDS.items() if name not in here}
    _add_rows(parser, "Commands", here)
    _add_rows(parser, f"Commands of the laboratory, which {INSTALL} brings", more)
    return parser
