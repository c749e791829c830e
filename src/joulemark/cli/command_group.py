# SPDX-License-Identifier: Apache-2.0
"""Groups of commands as plain data, and commands of the base installation, as typer has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand

from joulemark.cli.lazy import LazyGroup
from joulemark.cli.shared.command import last_part
from joulemark.cli.table import Entry

if TYPE_CHECKING:
    from joulemark.cli.without_typer import BaseCommand


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group; its help is the summary of the table that has it."""

    table: Mapping[str, Entry]
    examples: tuple[str, ...]
    """Command lines."""
    alone: Callable[[], None] | None = None
    """Called where no command of the group is named; None: that is refused, or shows the help."""
    help_alone: bool = False
    """Whether the help is shown where no command is named."""
    kind: type[LazyGroup] = LazyGroup

    def add_to(self, app: typer.Typer, name: str, summary: str) -> None:
        """Adds the group to `app` under that name."""
        group = typer.Typer(
            name=name,
            cls=type(self.kind.__name__, (self.kind,), {"TABLE": self.table}),
            rich_markup_mode=None,
            help=summary,
            epilog=last_part(self.examples),
            no_args_is_help=self.help_alone,
            invoke_without_command=self.alone is not None,
        )
        alone = self.alone
        if alone is not None:

            def call_alone(context: typer.Context) -> None:
                if context.invoked_subcommand is None:
                    alone()

            group.callback()(call_alone)
        app.add_typer(group)


@dataclass(frozen=True, slots=True)
class PassedOn:
    """A command of the base installation, of which typer knows what it takes, for <Tab>."""

    base: BaseCommand

    def add_to(self, app: typer.Typer, name: str, summary: str) -> None:
        """Adds the command to `app` under that name."""
        parameters = [
            inspect.Parameter(
                "word",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[str, typer.Argument(autocompletion=self.base.names)],
            )
        ]
        for option, declaration in self.base.options.items():
            kind = bool if "action" in declaration else str
            parameters.append(
                inspect.Parameter(
                    option.strip("-").replace("-", "_"),
                    inspect.Parameter.KEYWORD_ONLY,
                    default=kind(),
                    annotation=Annotated[kind, typer.Option(option, help=declaration["help"])],
                )
            )

        def known(**_: Any) -> None:
            """Never called."""

        vars(known)["__signature__"] = inspect.Signature(parameters)
        known.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        own = type("_Words", (_Words,), {"BASE": self.base})
        app.command(name, cls=own, help=summary)(known)


class _Words(TyperCommand):
    """A command that gets its words as they are; typer reads them only where <Tab> was pressed."""

    BASE: ClassVar[BaseCommand]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keeps the words."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        ctx.args = args
        return args

    def invoke(self, ctx: Any) -> int:
        """Runs the command; returns the exit code."""
        return self.BASE.run(ctx.command_path, ctx.args)

    def get_help(self, ctx: Any) -> str:
        """The command's own help."""
        return self.BASE.parser(ctx.command_path, ctx.terminal_width).format_help()
