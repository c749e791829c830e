# SPDX-License-Identifier: Apache-2.0
"""Groups of commands as plain data, from `joulemark core` to `joulemark reproduce`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import typer

from joulemark.cli.app import LazyGroup
from joulemark.cli.shared.command import last_part
from joulemark.cli.table import Entry
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean
from joulemark.studies import summaries

if TYPE_CHECKING:
    from joulemark.cli.shared.command import Command


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group; its help is the summary of the table that has it."""

    table: Mapping[str, Entry]
    examples: tuple[str, ...]
    """Command lines."""
    alone: str | None = None
    """Command of the group that is called where none is named; None: that is refused, or shows the
    help."""
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
        if self.alone is not None:
            group.callback()(self._alone)
        app.add_typer(group)

    def _alone(self, context: typer.Context) -> None:
        if context.invoked_subcommand is None and self.alone is not None:
            function: Callable[[], None] = resolve_name(self.table[self.alone].place).function
            function()


_CORE: Final = "joulemark.cli.core"
CORE_COMMANDS: Final = {
    "list": Entry(
        f"{_CORE}_table:LIST",
        "List the cores that come with Joulemark and their named configurations.",
    ),
    "new": Entry(
        f"{_CORE}_check:NEW",
        "Write a manifest for a core, from its ports and from trials in simulation.",
    ),
    "test": Entry(
        f"{_CORE}_run:TEST",
        "Lint a core, run its own tests, and hold its results and clocks to what it promises.",
    ),
    "run": Entry(
        f"{_CORE}_run:RUN",
        "Run a message, or a file of anybody's test vectors, through the simulated RTL of a core.",
    ),
    "report": Entry(
        f"{_CORE}_reports:REPORT",
        "Say what a core occupies, how fast it can be clocked, and what a block costs in energy.",
    ),
    "compare": Entry(
        f"{_CORE}_reports:COMPARE",
        "Set cores, configurations and targets side by side, with ratios to the first.",
    ),
    "check": Entry(
        f"{_CORE}_check:CHECK", "Check a new core against an old one, for continuous integration."
    ),
    "sweep": Entry(
        f"{_CORE}_reports:SWEEP",
        "Make a report for every combination of parameter values, on all CPUs.",
    ),
}
CORE: Final = CommandGroup(
    CORE_COMMANDS,
    (
        "joulemark core list",
        "joulemark core report siphash",
        "joulemark core compare siphash:small siphash:fast",
    ),
)

_FLEET: Final = "joulemark.cli.fleet"
FLEET: Final = CommandGroup(
    {
        "bench": Entry(
            f"{_FLEET}:BENCH",
            "Measure the same study on every machine of a scheduler, all runs into one store.",
        ),
        "workers": Entry(
            f"{_FLEET}:WORKERS",
            "List a scheduler's workers: machine, build, and who may take part.",
        ),
        "worker": Entry(f"{_FLEET}:WORKER", "Offer this machine to a scheduler, until Ctrl-C."),
        "keys": Entry(f"{_FLEET}:KEYS", "Make the file of keys by which members know one another."),
        "scheduler": Entry(
            f"{_FLEET}:SCHEDULER", "Run a scheduler, on loopback alone unless asked, until Ctrl-C."
        ),
    },
    (
        "joulemark fleet keys fleet.pem",
        "joulemark fleet scheduler --fleet-keys fleet.pem",
        "joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet bench hmac-sha256 --scheduler tls://127.0.0.1:8786 --fleet-keys fleet.pem",
    ),
)

_STORES: Final = "joulemark.cli.stores"
STORE: Final = CommandGroup(
    {
        "copy": Entry(f"{_STORES}:COPY", "Copy all runs of one store into another, each once."),
        "check": Entry(f"{_STORES}:CHECK", "Read everything in a store, and say what is damaged."),
        "size": Entry(f"{_STORES}:SIZE", "Say how much a store holds, and how large it is."),
        "prune": Entry(
            f"{_STORES}:PRUNE",
            "List the runs that newer ones replace, and with --delete delete them.",
        ),
    },
    (
        "joulemark store size",
        "joulemark store copy joulemark.db postgresql+psycopg://lab@db.example.org/joulemark",
        "joulemark store prune --keep 20",
    ),
)

_PLUGINS: Final = "joulemark.cli.plugins"
PROVIDER_COMMANDS: Final = {
    "list": Entry(
        f"{_PLUGINS}:LIST",
        "List the outside libraries that have a plugin, and why the others have none.",
    ),
    "build": Entry(
        f"{_PLUGINS}:BUILD", "Compile a plugin for every outside library that is on this machine."
    ),
}
PROVIDERS: Final = CommandGroup(
    PROVIDER_COMMANDS, ("joulemark providers", "joulemark providers build"), alone="list"
)
NEW: Final = CommandGroup(
    {
        "plugin": Entry(
            f"{_PLUGINS}:NEW",
            "Print a plugin in C for an algorithm, which compiles and can be measured at once.",
        )
    },
    ("joulemark new plugin sha256 > mine.c", "joulemark new plugin hmac-sha256 > mine.c"),
    help_alone=True,
)

# `joulemark reproduce PAPER`: a paper's experiment here, beside what the paper printed.


@dataclass(frozen=True, slots=True)
class _StudyEntry(Entry):
    """A study, whose command is made of its `STUDY`."""

    name: str = ""

    def command(self) -> Command:
        """Imports the study, and makes its command."""
        made: Command = resolve_name("joulemark.cli.reproduce:command_of")(
            self.name, self.summary, resolve_name(self.place)
        )
        return made


PAPERS: Final = {
    name: _StudyEntry(f"joulemark.studies.{name}.study:STUDY", summary, name=name)
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


REPRODUCE: Final = CommandGroup(
    PAPERS,
    (
        "joulemark reproduce castellon2022",
        "joulemark reproduce michail2005 --liberty typical.lib",
        "joulemark reproduce kaps2006 --hardware",
    ),
    help_alone=True,
    kind=_Papers,
)
