# SPDX-License-Identifier: Apache-2.0
"""A command as plain data, the `COMMAND` of its module.

    def runs(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None: ...

    COMMAND: Final = Command(runs, ("joulemark runs",))

`joulemark.cli.app` makes a command of typer of it when the command is called.

Options that belong together may be one parameter of the function: a frozen dataclass whose fields
carry their declaration, here typer's. Typer then sees the fields in place of the group, in their
order, and the function gets the group:

    @dataclass(frozen=True, slots=True)
    class StoreOptions:
        store: Annotated[str, typer.Option("--store", help="...")] = "joulemark.db"

    def bench(store: StoreOptions) -> None: ...
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

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


# Options that belong together.

Answer = TypeVar("Answer")


def with_option_groups(command: Callable[..., Answer]) -> Callable[..., Answer]:
    """The command, in which the fields of a dataclass take the place of a parameter of its type."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {}
    shown: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if is_dataclass(kind) and isinstance(kind, type):
            groups[name] = kind
            found = _parameters(kind)
        else:
            found = [_parameter(name, kind, parameter.default)]
        for option in found:
            if option.name in shown:
                raise TypeError(f"{command.__name__} has two options named {option.name}")
            shown[option.name] = option

    def expanded(**given: Any) -> Answer:
        for name, kind in groups.items():
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            given[name] = kind(**own)
        return command(**given)

    expanded.__name__ = command.__name__
    expanded.__doc__ = command.__doc__
    expanded.__module__ = command.__module__
    expanded.__annotations__ = {
        parameter.name: parameter.annotation for parameter in shown.values()
    }
    vars(expanded)["__signature__"] = inspect.Signature([*shown.values()])
    return expanded


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    """The fields of a group as parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        _parameter(
            field.name,
            hints[field.name],
            inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(group)
    ]


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """A parameter by keyword alone: one without a default may follow one that has a default."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
