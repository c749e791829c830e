# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce PAPER`: a paper's experiment here, beside what the paper printed."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.shared.terminal import examples
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean
from joulemark.studies import summaries

__all__ = ["PAPERS", "register"]


class _StudyEntry(Entry):
    """A study, whose command is made of its `STUDY`."""

    def register(self, app: typer.Typer, name: str) -> None:
        """Imports the study, and adds its command."""
        study = import_module(self.module).STUDY
        import_module("joulemark.cli.reproduce.command").add(app, name, self.summary, study)


PAPERS: Final = {
    name: _StudyEntry(f"joulemark.studies.{name}.study", summary)
    for name, summary in summaries().items()
}


class _Papers(LazyGroup):
    """A group whose commands are papers."""

    TABLE = PAPERS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The study that was named.

        Raises:
            UsageError: there is none of that name.
        """
        if args and args[0] not in self.TABLE:
            hint = did_you_mean(args[0], self.TABLE)
            raise UsageError(f"no study of '{args[0]}'{hint} (there is {', '.join(self.TABLE)})")
        return super().resolve_command(ctx, args)


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
    app.add_typer(papers)
