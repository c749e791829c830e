# SPDX-License-Identifier: Apache-2.0
"""A command as plain data, the `COMMAND` of its module.

    def runs(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None: ...

    COMMAND: Final = Command(runs, ("joulemark runs",))

`joulemark.cli.lazy` makes a command of typer of it when the command is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand

from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.errors import UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the docstring of its function is its help."""

    function: Callable[..., Any]
    """Its parameters carry typer's declarations, or are groups of options (`option_groups`). It
    returns the exit code, None for 0, or a request to the body that the table names."""
    examples: tuple[str, ...]
    """Command lines."""
    notes: tuple[str, ...] = ()
    """Paragraphs of the help before the examples, such as the exit codes. One whose first line is
    a backspace keeps its lines."""
    settings: Mapping[str, Any] | None = None
    """Click's settings of the command's context."""
    options_once: bool = False
    """Whether an option of one value is refused if it comes twice; else its last value counts."""

    def add_to(self, app: typer.Typer, name: str, _summary: str) -> None:
        """Adds the command to `app` under that name."""
        settings = None if self.settings is None else {**self.settings}
        epilog = last_part(self.examples, self.notes)
        kind = _OptionsOnce if self.options_once else None
        add = app.command(name, cls=kind, epilog=epilog, context_settings=settings)
        add(with_option_groups(self.function))


class _OptionsOnce(TyperCommand):
    """A command whose answer would be wrong if a value of an option were dropped in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the words after the command's name."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        for parameter, number in Counter(order).items():
            one_value = not (parameter.multiple or getattr(parameter, "is_flag", False))
            if number > 1 and one_value and parameter.param_type_name == "option":
                raise UsageError(
                    f"{parameter.opts[0]} is given {number} times, and takes one value: give it "
                    "once, and run the command once for each value"
                )
        return super().parse_args(ctx, args)


def last_part(examples: tuple[str, ...], notes: tuple[str, ...] = ()) -> str:
    """The last part of a help text: notes, then examples."""
    shown = "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])
    return "\n\n".join((*notes, shown))
