# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce PAPER`: a paper's experiment here, beside what the paper printed."""

from __future__ import annotations

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from joulemark.cli import reproduce_castellon2022, reproduce_kaps2006, reproduce_michail2005
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

__all__ = ["register"]


class _Papers(TyperGroup):
    """A group whose commands are papers."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The study that was named.

        Raises:
            UsageError: there is none of that name.
        """
        if args and args[0] not in self.commands:
            self._refuse(args[0])
        return super().resolve_command(ctx, args)

    def _refuse(self, name: str) -> NoReturn:
        raise UsageError(f"no study of '{name}'; there is {', '.join(self.commands)}")


def register(app: typer.Typer) -> None:
    """Adds the command, with a subcommand for each paper."""
    papers = typer.Typer(
        name="reproduce",
        cls=_Papers,
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Repeat a paper's experiment here: its figures beside ours, a verdict on each claim.",
        epilog=examples(
            "joulemark reproduce castellon2022",
            "joulemark reproduce michail2005 --no-fpga",
            "joulemark reproduce kaps2006 --hardware",
        ),
    )
    for paper in (reproduce_castellon2022, reproduce_kaps2006, reproduce_michail2005):
        paper.register(papers)
    app.add_typer(papers)
