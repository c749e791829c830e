# SPDX-License-Identifier: Apache-2.0
"""Options that belong together, as one parameter of a command.

A group is a frozen dataclass whose fields carry their declaration, here typer's:

    @dataclass(frozen=True, slots=True)
    class StoreOptions:
        store: Annotated[str, typer.Option("--store", help="...")] = "joulemark.db"

    @with_option_groups
    def bench(store: StoreOptions) -> None: ...

Typer then sees the fields in place of the group, in their order. The command gets the group.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

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
