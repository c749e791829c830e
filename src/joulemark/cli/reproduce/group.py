# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce PAPER`: a paper's experiment here, beside what the paper printed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.lazy import LazyGroup
from joulemark.cli.shared.command import Command
from joulemark.cli.table import Entry
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean
from joulemark.studies import summaries


@dataclass(frozen=True, slots=True)
class _StudyEntry(Entry):
    """A study, whose command is made of its `STUDY`."""

    name: str = ""

    def command(self) -> Command:
        """Imports the study, and makes its command."""
        study = import_module(self.module).STUDY
        maker = import_module("joulemark.cli.reproduce.study_command")
        return cast("Command", maker.command_of(self.name, self.summary, study))


PAPERS: Final = {
    name: _StudyEntry(f"joulemark.studies.{name}.study", summary, name=name)
    for name, summary in summaries().items()
}


class _Papers(LazyGroup):
    """A group whose commands are papers."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The study that was named."""
        if args and args[0] not in self.TABLE:
            hint = did_you_mean(args[0], self.TABLE)
            raise UsageError(f"no study of '{args[0]}'{hint} (there is {', '.join(self.TABLE)})")
        return super().resolve_command(ctx, args)


COMMAND: Final = CommandGroup(
    PAPERS,
    (
        "joulemark reproduce castellon2022",
        "joulemark reproduce michail2005 --no-fpga",
        "joulemark reproduce kaps2006 --hardware",
    ),
    help_alone=True,
    kind=_Papers,
)
